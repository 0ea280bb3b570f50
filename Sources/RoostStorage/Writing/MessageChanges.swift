import RoostCore
import RoostWire

/// Events about a message: reads its row, decides, and changes it. For the writer and in its transaction.
struct MessageChanges {
    private enum Target {
        case message(LogRow)
        case refusal(ErrorCode)
    }

    private let writer: SQLiteWriter

    init(_ writer: SQLiteWriter) { self.writer = writer }

    /// Only the author may edit, no user a forwarded message, and only a message that isn't deleted; a text message
    /// stays a text. Editing to the same body changes nothing.
    func edit(_ event: Append) throws -> Outcome {
        switch try target(of: event) {
        case .refusal(let code): return .refused(code)
        case .message(var row):
            guard row.event.deletedAt == .never else { return .refused(.gone) }
            guard row.event.sender == event.sender, row.event.extras?.origin == nil else { return .refused(.forbidden) }
            guard row.event.label != "text" || event.flag else { return .refused(.badRequest) }
            // The same again is most likely a retry.
            guard row.event.body != event.body || !row.event.extras.isUnchanged(by: event.extras) else {
                return .unchanged
            }
            guard event.mayEdit(row.event.extras.version) else { return .refused(.conflict) }
            let extras = row.event.extras.edited(to: event.extras)
            row.event.editedAt = event.time
            row.event.extras = extras
            try writer.replaceBody(of: &row, with: event.body)
            try writer.directory.threads.add(
                extras, row.event.sequence, by: row.event.sender, in: row.event.conversation, at: row.event.time)
            return .stored(
                Position(writer.head + 1), event.reference,
                .edited(kind: row.event.label, version: extras.version))
        }
    }

    /// Erases the body. Edits have no body of their own, so nothing of it is left.
    func delete(_ event: Append) throws -> Outcome {
        switch try target(of: event) {
        case .refusal(let code): return .refused(code)
        case .message(var row):
            guard row.event.sender == event.sender || event.flag else { return .refused(.forbidden) }
            guard row.event.deletedAt == .never else { return .unchanged }
            row.event.deletedAt = event.time
            row.event.extras = row.event.extras.ofTombstone
            try writer.replaceBody(of: &row, with: [])
            try writer.directory.noteGone(event.reference, in: event.conversation.value)
            return .stored(
                Position(writer.head + 1), event.reference, row.event.extras.isWithheld ? .withheld : .nothing)
        }
    }

    /// Adds or removes a reaction, and updates the count shown in history.
    func react(_ event: Append) throws -> Outcome {
        guard !event.label.isEmpty else { return .refused(.badRequest) }
        switch try target(of: event) {
        case .refusal(let code): return .refused(code)
        case .message(let row):
            guard row.event.deletedAt == .never else { return .refused(.gone) }
            do {
                try writer.reactions.checkReadable(event)
            } catch let failure as StorageFailure where failure.isDamage {
                writer.reporter.note(.damagedIndex, "the reactions to a message can't be read: \(failure)")
                return .refused(.unavailable)
            }
            let isThere = try writer.reactions.has(event)
            guard isThere == event.flag else { return .unchanged }
            if !event.flag {
                guard try writer.reactions.count(event) < Int64(writer.reactionsPerUser) else {
                    return .refused(.tooLarge)
                }
            }
            // A user who can't see the message, or the removed reaction, doesn't get the event.
            let isWithheld = try row.event.extras.isWithheld || event.flag && writer.reactions.isWithheld(event)
            try writer.reactions.apply(event, isWithheld: isWithheld || event.withheldFrom != .none)
            return .stored(Position(writer.head + 1), event.reference, isWithheld ? .withheld : .nothing)
        }
    }

    /// Whether an event changes what is pinned; nil if it changes something else that is always stored.
    func judge(_ change: ConversationChange?, of event: Append) throws -> Outcome? {
        switch change {
        case .pin(let sequence): return try pin(sequence, event)
        case .unpin(let sequence):
            let hiddenFrom = try writer.directory.pins.hiddenFrom(sequence, of: event.conversation)
            guard let hiddenFrom, hiddenFrom != event.sender else { return .unchanged }
            return hiddenFrom == .none ? nil : stored(.withheld, in: event.conversation)
        case .expiry(let time):
            return writer.directory.conversation(event.conversation.value)?.expiry == time ? .unchanged : nil
        case .slow(let time):
            return writer.directory.conversation(event.conversation.value)?.slow == time ? .unchanged : nil
        case .joining(let rule):
            return writer.directory.conversation(event.conversation.value)?.joining == rule ? .unchanged : nil
        case .restrict(let user, let restriction):
            let table = writer.directory.restrictions
            return try table.isUnchanged(by: restriction, of: user, in: event.conversation) ? .unchanged : nil
        case .accept:
            return writer.directory.conversation(event.conversation.value)?.request == nil ? .unchanged : nil
        default: return nil
        }
    }

