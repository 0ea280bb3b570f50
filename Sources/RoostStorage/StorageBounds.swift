/// Sizes that decide when the indexes catch up. Tests make them small.
struct StorageBounds: Sendable {
    /// Rows above which commits merge some of them themselves: 112,000 are read again at start in about 0.15 s. Most of
    /// these merges only stage the rows. So many keys, and eight or 64 times as many, fill blocks of 219 keys.
    var tailRows = 112_000
    /// So many parts of the tail gather before their rows go into the event index, which dirties two or three pages for
    /// each conversation. With the parts that come meanwhile there are at most half a million rows, which take 20 MB.
    var stages = 3
    /// Unindexed rows below which an idle writer leaves them. So many keys fill their blocks as well; eight such runs
    /// make one of twice the size that a busy writer begins with.
    var idleRows = 28_000
    /// Index entries that an idle writer merges in one transaction: a batch that arrives meanwhile waits for it.
    var idleEntries = 4_096
    /// Index entries that a commit merges per row of its own. A part has a key, a row and at worst a conversation for
    /// each of its rows, and the rows of its stages: with six the merge ends before as many rows again have gathered.
    var entriesPerRow = 6
    /// Keys of a block, as it is planned: a page holds 253, and the number varies by fifteen.
    var keysPerBlock = 224
    /// Keys that a commit moves to larger runs per row of its own. Each is moved once a level: twice among ten million
    /// rows, five times among three thousand million.
    var movedKeysPerRow = 6
    /// Keys that a commit, and an idle turn, reads from the index into the filter after a start: 0.4 and 5 ms.
    var filterKeysPerCommit = 2_048
    var filterKeysWhenIdle = 32_768
    /// Frames that the WAL has room for from the start, where commits are synced: all that it has without a reader in
    /// the way. 16 MiB of zeros take some 20 ms at start.
    var reservedFrames = CheckpointPolicy().framesBound
    /// When the WAL is copied.
    var checkpoints = CheckpointPolicy()
    /// Rows of erased conversations that a commit, and an idle turn, removes.
    var erasedRowsPerCommit = 32
    var erasedRowsWhenIdle = 512
}

extension StorageBounds {
    /// For simulations: a few hundred rows go through all that else takes millions.
    static let simulated = StorageBounds(
        tailRows: 40, stages: 2, idleRows: 10, idleEntries: 16, entriesPerRow: 6, keysPerBlock: 16, movedKeysPerRow: 4,
        filterKeysPerCommit: 16, filterKeysWhenIdle: 64, reservedFrames: 24,
        checkpoints: CheckpointPolicy(
            frames: 16, idleFrames: 12, restFrames: 4, framesBound: 48, retryFrames: 12, framesMax: 160),
        erasedRowsPerCommit: 2, erasedRowsWhenIdle: 8)
}
