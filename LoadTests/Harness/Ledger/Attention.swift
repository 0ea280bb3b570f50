/// Records when the harness wasn't looking: the machine stood still, or its thread got no core. What came meanwhile
/// lies unread, and a relay on the same machine may have stood still as well. So this time counts as no fault of the
/// relay, and ledgers that judge by time leave it out. On the loop's thread only.
final class Attention {
    private struct Gap {
        var from: UInt64
        var to: UInt64
    }

    /// Spans that are remembered. The ledgers look back for seconds, and a gap takes a quarter of a second at least.
    static let gapsMax = 64
    /// Time between two looks that is no gap: the loop wakes at least every 100 ms, and a loaded machine is late.
    static let blink = HarnessLimits.pollNanoseconds + 150_000_000

    private var last: UInt64 = 0
    private var gaps: [Gap] = []

    /// The harness looks, or reads something that is judged by time: first this, then the judgement.
    @inline(__always)
    func looks(at now: UInt64) {
        if last > 0, now > last, now - last > Self.blink { missed(from: last + HarnessLimits.pollNanoseconds, to: now) }
        if now > last { last = now }
    }

    private func missed(from: UInt64, to: UInt64) {
        if gaps.count == Self.gapsMax { gaps.removeFirst() }
        gaps.append(Gap(from: from, to: to))
    }

    /// Time in which it wasn't looking between two moments, ns.
    func missed(since: UInt64, until now: UInt64) -> UInt64 {
        gaps.reduce(0) { sum, gap in
            let from = max(gap.from, since)
            let to = min(gap.to, now)
            return to > from ? sum + (to - from) : sum
        }
    }
}
