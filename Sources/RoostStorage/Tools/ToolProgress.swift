/// The progress of a command. Reported on the thread of the command, at least a few times a second.
public struct ToolProgress: Sendable {
    /// The step: one word for a line on the terminal.
    public var step: String
    /// Units that are done.
    public var done: Int64
    /// Total of the step; 0 if it is unknown.
    public var total: Int64

    /// Receives the progress.
    public typealias Report = @Sendable (ToolProgress) -> Void

    init(_ step: String, _ done: Int64, of total: Int64) {
        self.step = step
        self.done = done
        self.total = total
    }
}
