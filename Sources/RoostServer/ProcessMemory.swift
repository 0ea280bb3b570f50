import CMalloc

/// The settings of the process's memory allocator. Called once, before there are other threads.
enum ProcessMemory {
    // Far more than one turn, batch or page allocates; far less than the tables of ten thousand sessions.
    private static let mappedBytes: Int32 = 262_144

    /// Gives large tables memory mappings of their own, which return to the system when a table is freed. By default
    /// glibc does that only until the first such table is freed. Later tables of that size then go between small
    /// blocks, and each time that thousands of clients reconnect, the heap fragments and grows a little.
    static func keepLargeBlocksApart() { _ = mallopt(M_MMAP_THRESHOLD, mappedBytes) }
}
