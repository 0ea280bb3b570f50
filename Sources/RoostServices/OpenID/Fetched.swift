/// A fetched value, its lifetime, and whether it may be fetched again. Pure: the time is handed in, in milliseconds.
struct Fetched<Value: Sendable>: Sendable {
    private let bounds: OpenIDBounds
    private var value: Value?
    private var time: Int64 = 0
    private var paused: Int64?

    init(_ bounds: OpenIDBounds) { self.bounds = bounds }

    /// The value, as long as there is no need for another.
    func fresh(now: Int64) -> Value? { value(youngerThan: bounds.cacheSeconds, now) }

    /// The value, as long as it is better than none.
    func stale(now: Int64) -> Value? { value(youngerThan: bounds.staleSeconds, now) }

    // A clock that was set back makes it old.
    private func value(youngerThan seconds: Int64, _ now: Int64) -> Value? {
        (0..<seconds * 1_000).contains(now - time) ? value : nil
    }

    /// Whether it may be fetched.
    func mayFetch(now: Int64) -> Bool {
        paused.map { !(0..<bounds.pauseSeconds * 1_000).contains(now - $0) } ?? true
    }

    /// Has no other fetch begin for a while.
    mutating func pause(now: Int64) { paused = now }

    /// Takes what was fetched; nil if that failed.
    mutating func take(_ fetched: Value?, now: Int64) {
        guard let fetched else { return pause(now: now) }
        value = fetched
        time = now
    }
}
