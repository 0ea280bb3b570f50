/// Sizes that decide when the indexes are written and how much one transaction does. Tests use small ones.
struct StorageBounds: Sendable {
    /// If there are more rows than this, commits merge some of them. Reading this many again at start takes about 0.2
    /// s, and merging this many together lets them share the dirtied pages.
    var tailRows = 112_000
    /// An idle writer leaves fewer unindexed rows than this alone.
    var idleRows = 28_000
    /// Index entries that an idle writer merges in one transaction. A batch that arrives meanwhile waits for it.
    var idleEntries = 4_096
    /// Index entries that a commit merges for each of its own rows. A part has at most three entries for each row (key,
    /// row, conversation): with four, the merge ends before the same number of rows has gathered again.
    var entriesPerRow = 4
    /// Keys stay in memory until there are so many, or until a start would have to read so many rows again for them: a
    /// repeated key is looked for in each part of a generation.
    var keysPerPart = 1 << 16
    var rowsPerPart = 1 << 17
    /// Keys of one generation of the key index, and its most parts if they are small. A look-up asks one filter for
    /// each generation. With two million, 10^8 keys have 48 filters of 6 MiB.
    var keysPerGeneration = 1 << 21
    var partsPerGeneration: Int64 = 128
    /// Newest rows from which a start learns who wrote, and has therefore read, what. Watermarks are stored within 250
    /// ms of a message, or a little later under load: this is several seconds of the highest load. Reading them takes
    /// about 0.1 s.
    var watermarkRows: Int64 = 131_072
    /// Frames that are reserved in the WAL from the start if commits are synced: its full size unless a reader keeps it
    /// longer. Writing 16 MiB of zeros takes about 20 ms at start.
    var reservedFrames = CheckpointPolicy().framesBound
    /// When the WAL is copied into the database.
    var checkpoints = CheckpointPolicy()
    /// Texts that were erased or replaced may be in the write-ahead log for so many milliseconds. Then it is emptied,
    /// which takes a commit some 30 ms if commits are synced. The second is the time to the next attempt if a reader
    /// is in the way.
    var erasedMilliseconds: Int64 = 300_000
    var erasedRetryMilliseconds: Int64 = 5_000
    /// The same of messages that disappear, which are to be gone a minute after their time.
    var disappearedMilliseconds: Int64 = 30_000
    /// Rows of erased conversations removed by one commit, and by one idle turn.
    var erasedRowsPerCommit = 32
    var erasedRowsWhenIdle = 512
    /// Rows that a commit looks at beside as many as it has itself, and those that one idle turn looks at, for messages
    /// that the operator doesn't want to keep any longer; both stop after so many bytes of bodies, which takes a few
    /// milliseconds. After so many milliseconds without one it looks again.
    var expiredRowsPerCommit = 32
    var expiredRowsWhenIdle = 512
    var expiredBytes = 1 << 20
    var expiryMilliseconds: Int64 = 60_000
    /// Rows that a commit, and an idle turn, look at for those of users who have left for good, and how many of them
    /// they change. Looking at a row takes about a microsecond, changing one some 20.
    var departedRowsPerCommit = 128
    var departedRowsWhenIdle = 8_192
    var departedRowsChanged = 128
    /// Different reactions that history shows for one message, the most frequent ones. The protocol limits them only
    /// for each user, and a message with thousands of reactions must not fill a page.
    var reactionsShown = 64
    /// Attempts to answer one question. A second one is needed only if the writer finished a merge during the first.
    var readAttempts = 8
    /// After SQLite found no room: for so many milliseconds nothing is tried again. A quota isn't seen in any other
    /// way, and a failed attempt costs a few tenths of a second, because the writer begins anew.
    var fullMilliseconds: Int64 = 5_000
    /// At a start, the rows that are read again may be as many times as long as the tail if the disk is too full to
    /// index them. They take 40 bytes each in memory.
    var fullTails = 16
    /// Different notices that are remembered, so that each is reported once. A disk that fails slowly damages many
    /// rows; above this number a notice may be reported again.
    var noticesRemembered = 1_024
    /// Milliseconds after which a repeated failure is reported again.
    var noticeAgainMilliseconds: Int64 = 60_000
    /// While another program is in the way: the milliseconds of one attempt, after which the writer looks whether it
    /// has to stop; and those before the first report to the operator.
    var lockMilliseconds: Int32 = 250
    var noticeMilliseconds: Int64 = 5_000
}

extension StorageBounds {
    /// Bounds for simulations: a few hundred rows reach what otherwise takes millions.
    static let simulated = StorageBounds(
        tailRows: 40, idleRows: 10, idleEntries: 16, entriesPerRow: 4, keysPerPart: 30, rowsPerPart: 60,
        keysPerGeneration: 100, partsPerGeneration: 5, reservedFrames: 24,
        checkpoints: CheckpointPolicy(
            frames: 16, idleFrames: 12, restFrames: 4, framesBound: 48, retryFrames: 12, framesLong: 160),
        erasedMilliseconds: 20_000, erasedRetryMilliseconds: 2_000, erasedRowsPerCommit: 2, erasedRowsWhenIdle: 8)
}
