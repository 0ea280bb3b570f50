import RoostCore
import RoostWire

extension SQLiteWriter {
    /// Rows between two progress reports.
    private static let progressRows = 1_000_000

    /// Reads the rows that the indexes don't hold. Usually there are few; after `reindex` it is all of them, which are
    /// merged whenever enough have gathered. With a full disk nothing can be merged, and they stay in memory.
    func readTail(hasRoom: Bool) throws {
        var read = 0
        var nextReport = bounds.tailRows
        defer { indexer.publish(head) }
        try readNewestKeys()
        var position = indexer.floor
        func isEnough() -> Bool { hasRoom ? indexer.isTailFull : indexer.isTailTooLong }
        while position < head {
            let start = position
            try log.walk(above: start, upTo: head) { row in
                position = row.position
                note(row)
                read += 1
                return !isEnough()
            } damaged: { damaged in
                position = damaged
                noteDamage(at: damaged)
                unplaced = (unplaced.count + 1, damaged)
                return !isEnough()
            }
            guard isEnough() else { return }
            guard hasRoom else { throw StorageFailure.noRoomToIndex(rows: head - position) }
            while try mergeSlice(isForced: true, upTo: position) {}
            if read >= nextReport {
                nextReport = read + SQLiteWriter.progressRows
                reporter.note(.progress, "indexed the log up to position \(position) of \(head)")
            }
        }
    }

    /// Reads the keys of rows that only the event index holds.
    private func readNewestKeys() throws {
        try log.walk(above: indexer.keys.floor, upTo: indexer.floor) { row in
            noteKey(of: row)
            return true
        } damaged: { damaged in
            noteDamage(at: damaged)
            return true
        }
    }

    /// A member's watermark is stored a little later than the message that the member wrote. After a crash it is raised
    /// again, up to the newest rows. After a clean stop there are no such rows.
    func raiseWatermarks() throws {
        struct Writer: Hashable {
            var conversation: Int32
            var user: Int32
        }
        var written: [Writer: [OwnMessage]] = [:]
        let marked = try meta.number("marked_to")
        guard marked < head else { return }
        try log.walk(above: max(0, marked, head - bounds.watermarkRows), upTo: head) { row in
            guard row.kind == .message, row.isIntact else { return true }
            let message = OwnMessage(
                sequence: SequenceNumber(row.sequence), time: Timestamp(milliseconds: row.time), isReading: !row.flag)
            written[Writer(conversation: row.conversation, user: row.sender), default: []].append(message)
            return true
        } damaged: { _ in
            true
        }
        guard !written.isEmpty else { return }
        try transactions.run {
            for (writer, messages) in written {
                let (user, conversation) = (UserNumber(writer.user), ConversationNumber(writer.conversation))
                guard let known = try directory.receipts.watermark(of: user, in: conversation) else { continue }
                var mark = known.mark
                let steps = messages.flatMap {
                    $0.sequence > max(mark.read, known.joinedAfter) ? mark.take($0) : []
                }
                guard mark != known.mark else { continue }
                try directory.receipts.add(steps, of: user, in: conversation)
                try directory.setWatermark(of: user, in: conversation, to: mark)
            }
        }
    }

    private func noteKey(of row: LogColumns) {
        let key = row.key
        guard !key.isEmpty else { return }
        indexer.keys.add(indexer.keys.hash(of: key, by: row.sender), at: row.position)
    }

    private func note(_ row: LogColumns) {
        let number = row.conversation
        let conversation = directory.conversation(number)
        let isIntact = row.isIntact
        var isMessage = row.kind == .message
        if !isIntact {
            noteDamage(at: row.position)
            // The damage is most likely in the body, by far the longest part. In that case the row keeps its place, so
            // that its sequence isn't used again.
            guard let conversation, let place = conversation.place(of: row.sequence) else {
                unplaced = (unplaced.count + 1, row.position)
                return
            }
            isMessage = place
        }
        let sequence = row.sequence
        // All that is left of a row of an erased conversation is its key.
        guard number != ConversationNumber.none.value else { return noteKey(of: row) }
        indexer.add(EventEntry(position: row.position, sequence: sequence, isMessage: isMessage), to: number, key: nil)
        noteKey(of: row)
        // Rows of an erased conversation have no place.
        let time = isIntact ? row.time : conversation?.lastTime ?? 0
        conversation?.note(sequence: sequence, position: row.position, time: time)
    }

    /// The end of the log is lost: gives the log a new epoch, and goes on after everything that may have been given.
    func renew(upTo position: Int64, sequences: [Int32: Int64]) throws {
        try transactions.run {
            try meta.renewEpoch(upTo: position)
            for (number, sequence) in sequences {
                directory.conversation(number)?.lastSequence = sequence
                try directory.saveEnd(of: number)
            }
        }
        head = position
        log.publish(head)
        indexer.publish(head)
        gauges.update { $0.head = Position(position) }
    }
}

/// A message as its author's watermarks see it.
private struct OwnMessage {
    let sequence: SequenceNumber
    let time: Timestamp
    /// Whether the author has read what came before.
    let isReading: Bool
}

extension Watermark {
    /// Takes a message that the member wrote, as a relay does.
    /// - Returns: how it has risen by that.
    fileprivate mutating func take(_ message: OwnMessage) -> [ReceiptStep] {
        guard let read = message.isReading ? message.sequence : own.insert(message.sequence) else { return [] }
        var steps: [ReceiptStep] = []
        if read > delivered {
            steps.append(ReceiptStep(isRead: false, after: delivered, to: read, at: message.time))
            (delivered, deliveredAt) = (read, message.time)
        }
        if read > self.read {
            steps.append(ReceiptStep(isRead: true, after: self.read, to: read, at: message.time))
            (self.read, readAt) = (read, message.time)
            own.keep(above: read)
            marked.keep(above: read)
        }
        return steps
    }
}
