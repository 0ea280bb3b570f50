/// Sizes that decide when the indexes catch up. Tests make them small.
struct StorageBounds: Sendable {
    /// Unindexed rows above which commits merge some of them themselves: 56,000 of them take about 10 MB, and are read
    /// again at start in about 0.2 s. The larger, the fewer pages a merged row dirties. So many keys, and four or
    /// sixteen times as many, fill blocks of 219 keys.
    var tailRows = 56_000
    /// Unindexed rows below which an idle writer leaves them. A merge dirties a page for each conversation, so the more
    /// rows of one are merged at once, the less a row costs; and a writer that waits for the next batch of a busy relay
    /// isn't idle. So many keys fill half pages.
    var idleRows = 28_000
    /// Index entries that an idle writer merges in one transaction: a batch that arrives meanwhile waits for it.
    var idleEntries = 4_096
    /// Index entries that a commit merges per row of its own. A row has two, and at worst a conversation's: with four
    /// the merge ends before as many rows again have gathered.
    var entriesPerRow = 4
    /// Keys of a block, as it is planned: a page holds 253, and the number varies by fifteen.
    var keysPerBlock = 224
    /// Keys that a commit moves to larger runs per row of its own. Each is moved once a level: four times among ten
    /// million rows, eight times among three thousand million.
    var movedKeysPerRow = 8
    /// Keys that a commit, and an idle turn, reads from the index into the filter after a start: 0.1 and 5 ms.
    var filterKeysPerCommit = 512
    var filterKeysWhenIdle = 32_768
    /// Rows of erased conversations that a commit, and an idle turn, removes.
    var erasedRowsPerCommit = 32
    var erasedRowsWhenIdle = 512
}
