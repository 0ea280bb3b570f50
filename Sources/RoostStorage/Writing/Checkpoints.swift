import CSQLite

/// Decides when the write-ahead log is copied into the database, and whether the checkpointer or a commit does it:
/// mostly the checkpointer, the last part a commit. On the writer's thread. A store without a file has no checkpointer
/// and nothing to copy.
final class Checkpoints {
    private let database: Database
    let checkpointer: Checkpointer?
    private let policy: CheckpointPolicy
    private let gauges: Gauges
    private let reporter: StorageReporter
    private let foreign: ForeignWait
    /// Frames for which the file has room from its beginning.
    private let reservedFrames: Int
    /// Frames of the WAL that were copied last; 0 after it starts anew.
    private var copiedFrames = 0
    /// Frames at the last time a commit copied everything; 0 after the WAL starts anew.
    private var triedFrames = 0
    /// Frames at which the growth of the WAL is reported to the operator; each time twice as many.
    private var noticeFrames: Int
    /// Texts whose old form may still be in the write-ahead log.
    var erasedTexts: ErasedTexts

    init(
        _ database: Database, _ checkpointer: Checkpointer?, policy: CheckpointPolicy, gauges: Gauges,
        reporter: StorageReporter, foreign: ForeignWait, reservedFrames: Int, erasedTexts: ErasedTexts
    ) {
        self.erasedTexts = erasedTexts
        self.reservedFrames = reservedFrames
        self.foreign = foreign
        noticeFrames = policy.framesLong
        self.policy = policy
        self.database = database
        self.checkpointer = checkpointer
        self.gauges = gauges
        self.reporter = reporter
    }

    /// Called before a transaction. Under continuous load this is the only call.
    func beforeCommit() throws {
        try copyIfDue()
        try emptyIfDue()
    }

    private func copyIfDue() throws {
        let frames = lookAtWAL()
        guard let checkpointer, frames >= policy.frames else { return }
        let isAtBound = frames >= max(policy.framesBound, triedFrames + policy.retryFrames)
        if try checkpointer.isBusy(), !isAtBound { return }
        try checkpointer.wait()
        let isRestSmall = wasPassed && frames - copiedFrames <= policy.restFrames
        guard isAtBound || isRestSmall else {
            return try begin(after: wasPassed ? policy.restFrames : policy.frames)
        }
        let isLong = frames >= policy.framesLong
        let isDone = try database.checkpoint(isLong ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE)
        if isLong, !isDone { try holdBack(frames) }
        note(frames)
        triedFrames = frames
    }

    /// A reader keeps the WAL from starting anew. The relay's own ones are done in a moment.
    private func holdBack(_ frames: Int) throws {
        let megabytes = Database.walBytes(frames: frames) >> 20
        if frames >= noticeFrames {
            noticeFrames = frames * 2
            reporter.note(
                .foreignProgram,
                "a reader, most likely of another program, keeps the write-ahead log growing: it has \(megabytes) MiB")
        }
        guard frames >= policy.framesMax else { return }
        try foreign.until("reads an old state of the store, and the write-ahead log has \(megabytes) MiB") {
            try database.checkpoint(SQLITE_CHECKPOINT_RESTART, waiting: database.lockTimeout)
        }
    }

    /// Returns the frames in the WAL, and notes if SQLite has started it anew, as it does when all of it was copied and
    /// no reader needs it.
    private func lookAtWAL() -> Int {
        let frames = database.framesInWAL
        if frames < copiedFrames { afterEmptying() }
        return frames
    }

    private func afterEmptying() {
        copiedFrames = 0
        triedFrames = 0
        noticeFrames = policy.framesLong
    }

    /// Empties the write-ahead log if erased texts have been in it for long enough.
    private func emptyIfDue() throws {
        guard erasedTexts.isDue else { return }
        let isEmpty = try empty()
        erasedTexts.tried(isEmpty: isEmpty)
        if !isEmpty {
            reporter.note(.foreignProgram, "a reader of another program keeps erased texts in the write-ahead log")
        }
    }

    /// Empties the write-ahead log, so that nothing older than the database itself is left in it. Returns false if a
    /// reader is in the way.
    private func empty() throws -> Bool {
        guard let checkpointer else { return true }
        try checkpointer.wait()
        guard try database.emptyWAL() else { return false }
        try reserve()
        note(0)
        afterEmptying()
        return true
    }

    /// Gives the write-ahead log its usual length.
    func reserve() throws {
        if reservedFrames > 0 { try database.reserveWAL(frames: reservedFrames) }
    }

    /// Whether the write-ahead log may grow by work that can wait. If a reader of another program holds it back, it is
    /// left to commits, which would have to wait for that reader at `framesMax`.
    var hasRoomForIdleWork: Bool { database.framesInWAL < policy.framesLong }

    /// Called when there is nothing else to do, or no room for it.
    func whenIdle() throws {
        if !hasRoomForIdleWork { erasedTexts.hasten() }
        try begin(after: policy.idleFrames)
        try emptyIfDue()
    }

    /// Called when there is room again. A pass that began before may have found none; what it has left is copied by the
    /// next one. Throws any other error of it.
    func forgetFull() throws {
        do { try wait() } catch let failure as StorageFailure where failure.isFull { copiedFrames = 0 }
    }

    /// Waits for the running pass. Throws its error if it failed.
    func wait() throws { try checkpointer?.wait() }

    func stop() { checkpointer?.stop() }

    /// Whether the checkpointer has run since a commit copied the rest or the WAL started anew.
    private var wasPassed: Bool { copiedFrames > triedFrames }

    /// Begins a pass if enough has been written since the last one.
    private func begin(after least: Int) throws {
        let frames = lookAtWAL()
        guard let checkpointer, frames >= copiedFrames + least, try !checkpointer.isBusy() else { return }
        checkpointer.begin()
        note(frames)
    }

    private func note(_ frames: Int) {
        copiedFrames = frames
        gauges.update { $0.checkpoints += 1 }
    }
}
