import RoostCore
import RoostWire

/// Rows of users who have left for good: without the name of the device, and with a hash instead of the key. For the
/// writer and in its transaction.
struct DepartedRows {
    private let writer: SQLiteWriter

    init(_ writer: SQLiteWriter) { self.writer = writer }

    /// Looks through the next rows of the log for such ones. Returns whether there may be more.
    func clean(_ limit: Int) throws -> Bool {
        let departures = writer.directory.departures
        guard !departures.leaving.isEmpty else { return false }
        var (found, looked, last) = ([Int64](), 0, departures.reached)
        func isEnough() -> Bool { looked >= limit || found.count >= writer.bounds.departedRowsChanged }
        try writer.log.walk(above: last, upTo: writer.log.head) { row in
            (looked, last) = (looked + 1, row.position)
            if departures.leaving.contains(row.sender), row.hasTraces { found.append(row.position) }
            return !isEnough()
        } damaged: { position in
            (looked, last) = (looked + 1, position)
            return !isEnough()
        }
        for position in found {
            // One that is damaged is left as it is.
            guard case .row(let row) = try writer.log.find(at: position) else { continue }
            try removeTraces(from: row)
        }
        writer.directory.departures.note(reached: last)
        if !isEnough() { try writer.directory.departures.finish() }
        return true
    }

    /// Removes the name of the device from a row, and the key but for its hash.
    func removeTraces(from row: LogRow) throws {
        var row = row
        row.event.device = ""
        if row.hasKeyInClear {
            let keys = writer.indexer.keys
            row.event.key = ErasedKey.text(keys.hash(of: row.event.key, by: row.event.sender.value))
        }
        try writer.editor.replace(row)
        writer.checkpoints.erasedTexts.note()
        writer.log.noteChange(at: row.event.position.value)
    }

    /// An event as it is stored.
    func stored(_ event: Append, keyHash: UInt64?) -> Append {
        guard writer.directory.departures.contains(event.sender.value) else { return event }
        var event = event
        event.device = ""
        if let keyHash { event.key = ErasedKey.text(keyHash) }
        return event
    }
}
