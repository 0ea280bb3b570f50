import CSQLite
import RoostCore

/// When the WAL is copied, and by whom: mostly by the checkpointer, its last part by a commit. Runs on the writer's
/// thread. Without a file there is no checkpointer and nothing to copy.
extension SQLiteWriter {
    /// Before a commit. Under continuous load this is the only place.
    func checkpointIfLong() throws {
        let frames = database.framesInWAL
        guard let checkpointer, !isClosed, !isPoisoned, frames >= bounds.checkpoints.frames else { return }
        try poisoning {
            let isAtBound = frames >= max(bounds.checkpoints.framesBound, triedFrames + bounds.checkpoints.retryFrames)
            if try checkpointer.isBusy(), !isAtBound { return }
            try checkpointer.wait()
            let isRestSmall = wasPassed && frames - copiedFrames <= bounds.checkpoints.restFrames
            guard isAtBound || isRestSmall else {
                return try begin(after: wasPassed ? bounds.checkpoints.restFrames : bounds.checkpoints.frames)
            }
            let isLong = frames >= bounds.checkpoints.framesMax
            _ = try database.checkpoint(isLong ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE)
            note(frames)
            triedFrames = frames
        }
    }

    /// When there is nothing else to do.
    func checkpointWhenIdle() throws {
        guard !isClosed, !isPoisoned else { return }
        try poisoning { try begin(after: bounds.checkpoints.idleFrames) }
    }

    /// Whether the checkpointer was at work since a commit copied the rest, or since the WAL began anew.
    private var wasPassed: Bool { copiedFrames > triedFrames }

    /// Begins a pass if so much was written since the last one.
    private func begin(after least: Int) throws {
        let frames = database.framesInWAL
        guard let checkpointer, frames >= copiedFrames + least, try !checkpointer.isBusy() else { return }
        checkpointer.begin()
        note(frames)
    }

    /// After a commit: SQLite begins the WAL anew when all of it is copied and no reader needs it.
    func noteFrames() {
        guard database.framesInWAL < copiedFrames else { return }
        copiedFrames = 0
        triedFrames = 0
    }

    private func note(_ frames: Int) {
        copiedFrames = frames
        gauges.update { $0.checkpoints += 1 }
    }

    private func poisoning(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            poison()
            throw error
        }
    }
}
