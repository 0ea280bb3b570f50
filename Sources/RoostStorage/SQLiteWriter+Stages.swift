import RoostWire

/// Stages: rows that left the active part of the tail, but not yet for the event index. With many conversations that
/// dirties a page or two for each of them, however few of its rows come; so they wait in memory until there are more,
/// and are written down one after the other, that a start needn't read their part of the log again. Used inside the
/// writer's transactions, and at start.
extension SQLiteWriter {
    /// Removes what a killed merge left: its rows are read from the log again.
    func dropUnfinishedStage(above floor: Int64) throws {
        let unfinished = try database.prepare("DELETE FROM event_stage WHERE up_to > ?1")
        unfinished.bind(1, floor)
        try unfinished.run()
    }

    /// Brings the stages back into memory, as parts of the tail.
    func readStages() throws {
        let query = try database.prepare(
            "SELECT up_to, conversation, before, position, rows FROM event_stage ORDER BY number")
        var stage: Int64?
        while try query.step() {
            if let stage, stage != query.int64(0) { _ = tail.freeze() }
            stage = query.int64(0)
            let conversation = query.int32(1)
            let rows = EventRows(before: query.int64(2), position: query.int64(3), bytes: query.bytes(4))
            tail.add(rows.map { (conversation, $0) })
        }
        if stage != nil { _ = tail.freeze() }
    }
}
