/// Remembers when a text was erased or replaced: its old form stands in the write-ahead log until that is emptied. On
/// the writer's thread.
struct ErasedTexts {
    private let clock: () -> Int64
    private let bounds: StorageBounds
    /// When to empty the log, in monotonic milliseconds; nil if nothing was erased since.
    private var dueAt: Int64?

    /// `isSomethingLeft`: whether the log may hold texts that another process has erased.
    init(clock: @escaping () -> Int64, bounds: StorageBounds, isSomethingLeft: Bool) {
        self.clock = clock
        self.bounds = bounds
        if isSomethingLeft { note() }
    }

    /// A text was erased or replaced.
    mutating func note() {
        if dueAt == nil { dueAt = clock() + bounds.erasedMilliseconds }
    }

    /// Whether the log has to be emptied now.
    var isDue: Bool {
        guard let dueAt else { return false }
        return clock() >= dueAt
    }

    /// The log was emptied, or a reader was in the way.
    mutating func tried(isEmpty: Bool) {
        dueAt = isEmpty ? nil : clock() + bounds.erasedRetryMilliseconds
    }
}
