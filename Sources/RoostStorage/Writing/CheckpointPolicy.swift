/// When the write-ahead log is copied into the database. In WAL frames, of a page each. Simulations make them small.
struct CheckpointPolicy: Sendable {
    /// 8 MiB, some 18,000 messages: the checkpointer copies.
    var frames = 2_048
    /// 4 MiB: it copies when the writer is idle.
    var idleFrames = 1_024
    /// 512 KiB: if no more was written during a pass of the checkpointer, the next commit copies it and the WAL begins
    /// anew, which takes some milliseconds on an SSD. If more was, there is another pass.
    var restFrames = 128
    /// 16 MiB: a commit copies what is left, however much, since the passes don't catch up with the writer. This bounds
    /// the file, unless a reader is in the way, and with it what a start reads after a kill.
    var framesBound = 4_096
    /// How much more is written before the next try when a reader kept the WAL from beginning anew.
    var retryFrames = 1_024
    /// 64 MiB: the commit also waits for readers, for some milliseconds, which suffices for a page of the relay's own.
    /// A reader of another program that stays lets the file grow; an operator is told.
    var framesLong = 16_384
}