    /// Pins a message. It may be pinned for the sender and not for the other user, and the other way round.
    private func pin(_ sequence: SequenceNumber, _ event: Append) throws -> Outcome {
        switch try target(sequence, for: event) {
        case .refusal(let code): return .refused(code)
        case .message(let row):
            guard row.event.deletedAt == .never else { return .refused(.gone) }
            let hiddenFrom = try writer.directory.pins.hiddenFrom(sequence, of: event.conversation)
            guard hiddenFrom == nil || hiddenFrom == event.sender else { return .unchanged }
            guard try !writer.directory.pins.isFull(event.conversation, for: event.sender) else {
                return .refused(.tooLarge)
            }
            let isWithheld = hiddenFrom != nil || row.event.extras.isWithheld
            return stored(.pin(author: row.event.sender, isWithheld: isWithheld), in: event.conversation)
        }
    }

    /// The author of a message that an imported line pins; nil if it can't be pinned.
    func author(ofPinned sequence: SequenceNumber, _ event: Append) throws -> UserNumber? {
        // Later changes of it may be withheld from the user who pinned it.
        guard case .message(let row) = try target(sequence, in: event.conversation, at: event.time),
            row.event.deletedAt == .never,
            try writer.directory.pins.hiddenFrom(sequence, of: event.conversation) == nil
        else { return nil }
        return row.event.sender
    }

    private func stored(_ supplement: Supplement, in conversation: ConversationNumber) -> Outcome {
        let last = writer.directory.conversation(conversation.value)?.lastSequence ?? 0
        return .stored(Position(writer.head + 1), SequenceNumber(last), supplement)
    }

    /// The content of a message that is forwarded now, or why it can't be.
    func content(of source: ForwardedMessage, for reader: UserNumber, at time: Timestamp) throws -> (
        content: MessageContent?, refusal: ErrorCode?
    ) {
        switch try target(source.sequence, in: source.conversation, at: time) {
        case .refusal(let code): return (nil, code)
        case .message(let row):
            guard !source.withheld.contains(row.event.sender), !row.event.isWithheld(from: reader) else {
                return (nil, .notFound)
            }
            guard row.event.deletedAt == .never, let author = try writer.directory.name(of: row.event.sender) else {
                return (nil, .gone)
            }
            return (row.event.content(by: author), nil)
        }
    }

    /// Why a message can't reply to what it names; nil if it can. A thread begins with a message that is in none.
    func fault(ofReferencesIn event: Append, upTo last: Int64) throws -> ErrorCode? {
        guard event.reference == .none || writer.isMessage(event.reference, upTo: last) else { return .notFound }
        if event.reference != .none, try isHidden(event.reference, from: event) { return .notFound }
        guard event.extras.thread != .none else { return nil }
        switch try target(event.extras.thread, for: event) {
        case .refusal(let code): return code == .unavailable ? code : .notFound
        case .message(let root): return root.event.extras.thread == .none ? nil : .badRequest
        }
    }

    /// Whether the sender of an event sees only a placeholder of the message. An unreadable message can be answered.
    private func isHidden(_ sequence: SequenceNumber, from event: Append) throws -> Bool {
        guard !event.hiddenAuthors.isEmpty || writer.directory.conversation(event.conversation.value)?.isDirect == true
        else { return false }
        if case .refusal(.notFound) = try target(sequence, for: event) { return true }
        return false
    }

    /// The message that an event is about. If its row is damaged, only this command is refused.
    private func target(of event: Append) throws -> Target { try target(event.reference, for: event) }

    /// The message that an event names: one of which its sender sees only the place isn't there.
    private func target(_ named: SequenceNumber, for event: Append) throws -> Target {
        let found = try target(named, in: event.conversation, at: event.time)
        guard case .message(let row) = found,
            event.hiddenAuthors.contains(row.event.sender) || row.event.isWithheld(from: event.sender)
        else { return found }
        return .refusal(.notFound)
    }

    private func target(
        _ named: SequenceNumber, in conversation: ConversationNumber, at time: Timestamp
    ) throws -> Target {
        let number = conversation.value
        let sequence = named.value
        guard let last = writer.directory.conversation(number)?.lastSequence, writer.isMessage(named, upTo: last) else {
            return .refusal(.notFound)
        }
        let found: Int64?
        do {
            found = try writer.indexer.position(of: sequence, in: number)
        } catch let failure as StorageFailure where failure.isIndexDamage {
            writer.reporter.note(.damagedIndex, "\(failure)")
            return .refusal(.unavailable)
        }
        guard let position = found else {
            writer.reporter.note(.damagedRow, "message \(sequence) of conversation \(number) is in no index")
            return .refusal(.gone)
        }
        switch try writer.log.find(at: position) {
        case .row(var row) where row.isMessage(sequence, in: number):
            row.event = row.event.shown(at: time)
            return .message(row)
        case .row:
            writer.reporter.note(
                .damagedIndex, "message \(sequence) of conversation \(number) isn't at position \(position)")
            return .refusal(.unavailable)
        case .missing, .damaged:
            writer.noteDamage(at: position)
            return .refusal(.gone)
        }
    }
}
