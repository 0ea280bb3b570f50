import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// What the user does with one message, in words: the chosen one, or the last that fits.
@MainActor
struct OneMessage {
    let chat: ChatSession

    private var names: Names { chat.names }

    /// The message that an act is about.
    /// - Parameter id: the chosen one; one that was named by its number has that as its id, whoever wrote it.
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
        guard let timeline = chat.timeline else { return .line("no conversation is open") }
        if act == .retry, id == nil, timeline.snapshot.failure != nil {
            try await timeline.resume()
            return .line("trying again")
        }
        guard let message = target(of: act, id) else {
            return .line(id == nil ? OneMessage.nothing(for: act) : "that message is not here")
        }
        switch act {
        case .reply(let text): return try await chat.send(text, replyTo: message.id).map { .sent($0) } ?? .nothing
        case .react(let reaction, let isOn):
            try await timeline.react(message.id, reaction, isOn: isOn)
            let what = TerminalText.printable(reaction)
            return .line(isOn ? "you reacted \(what)" : "you took \(what) back")
        case .edit(let text):
            if let item = OneMessage.refused(message) {
                try await chat.replace(item, text)
            } else {
                try await chat.edit(message.id, text)
            }
            return .line("edited: \(TerminalText.printable(text))")
        case .delete:
            try await timeline.delete(message.id)
            return .line("deleted")
        case .retry, .discard:
            guard let item = OneMessage.refused(message) ?? (act == .discard ? message.outboxItem : nil) else {
                return .line("that one was not refused")
            }
            if act == .retry { try await timeline.retry(item) } else { try await timeline.discard(item) }
            return .line(act == .retry ? "trying again" : "taken back")
        default: return try await carryOut(act, onStored: message, in: timeline)
        }
    }

    // What needs a message that the relay has.
    private func carryOut(
        _ act: Act, onStored message: TimelineMessage, in timeline: ConversationTimeline
    ) async throws -> ChatSession.Answer {
        guard let sequence = message.sequence, let conversation = timeline.conversation?.id else {
            return .line("the relay doesn't have it yet")
        }
        let preview = TextWidth.clip(TimelineLines.preview(message), 40)
        switch act {
        case .pin:
            try await timeline.pin(message.id)
            return .line("pinned: \(preview)")
        case .unpin:
            try await timeline.unpin(message.id)
            return .line("no longer pinned: \(preview)")
        case .forward(let name): return try await forward(message, to: name, timeline)
        case .thread:
            try await chat.openThread(of: message.id)
            return .thread
        case .reportMessage(let reason, let text):
            try await chat.roost.contacts.report(sequence, of: conversation, reason, text: text)
            return .line("the operators are told of: \(preview)")
        default: return try await info(message, sequence, timeline)
        }
    }

    // To somebody with whom nothing was ever said, only if the name is written as one: it may be mistyped.
    private func forward(
        _ message: TimelineMessage, to name: String, _ timeline: ConversationTimeline
    ) async throws -> ChatSession.Answer {
        let destination = try await chat.resolve(name)
        let shown = TerminalText.printable(name)
        if destination.hasPrefix("@"), !name.hasPrefix("@"), chat.known(name) == nil {
            return .line("you have never talked with \(shown); /forward @\(shown) sends it all the same")
        }
        let id = try await timeline.forward(message.id, to: destination)
        return .forwarded(id, to: destination, "forwarded to \(shown)")
    }

    private func info(
        _ message: TimelineMessage, _ sequence: SequenceNumber, _ timeline: ConversationTimeline
    ) async throws -> ChatSession.Answer {
        let readers = try await timeline.readers(of: sequence)
        var lines = readers.map { reader in
            let time = reader.time.map { " \(WallClock().time(Timestamp($0)))" } ?? ""
            return "  \(names.long(reader.person.user))\(time)"
        }
        if lines.isEmpty { lines = ["  nobody yet"] }
        if let time = message.expires { lines.append("It disappears \(WallClock().time(Timestamp(time)))") }
        return .lines("Message \(sequence.value), read by", lines)
    }

    private static func nothing(for act: Act) -> String {
        switch act {
        case .edit, .delete, .info: "you have not written anything here"
        case .reply, .react, .pin, .forward, .thread, .reportMessage: "there is no message here"
        case .unpin: "nothing is pinned here"
        default: "nothing was refused here"
        }
    }

    // What the relay refused of a message, by its number in the outbox.
    private static func refused(_ message: TimelineMessage) -> Int64? {
        if let failed = message.failedChange { return failed.outboxItem }
        if case .failed = message.state { return message.outboxItem }
        return nil
    }
}
