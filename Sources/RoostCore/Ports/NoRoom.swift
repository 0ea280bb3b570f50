/// Thrown by a log that has no room for a batch: the disk is full. Nothing of the batch is stored, nothing else is
/// lost, and the log goes on. The same batch may be stored later.
public struct NoRoom: Error, Sendable {
    /// Creates the error.
    public init() {}
}
