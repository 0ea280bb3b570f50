/// When a request is tried again: after a random time from a range that doubles ("full jitter"), so that those who lost
/// the same server don't come back together, or when the server has said. Pure.
struct RetryTimes: Sendable {
    private let bounds: OutgoingBounds
    private var tries = 0

    init(_ bounds: OutgoingBounds) { self.bounds = bounds }

    /// The upper end of the next wait's range.
    var range: Duration {
        var range = bounds.firstWait
        for _ in 0..<tries where range < bounds.longestWait { range *= 2 }
        return min(range, bounds.longestWait)
    }

    /// The wait before the next try; nil if there is none, because enough were made, or because the remaining time
    /// would be over.
    /// - Parameters:
    ///   - elapsed: the time since the first try began.
    ///   - asked: the server's wish (`Retry-After`).
    mutating func next(
        elapsed: Duration, asked: Duration?, _ generator: inout some RandomNumberGenerator
    ) -> Duration? {
        guard tries + 1 < bounds.tries else { return nil }
        let jitter = range * Double.random(in: 0...1, using: &generator)
        // All who were refused in the same second got the same number: they come after it, and spread.
        let wait = asked.map { $0 + jitter } ?? jitter
        guard elapsed + wait < bounds.allTries else { return nil }
        tries += 1
        return wait
    }
}
