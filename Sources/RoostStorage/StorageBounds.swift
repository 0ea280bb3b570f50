/// Sizes that decide when the indexes catch up, and how much one transaction does. Tests make them small.
struct StorageBounds: Sendable {
    /// Rows above which commits merge some of them themselves. That many are read again at start in about 0.2 s, and
    /// so many at once share the pages that a merge dirties.
    var tailRows = 112_000
    /// Unindexed rows below which an idle writer leaves them.
    var idleRows = 28_000
    /// Index entries that an idle writer merges in one transaction: a batch that arrives meanwhile waits for it.
    var idleEntries = 4_096
    /// Index entries that a commit merges per row of its own. A part has a key, a row and at worst a conversation for
    /// each of its rows: with four the merge ends before as many rows again have gathered.
    var entriesPerRow = 4
    /// Keys of a generation of the key index. A look-up asks a filter for each generation, and a merge dirties at most
    /// all pages of the newest one; with two million, 10^8 keys have 48 filters of 5 MiB.
    var keysPerGeneration = 1 << 21
    /// Frames that the WAL has room for from the start, where commits are synced: all that it has without a reader in
    /// the way. 16 MiB of zeros take some 20 ms at start.
    var reservedFrames = CheckpointPolicy().framesBound
    /// When the WAL is copied.
    var checkpoints = CheckpointPolicy()
    /// Rows of erased conversations that a commit, and an idle turn, removes.
    var erasedRowsPerCommit = 32
    var erasedRowsWhenIdle = 512
    /// Times that a commit tries to begin while another program has the write lock, and milliseconds of each.
    var lockAttempts = 12
    var lockMilliseconds: Int32 = 5_000
}

extension StorageBounds {
    /// For simulations: a few hundred rows go through all that else takes millions.
    static let simulated = StorageBounds(
        tailRows: 40, idleRows: 10, idleEntries: 16, entriesPerRow: 4, keysPerGeneration: 100, reservedFrames: 24,
        checkpoints: CheckpointPolicy(
            frames: 16, idleFrames: 12, restFrames: 4, framesBound: 48, retryFrames: 12, framesLong: 160),
        erasedRowsPerCommit: 2, erasedRowsWhenIdle: 8)
}
