/// How many faults of each kind there were, and the first of each in words. A value: ledgers keep one each, and those
/// of all ledgers and processes are merged at the end. It decides nothing.
public struct FaultCounts: Codable, Sendable, Equatable {
    /// Kinds that didn't occur are left out.
    public private(set) var counts: [Fault: UInt64] = [:]
    /// At most `HarnessLimits.describedFaults` of each kind.
    public private(set) var descriptions: [Fault: [String]] = [:]

    /// No faults.
    public init() {}

    /// How many of this kind.
    public subscript(fault: Fault) -> UInt64 { counts[fault] ?? 0 }

    /// How many in all, of the kinds by which a run fails.
    public var failures: UInt64 {
        counts.reduce(0) { $1.key.isFailure ? Self.sum($0, $1.value) : $0 }
    }

    /// Counts a fault. The words are only made while they are still wanted.
    mutating func count(_ fault: Fault, times: Int = 1, _ words: @autoclosure () -> String) {
        guard times > 0 else { return }
        counts[fault] = Self.sum(self[fault], UInt64(times))
        guard descriptions[fault, default: []].count < HarnessLimits.describedFaults else { return }
        descriptions[fault, default: []].append(words())
    }

    /// Adds what another ledger or process found; its words come after these, as far as there is room.
    public mutating func merge(with other: FaultCounts) {
        for (fault, count) in other.counts { counts[fault] = Self.sum(self[fault], count) }
        for (fault, words) in other.descriptions {
            let room = max(0, HarnessLimits.describedFaults - descriptions[fault, default: []].count)
            descriptions[fault, default: []].append(contentsOf: words.prefix(room))
        }
    }

    // Counts of another process are read from a file, which may say anything.
    private static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (sum, hasOverflowed) = one.addingReportingOverflow(other)
        return hasOverflowed ? .max : sum
    }
}
