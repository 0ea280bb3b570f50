import RoostClient
import RoostStore
import RoostWire

/// Asks the relay for pinned messages, and to pin others.
enum PinQuestion {
    /// Asks for the pinned messages of open timelines of which this device doesn't know all: once, because the relay
    /// may not be able to show them either.
    static func ask(
        _ desk: Desk, _ isReady: Bool, _ client: ChatClient, _ patience: Patience,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        for view in desk.openTimelines where isReady {
            guard let id = view.shown.conversation?.id else { continue }
            let missing = view.shown.pins.filter { $0.message == nil || $0.by == nil }.map(\.sequence)
            guard !missing.isEmpty, missing != view.pinsAsked else { continue }
            view.pinsAsked = missing
            var (pins, before) = ([Pin](), String?.none)
            repeat {
                let at = before
                let page = try await patience { () throws(RoostFailure) in
                    try await client.pins.page(of: id, before: at, limit: Limits().pinsPerConversation)
                }
                pins += page.pins
                before = page.next
            } while before != nil && pins.count < Limits().pinsPerConversation
            try desk.store.pins.take(pins, of: id)
            desk.tell([id])
        }
    }

    /// Pins a message, or pins it no longer, for all members.
    static func change(
        _ id: TimelineItem.ID, in destination: String, isPinned: Bool, _ engine: isolated Engine
    ) async throws {
        let message = try engine.desk.stored(id, in: destination)
        let (client, conversation, sequence) = (engine.client, message.conversation, message.sequence)
        let answer = try await engine.patience { () throws(RoostFailure) in
            if isPinned { return try await client.pins.pin(sequence, in: conversation) }
            return try await client.pins.unpin(sequence, in: conversation)
        }
        let store = engine.desk.store
        // If nothing changed, the event has come or will come.
        guard let time = answer.time, let user = store.identity.user else { return }
        if isPinned {
            try store.pins.pin(sequence, in: conversation, by: user, at: time)
            if let position = answer.position {
                try store.lines.note(.pinned(sequence), by: user, in: conversation, at: position, time)
            }
        } else {
            try store.pins.unpin(sequence, in: conversation)
        }
        engine.desk.tell([conversation])
    }
}
