/// The part of the write-ahead log behind the one that SQLite accepts. After a kill or a power cut, SQLite reads the
/// log up to the first frame that isn't whole, and drops the rest without a word (sqlite.org/walformat.html, section
/// 4.4). A power cut leaves such a frame only in the last commit, which was never acked: the next one isn't written
/// before that one is synced. Frames written after it show that the frame was damaged later, and that acked commits are
/// lost.
enum WALTail {
    /// Nothing of this run of the log.
    case clean
    /// A commit that was cut short.
    case torn
    /// Commits that had been synced.
    case lost

    /// Reads the log of a connection that has read from its database and written nothing.
    init(of database: Database) throws {
        guard let log = try WALFile(of: database), let salts = log.salts else {
            self = .clean
            return
        }
        var frame = 0
        var sums = salts.checksum
        while frame < log.frames, let next = try log.checksum(of: frame, after: sums) {
            sums = next
            frame += 1
        }
        self = .clean
        // The end of the commit that isn't whole, once it is found.
        var isEnded = false
        while frame < log.frames {
            let header = try log.header(of: frame)
            frame += 1
            // Frames from before the log last started over have other salts.
            guard header.salts == salts.values else { continue }
            guard !isEnded else {
                self = .lost
                return
            }
            self = .torn
            isEnded = header.isCommit
        }
    }
}
