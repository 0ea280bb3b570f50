import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// Carries out what the user does with one message, in words: the chosen one, or the last that fits.
@MainActor
struct OneMessage {
    let chat: ChatSession

    private var names: Names { chat.names }
    private var words: Words { chat.words }

    /// The message that an act is about.
    /// - Parameter id: the chosen one; one that was named by its number has that as its id, even if another user wrote
    ///   it.
    func target(of act: Act, _ id: TimelineItem.ID?) -> TimelineMessage? {
        let items = chat.shownMessages
        // Those may be older than what is shown.
        let pinned = chat.timeline?.snapshot.pins.compactMap(\.message) ?? []
        if let id {
            return (items + pinned).first { message in
                message.id == id || message.sequence.map { .sequence($0) } == id
            }
        }
        switch act {
        case .edit, .delete, .info: return items.last { $0.isOwn && !$0.isDeleted }
        case .reply, .react: return items.last { !$0.isOwn && !$0.isDeleted } ?? items.last
        case .reportMessage: return items.last { !$0.isOwn && $0.sequence != nil }
        case .unpin: return pinned.first
        case .pin, .forward, .thread: return items.last { $0.sequence != nil && !$0.isDeleted && $0.body != nil }
        default: return items.first { OneMessage.refused($0) != nil }
        }
    }

    func carryOut(_ act: Act, on id: TimelineItem.ID?) async throws -> ChatSession.Answer {
        guard let timeline = chat.timeline else { return .line(words(.noneOpen)) }
        if act == .retry, id == nil, timeline.snapshot.failure != nil {
            try await timeline.resume()
            return .line(words(.tryingAgain))
        }
        guard let message = target(of: act, id) else {
            return .line(words(id == nil ? OneMessage.nothing(for: act) : .isNotHere))
        }
        switch act {
        case .reply(let text): return try await chat.send(text, replyTo: message.id).map { .sent($0) } ?? .nothing
        case .react(let reaction, let isOn):
            try await timeline.react(message.id, reaction, isOn: isOn)
            return .line(words(isOn ? .reacted(reaction) : .unreacted(reaction)))
        case .edit(let text):
            if let item = OneMessage.refused(message) {
                try await chat.replace(item, text)
            } else {
                try await chat.edit(message.id, text)
            }
            return .line(words(.changed(text)))
        case .delete:
            try await timeline.delete(message.id)
            return .line(words(DeedPhrase.deleted))
        case .retry, .discard:
            guard let item = OneMessage.refused(message) ?? (act == .discard ? message.outboxItem : nil) else {
                return .line(words(.wasNotRefused))
            }
            if act == .retry { try await timeline.retry(item) } else { try await timeline.discard(item) }
            return .line(words(act == .retry ? .tryingAgain : .discarded))
        default: return try await carryOut(act, onStored: message, in: timeline)
        }
    }

    // What needs a message that the relay has.
    private func carryOut(
        _ act: Act, onStored message: TimelineMessage, in timeline: ConversationTimeline
    ) async throws -> ChatSession.Answer {
        guard let sequence = message.sequence, let conversation = timeline.conversation?.id else {
            return .line(words(.notStored))
        }
        let preview = TextWidth.clip(TimelineLines.preview(message, words), 40)
        switch act {
        case .pin:
            try await timeline.pin(message.id)
            return .line(words(DeedPhrase.pinned(preview)))
        case .unpin:
            try await timeline.unpin(message.id)
            return .line(words(.unpinned(preview)))
        case .forward(let name): return try await forward(message, to: name, timeline)
        case .thread:
            try await chat.openThread(of: message.id)
            return .thread
        case .reportMessage(let reason, let text):
            try await chat.roost.contacts.report(sequence, of: conversation, reason, text: text)
            return .line(words(DeedPhrase.reported(preview)))
        default: return try await info(message, sequence, timeline)
        }
    }

    // A user without any conversation is accepted only if the name is written as one: it may be mistyped.
    private func forward(
        _ message: TimelineMessage, to name: String, _ timeline: ConversationTimeline
    ) async throws -> ChatSession.Answer {
        let destination = try await chat.resolve(name)
        if destination.hasPrefix("@"), !name.hasPrefix("@"), chat.known(name) == nil {
            return .line(words(.forwardAnyway(name)))
        }
        let id = try await timeline.forward(message.id, to: destination)
        return .forwarded(id, to: destination, words(.forwarded(to: name)))
    }

    private func info(
        _ message: TimelineMessage, _ sequence: SequenceNumber, _ timeline: ConversationTimeline
    ) async throws -> ChatSession.Answer {
        let readers = try await timeline.readers(of: sequence)
        var lines = readers.map { reader in
            let time = reader.time.map { " \(words.time(Timestamp($0)))" } ?? ""
            return "  \(names.long(reader.person.user))\(time)"
        }
        if lines.isEmpty { lines = ["  " + words(.noReaders)] }
        if let time = message.expires { lines.append(words(.disappears(words.time(Timestamp(time))))) }
        return .lines(words(.readers(sequence.value)), lines)
    }

    private static func nothing(for act: Act) -> DeedPhrase {
        switch act {
        case .edit, .delete, .info: .nothingOwn
        case .reply, .react, .pin, .forward, .thread, .reportMessage: .nothing
        case .unpin: .noPins
        default: .nothingRefused
        }
    }

    // What the relay refused of a message, by its number in the outbox.
    private static func refused(_ message: TimelineMessage) -> Int64? {
        if let failed = message.failedChange { return failed.outboxItem }
        if case .failed = message.state { return message.outboxItem }
        return nil
    }
}
