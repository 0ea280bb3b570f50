import RoostCore

extension SQLiteWriter: IdleLogWriter {
    /// Does one piece of what can wait: fills the filter, merges a slice of the tail or of runs, removes rows of an
    /// erased conversation, or has the WAL copied. Returns whether there may be more. A piece takes some milliseconds.
    /// Throws as `commit` does.
    public func maintain() throws -> Bool {
        guard !isClosed, !isPoisoned else { return false }
        return try turn.take {
            defer { measure() }
            // First of all: until it is filled, new keys are looked for in every run.
            if filter.next != nil { return try transact { try fillFilter(keys: bounds.filterKeysWhenIdle) } }
            if try mergeWhenIdle() { return true }
            if index.isMoving {
                try transact { try index.move(keys: bounds.idleEntries) }
                return true
            }
            if !erasures.isEmpty {
                if try transact({ try purge(rows: bounds.erasedRowsWhenIdle) }) { return true }
                // It waits for the index.
                if try mergeWhenIdle(isForced: true) { return true }
            }
            try checkpointWhenIdle()
            return false
        }
    }
}
