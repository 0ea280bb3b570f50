import CSQLite
import RoostCore
import RoostWire

/// Rows on their way into the log, side by side in reused memory. SQLite reads them there and stores them with one
/// statement. On the writer's thread, on its connection.
final class NewRows {
    /// Most bytes of texts that are gathered; a longer text fits nevertheless. Copying more would only take memory.
    private static let bytesMax = 1 << 20

    private let insert: Statement
    private let source: UnsafeMutablePointer<roost_new_rows>
    private var rows: [roost_new_row] = []
    private var bytes: [UInt8] = []

    init(_ database: Database) throws {
        source = .allocate(capacity: 1)
        source.initialize(to: roost_new_rows())
        do {
            try database.addNewRows(source)
            insert = try database.prepare(
                """
                INSERT INTO log (position, conversation, sequence, kind, sender, time, checksum, reference, flag,
                    device, key, label, extras, body)
                SELECT position, conversation, sequence, kind, sender, time, checksum, reference, flag,
                    device, key, label, extras, body FROM new_rows
                """)
        } catch {
            source.deallocate()
            throw error
        }
    }

    // The connection was closed before, or doesn't use `new_rows` any more.
    deinit { source.deallocate() }

    /// Adds the row of an event. It may be stored at once together with those before it.
    func add(_ event: borrowing Append, at position: Int64, sequence: Int64) throws {
        var row = roost_new_row()
        row.device = Int32(truncatingIfNeeded: bytes.count)
        add(event.device)
        row.key = Int32(truncatingIfNeeded: bytes.count)
        add(event.key)
        row.label = Int32(truncatingIfNeeded: bytes.count)
        add(event.label)
        row.extras = Int32(truncatingIfNeeded: bytes.count)
        // The body and the extras of an edit are stored as the message's.
        if event.kind != .edit, let extras = event.extras { bytes.append(contentsOf: extras.json) }
        row.body = Int32(truncatingIfNeeded: bytes.count)
        if event.kind != .edit { bytes.append(contentsOf: event.body) }
        row.end = Int32(truncatingIfNeeded: bytes.count)
        let numbers = RowNumbers(
            position: position, conversation: event.conversation.value, sequence: sequence, kind: event.kind.rawValue,
            sender: event.sender.value, time: event.time.milliseconds, reference: event.reference.value,
            flag: event.flag)
        row.position = position
        row.conversation = Int64(numbers.conversation)
        row.sequence = sequence
        row.kind = Int64(numbers.kind)
        row.sender = Int64(numbers.sender)
        row.time = numbers.time
        row.checksum = bytes.withUnsafeBytes { all in
            func piece(_ start: Int32, _ end: Int32) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: all[Int(start)..<Int(end)])
            }
            return numbers.checksum(
                device: piece(row.device, row.key), key: piece(row.key, row.label),
                label: piece(row.label, row.extras), extras: piece(row.extras, row.body), body: piece(row.body, row.end)
            )
        }
        row.reference = numbers.reference
        row.flag = event.flag ? 1 : 0
        rows.append(row)
        if bytes.count >= NewRows.bytesMax { try store() }
    }

    /// Stores what was added, in the current transaction.
    func store() throws {
        guard !rows.isEmpty else { return }
        try rows.withUnsafeBufferPointer { rows in
            try bytes.withUnsafeBufferPointer { bytes in
                source.pointee = roost_new_rows(
                    rows: rows.baseAddress,
                    bytes: bytes.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) },
                    count: Int32(clamping: rows.count))
                defer { source.pointee = roost_new_rows() }
                try insert.run()
            }
        }
        rows.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    private func add(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }
}
