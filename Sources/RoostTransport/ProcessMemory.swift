internal import CLibwebsockets

/// How the process gets its memory from the system. It has no state; called once, before there are threads.
public enum ProcessMemory {
    // Far above what one turn, batch or page takes anew, far below the tables of ten thousand sessions.
    private static let mappedBytes: Int32 = 262_144

    /// Gives large tables memory of their own, which goes back to the system with them. glibc does that by itself only
    /// until the first of them has gone: then it puts others of that size among the small blocks, and each time that
    /// thousands of clients come back the holes lie elsewhere and the heap grows a little.
    public static func keepLargeBlocksApart() { _ = mallopt(M_MMAP_THRESHOLD, mappedBytes) }
}
