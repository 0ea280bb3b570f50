import RoostCore
import RoostWire

/// Events that mean a message: they read its row, decide, and change it.
extension SQLiteWriter {
    /// The message that an event means.
    private struct Target {
        var position: Int64
        var sender: Int32
        var isDeleted: Bool
        var label: String
    }

    /// Only the author may edit, and only what isn't deleted; a text stays a text. The same body again changes nothing.
    func edit(_ event: Append) throws -> Outcome {
        guard let target = try target(of: event) else { return .refused(.notFound) }
        guard !target.isDeleted else { return .refused(.gone) }
        guard target.sender == event.sender.value else { return .refused(.forbidden) }
        guard target.label != "text" || event.flag else { return .refused(.badRequest) }
        let changed = try event.body.withUnsafeBytes { body in
            try row(at: target.position) { row in
                row.body.elementsEqual(body) ? nil : row.changed(body: body, .edited, at: event.time.milliseconds)
            }
        }
        // The same body again, most likely a retry.
        guard let changed else { return .unchanged }
        try replaceRow(at: target.position, by: changed)
        return .stored(Position(head + 1), event.reference, label: target.label)
    }

    /// Erases the body. Edits have none of their own, so nothing of it is left.
    func delete(_ event: Append) throws -> Outcome {
        guard let target = try target(of: event) else { return .refused(.notFound) }
        guard target.sender == event.sender.value || event.flag else { return .refused(.forbidden) }
        guard !target.isDeleted else { return .unchanged }
        let erased = try row(at: target.position) { row in
            row.changed(body: UnsafeRawBufferPointer(start: nil, count: 0), .deleted, at: event.time.milliseconds)
        }
        try replaceRow(at: target.position, by: erased)
        return .stored(Position(head + 1), event.reference)
    }

    /// Adds or takes back a reaction, and keeps the count that history shows.
    func react(_ event: Append) throws -> Outcome {
        guard !event.label.isEmpty else { return .refused(.badRequest) }
        guard let target = try target(of: event) else { return .refused(.notFound) }
        guard !target.isDeleted else { return .refused(.gone) }
        let isThere = try scratch.withTexts { _, _, label in
            try bindReaction(statements.hasReaction, event, label)
            return try statements.hasReaction.first { _ in true } ?? false
        }
        guard isThere == event.flag else { return .unchanged }
        if !event.flag {
            bindMessage(statements.countReactions, event)
            statements.countReactions.bind(3, event.sender.value)
            let count = try statements.countReactions.first { $0.int64(0) } ?? 0
            guard count < Int64(reactionsPerUser) else { return .refused(.tooLarge) }
        }
        try scratch.withTexts { _, _, label in
            let change = event.flag ? statements.removeReaction : statements.addReaction
            try bindReaction(change, event, label)
            try change.run()
            for count in event.flag ? [statements.lowerCount, statements.dropCount] : [statements.raiseCount] {
                bindMessage(count, event)
                try count.bind(3, borrowedText: label)
                try count.run()
            }
        }
        return .stored(Position(head + 1), event.reference)
    }

    private func target(of event: Append) throws -> Target? {
        let number = event.conversation.value
        guard let last = conversations[number]?.lastSequence, isMessage(event.reference, upTo: last) else { return nil }
        let sequence = event.reference.value
        try storeBlock()
        let found = try tail.position(of: sequence, in: number) ?? statements.events.position(of: sequence, in: number)
        guard let position = found else {
            throw StorageFailure.inconsistent("message \(sequence) of conversation \(number) is in no index")
        }
        let target = try row(at: position) { row in
            Target(
                position: position, sender: row.header.sender, isDeleted: row.deletedAt != nil,
                label: String(decoding: row.label, as: UTF8.self))
        }
        guard let target else { throw StorageFailure.inconsistent("there is no row at position \(position)") }
        return target
    }

    private func bindMessage(_ statement: Statement, _ event: Append) {
        statement.bind(1, event.conversation.value)
        statement.bind(2, event.reference.value)
    }

    private func bindReaction(_ statement: Statement, _ event: Append, _ label: UnsafeRawBufferPointer) throws {
        bindMessage(statement, event)
        statement.bind(3, event.sender.value)
        try statement.bind(4, borrowedText: label)
    }
}
