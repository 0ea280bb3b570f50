import RoostCore
import RoostWire

/// Events about a message: they read its row, decide, and change it.
extension SQLiteWriter {
    private enum Target {
        case message(LogRow)
        case refusal(ErrorCode)
    }

    /// Only the author may edit, and only a message that isn't deleted; a text message stays a text. Editing to the
    /// same body changes nothing.
    func edit(_ event: Append) throws -> Outcome {
        switch try target(of: event) {
        case .refusal(let code): return .refused(code)
        case .message(var row):
            guard row.event.deletedAt == .never else { return .refused(.gone) }
            guard row.event.sender == event.sender else { return .refused(.forbidden) }
            guard row.event.label != "text" || event.flag else { return .refused(.badRequest) }
            // The same again is most likely a retry.
            guard row.event.body != event.body || !row.event.extras.says(theSameAs: event.extras) else {
                return .unchanged
            }
            row.event.editedAt = event.time
            row.event.extras = row.event.extras.edited(to: event.extras)
            try replaceBody(of: &row, with: event.body)
            return .stored(Position(head + 1), event.reference, label: row.event.label)
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
            try replaceBody(of: &row, with: [])
            return .stored(Position(head + 1), event.reference)
        }
    }

    /// Adds or removes a reaction, and updates the count shown in history.
    func react(_ event: Append) throws -> Outcome {
        guard !event.label.isEmpty else { return .refused(.badRequest) }
        switch try target(of: event) {
        case .refusal(let code): return .refused(code)
        case .message(let row):
            guard row.event.deletedAt == .never else { return .refused(.gone) }
            do { try reactions.checkReadable(event) } catch let failure as StorageFailure where failure.isDamage {
                reporter.note(.damagedIndex, "the reactions to a message can't be read: \(failure)")
                return .refused(.unavailable)
            }
            let isThere = try reactions.has(event)
            guard isThere == event.flag else { return .unchanged }
            if !event.flag {
                guard try reactions.count(event) < Int64(reactionsPerUser) else { return .refused(.tooLarge) }
            }
            try reactions.apply(event)
            return .stored(Position(head + 1), event.reference)
        }
    }

    /// Stores another body, and the times and extras of the row as they are now.
    func replaceBody(of row: inout LogRow, with body: [UInt8]) throws {
        expiry.changed(at: row.event.position.value, by: body.count - row.event.body.count)
        row.event.body = body
        try editor.replace(row)
        checkpoints.erasedTexts.note()
        log.noteChange(at: row.event.position.value)
    }

    /// The message that an event is about. If its row is damaged, only this command is refused.
    private func target(of event: Append) throws -> Target {
        let number = event.conversation.value
        let sequence = event.reference.value
        guard let last = directory.conversation(number)?.lastSequence, isMessage(event.reference, upTo: last) else {
            return .refusal(.notFound)
        }
        let found: Int64?
        do {
            found = try indexer.position(of: sequence, in: number)
        } catch let failure as StorageFailure where failure.isIndexDamage {
            reporter.note(.damagedIndex, "\(failure)")
            return .refusal(.unavailable)
        }
        guard let position = found else {
            reporter.note(.damagedRow, "message \(sequence) of conversation \(number) is in no index")
            return .refusal(.gone)
        }
        switch try log.find(at: position) {
        case .row(var row) where row.isMessage(sequence, in: number):
            row.event = row.event.shown(at: event.time)
            return .message(row)
        case .row:
            reporter.note(
                .damagedIndex, "message \(sequence) of conversation \(number) isn't at position \(position)")
            return .refusal(.unavailable)
        case .missing, .damaged:
            noteDamage(at: position)
            return .refusal(.gone)
        }
    }
}
