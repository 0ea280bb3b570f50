/// When the write-ahead log is copied into the database. In WAL frames, of a page each.
enum CheckpointPolicy {
    /// 16 MiB: a commit copies first. It takes some 20 ms on an SSD, every 50,000 messages or so.
    static let frames = 4_096
    /// 4 MiB: an idle writer copies, so that a commit rarely has to.
    static let idleFrames = 1_024
    /// How much more is written before the next try when a reader kept the WAL from beginning anew.
    static let retryFrames = 1_024
    /// 64 MiB: the writer waits for the reader to finish its page, so that the WAL can begin anew. This bounds it.
    static let framesMax = 16_384
}
