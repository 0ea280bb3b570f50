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
    /// again, as far as the newest rows tell. After a clean stop there are no such rows.
    func raiseWatermarks() throws {
        struct Writer: Hashable {
            var conversation: Int32
            var user: Int32
        }
        var written: [Writer: [ReceiptSteps.Step]] = [:]
        let marked = try meta.number("marked_to")
        guard marked < head else { return }
        try log.walk(above: max(0, marked, head - bounds.watermarkRows), upTo: head) { row in
            guard row.kind == .message, row.isIntact else { return true }
            let step = ReceiptSteps.Step(SequenceNumber(row.sequence), at: Timestamp(milliseconds: row.time))
            written[Writer(conversation: row.conversation, user: row.sender), default: []].append(step)
            return true
        } damaged: { _ in
            true
        }
        guard !written.isEmpty else { return }
        try transactions.run {
            for (writer, messages) in written {
                guard let last = messages.last,
                    let mark = try directory.receipts.watermarks(of: writer.user, in: writer.conversation),
                    last.sequence.value > max(mark.read, mark.joinedAfter)
                else { continue }
                try directory.receipts.add(
                    ReceiptTable.steps(of: messages, from: mark), of: UserNumber(writer.user),
                    in: ConversationNumber(writer.conversation))
                try directory.raiseWatermark(
                    of: writer.user, in: writer.conversation, to: last.sequence.value, at: last.time.milliseconds)
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
