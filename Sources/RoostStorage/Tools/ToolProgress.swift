/// How far a command has come. Called on the thread of the command, at least a few times a second.
public struct ToolProgress: Sendable {
    /// What is being done: one word for a line on the terminal.
    public var step: String
    /// Units that are done.
    public var done: Int64
    /// Of how many; 0 where nobody knows.
    public var total: Int64

    /// Whoever wants to know.
    public typealias Report = @Sendable (ToolProgress) -> Void

    init(_ step: String, _ done: Int64, of total: Int64) {
        self.step = step
        self.done = done
        self.total = total
    }
}
