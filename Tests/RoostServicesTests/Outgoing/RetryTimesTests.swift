import Testing

@testable import RoostServices

/// Times that `#expect` can ask, because asking changes them.
private final class Asked {
    private var times: RetryTimes
    private var generator = SystemRandomNumberGenerator()

    init(_ bounds: OutgoingBounds) { times = RetryTimes(bounds) }

    var range: Duration { times.range }
    func next(elapsed: Duration = .zero, asked: Duration? = nil) -> Duration? {
        times.next(elapsed: elapsed, asked: asked, &generator)
    }
}

struct RetryTimesTests {
    @Test("Waits are drawn from zero to a range that doubles up to its bound")
    func jitter() {
        var bounds = OutgoingBounds()
        bounds.tries = 10
        bounds.allTries = .seconds(1_000)
        let times = Asked(bounds)
        var expected = bounds.firstWait
        for _ in 1..<bounds.tries {
            #expect(times.range == expected)
            #expect(times.next().map { $0 >= .zero && $0 <= expected } == true)
            expected = min(expected * 2, bounds.longestWait)
        }
        #expect(times.next() == nil)
    }

    @Test("There is no further try once the time is over")
    func ends() {
        let bounds = OutgoingBounds()
        let times = Asked(bounds)
        #expect(times.next(elapsed: bounds.allTries) == nil)
        #expect(times.next(asked: bounds.allTries) == nil)
        // Those who got the same number spread after it.
        #expect(
            times.next(asked: .seconds(7)).map { $0 >= .seconds(7) && $0 <= .seconds(7) + bounds.firstWait } == true)
    }

    @Test("Retry-After is read as seconds and as a date, and never as something in the past")
    func retryAfter() {
        #expect(OutgoingClient.retryAfter("7", now: 0) == .seconds(7))
        #expect(OutgoingClient.retryAfter("99999999999999999999", now: 0) == .seconds(Int32.max))
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(OutgoingClient.retryAfter(date, now: 784_111_770) == .seconds(7))
        #expect(OutgoingClient.retryAfter(date, now: 784_111_800) == .zero)
        for text in ["", "-1", "soon", "7s\u{0}"] { #expect(OutgoingClient.retryAfter(text, now: 0) == nil, "\(text)") }
    }
}
