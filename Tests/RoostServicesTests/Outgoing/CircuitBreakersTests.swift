import Testing

@testable import RoostServices

/// Breakers that `#expect` can ask, because asking changes them.
private final class Asked {
    private var breakers: CircuitBreakers

    init(_ bounds: OutgoingBounds) { breakers = CircuitBreakers(bounds) }

    var count: Int { breakers.count }
    func admits(_ host: String, now: Duration) -> Bool { breakers.admits(host, now: now) }
    func succeeded(_ host: String) { breakers.succeeded(host) }
    func failed(_ host: String, now: Duration) { breakers.failed(host, now: now) }
    func abandoned(_ host: String) { breakers.abandoned(host) }
}

struct CircuitBreakersTests {
    private let bounds = OutgoingBounds()

    private func open(_ host: String, at now: Duration) -> Asked {
        let breakers = Asked(bounds)
        for _ in 0..<bounds.failures { breakers.failed(host, now: now) }
        return breakers
    }

    @Test("A host is left alone after failures in a row, and no other host")
    func opens() {
        let breakers = Asked(bounds)
        for _ in 1..<bounds.failures { breakers.failed("a", now: .zero) }
        #expect(breakers.admits("a", now: .zero))
        breakers.succeeded("a")
        for _ in 1..<bounds.failures { breakers.failed("a", now: .zero) }
        #expect(breakers.admits("a", now: .zero))
        breakers.failed("a", now: .zero)
        #expect(!breakers.admits("a", now: .zero))
        #expect(breakers.admits("b", now: .zero))
    }

    @Test("After its rest one request is let through, and its end decides")
    func halfOpens() {
        let breakers = open("a", at: .seconds(100))
        #expect(!breakers.admits("a", now: .seconds(100) + bounds.rest - .nanoseconds(1)))
        #expect(breakers.admits("a", now: .seconds(100) + bounds.rest))
        #expect(!breakers.admits("a", now: .seconds(500)))
        breakers.failed("a", now: .seconds(500))
        #expect(!breakers.admits("a", now: .seconds(500) + bounds.rest - .nanoseconds(1)))
        #expect(breakers.admits("a", now: .seconds(500) + bounds.rest))
        breakers.succeeded("a")
        #expect(breakers.admits("a", now: .seconds(530)))
        #expect(breakers.count == 0)
    }

    @Test("A probe that says nothing about the host leaves room for the next")
    func abandons() {
        let breakers = open("a", at: .zero)
        #expect(breakers.admits("a", now: bounds.rest))
        breakers.abandoned("a")
        #expect(breakers.admits("a", now: bounds.rest))
    }

    @Test("The table of hosts is bounded, and forgets the oldest failure")
    func isBounded() {
        let breakers = open("first", at: .zero)
        for number in 0..<bounds.hosts { breakers.failed("\(number)", now: .seconds(1 + number)) }
        #expect(breakers.count == bounds.hosts)
        #expect(breakers.admits("first", now: .zero))
    }
}
