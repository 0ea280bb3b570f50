/// Hosts that are left alone because they failed several times in a row. After a while one request may try again, and
/// its end decides for all. Only hosts with failures are remembered. Pure: the time is handed in.
struct CircuitBreakers {
    private struct Breaker {
        var failures = 0
        var lastFailure: Duration
        /// Whether the one request that may try again is under way.
        var isProbed = false
    }

    private let bounds: OutgoingBounds
    private var breakers: [String: Breaker] = [:]

    init(_ bounds: OutgoingBounds) { self.bounds = bounds }

    /// Number of remembered hosts.
    var count: Int { breakers.count }

    /// Number of hosts that are left alone.
    func resting(now: Duration) -> Int {
        breakers.values.count { $0.failures >= bounds.failures && now - $0.lastFailure < bounds.rest }
    }

    /// Whether a request may go to the host. An admitted caller reports the end.
    mutating func admits(_ host: String, now: Duration) -> Bool {
        guard var breaker = breakers[host], breaker.failures >= bounds.failures else { return true }
        guard !breaker.isProbed, now - breaker.lastFailure >= bounds.rest else { return false }
        breaker.isProbed = true
        breakers[host] = breaker
        return true
    }

    /// The host has answered.
    mutating func succeeded(_ host: String) { breakers[host] = nil }

    /// The host couldn't be reached, or said that it can't answer.
    mutating func failed(_ host: String, now: Duration) {
        var breaker = breakers[host] ?? Breaker(lastFailure: now)
        if breakers[host] == nil, breakers.count >= bounds.hosts { forgetOldest() }
        // More wouldn't change anything.
        breaker.failures = min(breaker.failures + 1, bounds.failures)
        breaker.lastFailure = now
        breaker.isProbed = false
        breakers[host] = breaker
    }

    /// The request ended without saying anything about the host.
    mutating func abandoned(_ host: String) { breakers[host]?.isProbed = false }

    private mutating func forgetOldest() {
        guard let oldest = breakers.min(by: { $0.value.lastFailure < $1.value.lastFailure }) else { return }
        breakers[oldest.key] = nil
    }
}
