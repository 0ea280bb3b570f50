import RoostClient
import RoostStore
import RoostWire

/// Asks whether the relay still has the newest message that it sent in an earlier session. If not, its files are older
/// than they were, and everything it has sent may come from a log that no longer exists.
enum NewestQuestion {
    /// Asks once in a session that resumed, when everything since has come.
    static func ask(_ engine: isolated Engine) async throws {
        guard engine.desk.session.isUpToDate, let known = engine.doubted else { return }
        let isThere = try await isThere(known, engine.desk.store, engine.client, engine.patience)
        // Another session may have begun meanwhile, and asks for it itself.
        guard engine.doubted == known else { return }
        engine.doubted = nil
        guard !isThere else { return }
        try engine.desk.store.noteOlderFiles()
        try engine.noteRewind()
    }

    // Whether the relay has it, as far as that can be known.
    private static func isThere(
        _ known: KnownMessage, _ store: LocalStore, _ client: ChatClient, _ patience: Patience,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Bool {
        let id = known.conversation
        // The user has left it, or it is asked for anyway.
        guard let conversation = try store.conversation(id), !conversation.isStale else { return true }
        do {
            let before = SequenceNumber(known.sequence.value + 1)
            let page = try await patience { () throws(RoostFailure) in
                try await client.history(of: id, before: before, limit: 1)
            }
            if let isThere = known.isThere(in: page) { return isThere }
            // Retention may have taken it, but not its number.
            let summary = try await patience { () throws(RoostFailure) in try await client.conversation(id) }
            return summary.sequence >= known.sequence
        } catch RoostFailure.refused(let refusal) where refusal.is(.notFound) { return false }
    }
}
