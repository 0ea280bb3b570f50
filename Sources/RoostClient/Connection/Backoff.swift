/// The wait before the next try: a random time from a range that doubles ("full jitter"), so that clients that lost the
/// same server don't reconnect together. Pure.
struct Backoff: Sendable {
    let first: Duration
    let most: Duration
    private(set) var tries = 0

    init(first: Duration, most: Duration) {
        self.first = first
        self.most = most
    }

    /// The upper end of the next wait's range.
    var range: Duration {
        var range = first
        for _ in 0..<tries where range < most { range *= 2 }
        return min(range, most)
    }

    mutating func next(_ generator: inout some RandomNumberGenerator) -> Duration {
        let part = Double.random(in: 0...1, using: &generator)
        let wait = range * part
        // Further counting would change nothing.
        if range < most { tries += 1 }
        return wait
    }

    mutating func reset() { tries = 0 }
}
