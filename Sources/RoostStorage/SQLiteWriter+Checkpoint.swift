import CSQLite
import RoostCore

/// When the WAL is copied, and by whom: mostly by the checkpointer, its last part by a commit. Runs on the writer's
/// thread. Without a file there is no checkpointer and nothing to copy.
extension SQLiteWriter {
    /// Before a commit. Under continuous load this is the only place.
    func checkpointIfLong() throws {
        let frames = database.framesInWAL
        guard let checkpointer, !isClosed, !isPoisoned, frames >= CheckpointPolicy.frames else { return }
        try poisoning {
            let isAtBound = frames >= max(CheckpointPolicy.framesBound, triedFrames + CheckpointPolicy.retryFrames)
            if try checkpointer.isBusy(), !isAtBound { return }
            try checkpointer.wait()
            let isRestSmall = wasPassed && frames - copiedFrames <= CheckpointPolicy.restFrames
            guard isAtBound || isRestSmall else {
                return try begin(after: wasPassed ? CheckpointPolicy.restFrames : CheckpointPolicy.frames)
            }
            let isLong = frames >= CheckpointPolicy.framesMax
            _ = try database.checkpoint(isLong ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE)
            note(frames)
            triedFrames = frames
        }
    }

    /// When there is nothing else to do.
    func checkpointWhenIdle() throws {
        guard !isClosed, !isPoisoned else { return }
        try poisoning { try begin(after: CheckpointPolicy.idleFrames) }
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
