/// How long to wait before the next try: a random time from a range that doubles ("full jitter"), so that clients that
/// lost the same server don't come back together. Pure.
struct Backoff: Sendable {
    let first: Duration
    let most: Duration
    private(set) var tries = 0

    init(first: Duration, most: Duration) {
        self.first = first
        self.most = most
    }

    /// The end of the range of the next wait.
    var range: Duration {
        var range = first
        for _ in 0..<tries where range < most { range *= 2 }
        return min(range, most)
    }

    mutating func next(_ generator: inout some RandomNumberGenerator) -> Duration {
        let part = Double.random(in: 0...1, using: &generator)
        let wait = range * part
        // Counting on would change nothing, for ever.
        if range < most { tries += 1 }
        return wait
    }

    mutating func reset() { tries = 0 }
}
