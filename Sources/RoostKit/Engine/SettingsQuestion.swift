import RoostClient
import RoostStore
import RoostWire

/// Asks the relay for all of the user's settings, if this device doesn't have them.
enum SettingsQuestion {
    /// Asks page by page. An event that arrives meanwhile counts by its version.
    static func ask(
        _ store: LocalStore, _ client: ChatClient, _ patience: Patience, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        guard try !store.settings.isComplete() else { return }
        try store.settings.beginAsking()
        var after: String?
        repeat {
            let from = after
            let page = try await patience { () throws(RoostFailure) in
                try await client.ask(
                    .getState, { if let from { $0.member("after", from) } }, { StatePage(reading: $0) })
            }
            try store.settings.take(page, isLast: page.next == nil)
            after = page.next
        } while after != nil
    }
}
