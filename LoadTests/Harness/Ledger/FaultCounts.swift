/// The number of faults of each kind, and the first ones of each described in words. A value: each ledger keeps one,
/// and they are merged at the end. It decides nothing.
public struct FaultCounts: Codable, Sendable, Equatable {
    /// Counts by kind. Kinds that didn't occur are left out.
    public private(set) var counts: [Fault: UInt64] = [:]
    /// Descriptions by kind, at most `HarnessLimits.describedFaults` of each.
    public private(set) var descriptions: [Fault: [String]] = [:]

    /// No faults.
    public init() {}

    /// The number of faults of this kind.
    public subscript(fault: Fault) -> UInt64 { counts[fault] ?? 0 }

    /// The number of faults that make a run fail.
    public var failures: UInt64 {
        counts.reduce(0) { $1.key.isFailure ? Self.sum($0, $1.value) : $0 }
    }

    /// Counts a fault. `words` is only evaluated while descriptions are still kept.
    mutating func count(_ fault: Fault, times: Int = 1, _ words: @autoclosure () -> String) {
        guard times > 0 else { return }
        counts[fault] = Self.sum(self[fault], UInt64(times))
        guard descriptions[fault, default: []].count < HarnessLimits.describedFaults else { return }
        descriptions[fault, default: []].append(words())
    }

    /// Adds the faults of another ledger or process. Their descriptions come last, as far as there is room.
    public mutating func merge(with other: FaultCounts) {
        for (fault, count) in other.counts { counts[fault] = Self.sum(self[fault], count) }
        for (fault, words) in other.descriptions {
            let room = max(0, HarnessLimits.describedFaults - descriptions[fault, default: []].count)
            descriptions[fault, default: []].append(contentsOf: words.prefix(room))
        }
    }

    // Counts of another process are read from a file, so they may be any numbers.
    private static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (sum, hasOverflowed) = one.addingReportingOverflow(other)
        return hasOverflowed ? .max : sum
    }
}
