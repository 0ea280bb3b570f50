/// When the write-ahead log is copied into the database. Counted in WAL frames, one for each page. Simulations use
/// small numbers.
struct CheckpointPolicy: Sendable {
    /// 8 MiB, some 28,000 messages: the checkpointer copies.
    var frames = 1_024
    /// 4 MiB: the checkpointer copies if the writer is idle.
    var idleFrames = 512
    /// 512 KiB: if at most this much was written during a pass of the checkpointer, the next commit copies it and the
    /// WAL starts anew, which takes a few milliseconds on an SSD. Otherwise another pass follows.
    var restFrames = 64
    /// 16 MiB: a commit copies all that is left, because the passes can't keep up with the writer. This limits the
    /// file, unless a reader is in the way, and so also what is read at a start after a kill.
    var framesBound = 2_048
    /// Frames to write before the next attempt if a reader kept the WAL from starting anew.
    var retryFrames = 512
    /// 64 MiB: the commit also waits a few milliseconds for readers, long enough for a page of the relay's own reader.
    /// A reader in another program may stay longer and let the file grow; this is reported to the operator.
    var framesLong = 8_192
    /// 4 GiB: commits wait until that reader is done. Otherwise it would fill the disk, and that ends the relay.
    var framesMax = 524_288
}
