import CSQLite
import RoostCore

extension SQLiteWriter: IdleLogWriter {
    /// Does one piece of what can wait: fills the filter, merges a slice of the tail or of runs, removes rows of an
    /// erased conversation, or copies the WAL. Returns whether there may be more. A piece takes some milliseconds.
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
            if database.framesInWAL >= copiedFrames + CheckpointPolicy.idleFrames { try checkpoint() }
            return false
        }
    }

    /// Before a commit: copies the WAL if it has grown long. Under continuous load this is the only place.
    func checkpointIfLong() throws {
        let due = max(CheckpointPolicy.frames, copiedFrames + CheckpointPolicy.retryFrames)
        guard !isClosed, !isPoisoned, database.framesInWAL >= due else { return }
        try checkpoint()
    }

    /// After a commit: SQLite begins the WAL anew when all of it is copied and no reader needs it.
    func noteFrames() {
        if database.framesInWAL < copiedFrames { copiedFrames = 0 }
    }

    private func checkpoint() throws {
        let frames = database.framesInWAL
        do {
            let isLong = frames >= CheckpointPolicy.framesMax
            _ = try database.checkpoint(isLong ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE)
        } catch {
            poison()
            throw error
        }
        copiedFrames = frames
        gauges.update { $0.checkpoints += 1 }
    }
}
