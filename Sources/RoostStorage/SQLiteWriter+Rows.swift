import RoostCore
import RoostWire

/// The rows of the log as the writer has them: the newest in a block that isn't stored yet, the others in the table.
extension SQLiteWriter {
    /// Adds the row of an event at `head`. Its texts are in the scratch.
    func addRow(_ event: borrowing Append, sequence: Int64) throws {
        var header = LogHeader(
            conversation: event.conversation.value, sender: event.sender.value, sequence: sequence,
            time: event.time.milliseconds, kind: event.kind.rawValue, device: scratch.deviceBytes,
            key: scratch.keyBytes, label: scratch.labelBytes)
        var count = LogRow.headerBytes + scratch.count + (event.kind == .edit ? 0 : event.body.count)
        if event.flag { header.marks.insert(.flag) }
        if event.reference != .none {
            header.marks.insert(.reference)
            count += 8
        }
        header.length = UInt32(clamping: count)
        if !newest.fits(count, at: head) { try storeBlock() }
        scratch.withAll { newest.append(event, header, at: head, texts: $0) }
        let entry = Tail.Entry(position: head, sequence: sequence, isMessage: event.kind == .message)
        newestEntries.append((event.conversation.value, entry))
    }

    /// Stores the rows that were gathered: at the end of a batch, and before the table or the tail is read.
    func storeBlock() throws {
        guard !newest.isEmpty else { return }
        try write(newest, statements.insertBlock)
        newest.removeAll()
        tail.add(newestEntries)
        newestEntries.removeAll(keepingCapacity: true)
    }

    func row<Value>(at position: Int64, _ read: (LogRow) throws -> Value?) throws -> Value? {
        if !newest.isEmpty, position >= newest.position { try storeBlock() }
        return try table.row(at: position, read)
    }

    /// Puts other bytes in the place of a row; nil removes it. What has become too long for its block is divided.
    func replaceRow(at position: Int64, by replacement: [UInt8]?) throws {
        try storeBlock()
        var blocks = [LogBlock()]
        let name = try table.block(around: position) { rows -> Int64 in
            for row in rows {
                let count = row.position == position ? replacement?.count ?? 0 : row.bytes.count
                if !blocks[blocks.count - 1].fits(count, at: row.position) { blocks.append(LogBlock()) }
                // The first keeps its name, whichever of its rows went.
                let start = blocks.count == 1 ? rows.block : row.position
                if row.position != position {
                    blocks[blocks.count - 1].append(row.bytes, at: row.position, block: start)
                } else if let replacement {
                    blocks[blocks.count - 1].append(replacement, at: position, block: start)
                }
            }
            return rows.block
        }
        guard let name else { return }
        guard !blocks[0].isEmpty else {
            statements.deleteBlock.bind(1, name)
            return try statements.deleteBlock.run()
        }
        try write(blocks[0], statements.replaceBlock)
        for block in blocks.dropFirst() { try write(block, statements.insertBlock) }
    }

    private func write(_ block: LogBlock, _ statement: Statement) throws {
        statement.bind(1, block.position)
        try block.bytes.withUnsafeBytes { bytes in
            try statement.bind(2, borrowedBlob: bytes)
            try statement.run()
        }
    }
}
