/// Sizes that decide when the indexes catch up. Tests make them small.
struct StorageBounds: Sendable {
    /// Unindexed rows above which commits merge some of them themselves: 112,000 of them take about 20 MB, and are read
    /// again at start in about 0.15 s. A merge dirties a page or two for each conversation, so the more rows of one are
    /// merged at once, the less a row costs. So many keys, and eight or 64 times as many, fill blocks of 219 keys.
    var tailRows = 112_000
    /// Unindexed rows below which an idle writer leaves them. So many keys fill their blocks as well; eight such runs
    /// make one of twice the size that a busy writer begins with.
    var idleRows = 28_000
    /// Index entries that an idle writer merges in one transaction: a batch that arrives meanwhile waits for it.
    var idleEntries = 4_096
    /// Index entries that a commit merges per row of its own. A row has two, and at worst a conversation's: with four
    /// the merge ends before as many rows again have gathered.
    var entriesPerRow = 4
    /// Keys of a block, as it is planned: a page holds 253, and the number varies by fifteen.
    var keysPerBlock = 224
    /// Keys that a commit moves to larger runs per row of its own. Each is moved once a level: twice among ten million
    /// rows, five times among three thousand million.
    var movedKeysPerRow = 6
    /// Keys that a commit, and an idle turn, reads from the index into the filter after a start: 0.4 and 5 ms.
    var filterKeysPerCommit = 2_048
    var filterKeysWhenIdle = 32_768
    /// Rows of erased conversations that a commit, and an idle turn, removes.
    var erasedRowsPerCommit = 32
    var erasedRowsWhenIdle = 512
}
