import RoostWire

/// A set of messages, as ranges of sequences: those that have disappeared or were deleted, or those that a user wrote
/// without reading what came before.
public struct SequenceRanges: Sendable, Hashable {
    /// Most ranges. Beyond it, the oldest is forgotten.
    public static let most = 32

    /// In order, with holes between them.
    public private(set) var ranges: [ClosedRange<Int64>] = []

    /// None.
    public init() {}

    /// Reads them as they are stored; nil if `text` never returned that.
    public init?(text: String) {
        for part in text.split(separator: ",") {
            let bounds = part.split(separator: "-").compactMap { Int64($0) }
            guard let first = bounds.first, let last = bounds.last, bounds.count <= 2, first >= 1, first <= last,
                first > ranges.last?.upperBound ?? 0
            else { return nil }
            ranges.append(first...last)
        }
    }

    /// Whether there is none.
    public var isEmpty: Bool { ranges.isEmpty }

    /// The first message; nil if there is none.
    public var first: SequenceNumber? { ranges.first.map { SequenceNumber($0.lowerBound) } }

    /// The stored form: `1-17,20`.
    public var text: String {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
    }

    /// Adds a message.
    /// - Returns: the last message of the stretch that is forgotten for it; nil if none is.
    @discardableResult
    public mutating func insert(_ sequence: SequenceNumber) -> SequenceNumber? {
        let number = sequence.value
        guard number >= 1, number < .max else { return nil }
        let next = ranges.firstIndex { $0.upperBound >= number - 1 } ?? ranges.endIndex
        guard next < ranges.endIndex, ranges[next].lowerBound <= number + 1 else {
            ranges.insert(number...number, at: next)
            guard ranges.count > SequenceRanges.most else { return nil }
            return SequenceNumber(ranges.removeFirst().upperBound)
        }
        let joined = min(ranges[next].lowerBound, number)...max(ranges[next].upperBound, number)
        ranges[next] = joined
        guard next + 1 < ranges.endIndex, ranges[next + 1].lowerBound <= joined.upperBound + 1 else { return nil }
        ranges[next] = joined.lowerBound...max(joined.upperBound, ranges[next + 1].upperBound)
        ranges.remove(at: next + 1)
        return nil
    }

    /// Adds messages that follow one another.
    /// - Returns: as for one.
    @discardableResult
    public mutating func insert(_ range: ClosedRange<Int64>) -> SequenceNumber? {
        guard range.lowerBound >= 1, range.upperBound < .max else { return nil }
        let touching = ranges.filter { $0.upperBound >= range.lowerBound - 1 && $0.lowerBound <= range.upperBound + 1 }
        let low = min(range.lowerBound, touching.first?.lowerBound ?? range.lowerBound)
        let high = max(range.upperBound, touching.last?.upperBound ?? range.upperBound)
        ranges.removeAll { touching.contains($0) }
        ranges.insert(low...high, at: ranges.firstIndex { $0.lowerBound > high } ?? ranges.endIndex)
        guard ranges.count > SequenceRanges.most else { return nil }
        return SequenceNumber(ranges.removeFirst().upperBound)
    }

    /// Leaves only those above one message and up to another.
    public mutating func keep(above floor: SequenceNumber, upTo last: SequenceNumber = SequenceNumber(.max)) {
        guard let first = ranges.first, let end = ranges.last,
            first.lowerBound <= floor.value || end.upperBound > last.value
        else { return }
        ranges = ranges.compactMap { range in
            guard range.upperBound > floor.value, range.lowerBound <= last.value, floor < last else { return nil }
            return max(range.lowerBound, floor.value + 1)...min(range.upperBound, last.value)
        }
    }

    /// Number of those above a message.
    public func count(above floor: SequenceNumber) -> Int64 {
        ranges.reduce(0) { $0 + max(0, $1.upperBound - max($1.lowerBound - 1, floor.value)) }
    }

    /// Number of messages above one in this set or the other.
    public func count(above floor: SequenceNumber, with other: SequenceRanges) -> Int64 {
        var shared: Int64 = 0
        var (one, two) = (0, 0)
        while one < ranges.count, two < other.ranges.count {
            let (first, second) = (ranges[one], other.ranges[two])
            let begin = max(first.lowerBound - 1, second.lowerBound - 1, floor.value)
            shared += max(0, min(first.upperBound, second.upperBound) - begin)
            if first.upperBound < second.upperBound { one += 1 } else { two += 1 }
        }
        return count(above: floor) + other.count(above: floor) - shared
    }

    /// Whether a message is one of them.
    public func contains(_ sequence: SequenceNumber) -> Bool { ranges.contains { $0.contains(sequence.value) } }
}

extension Timestamp {
    /// The time when a message that is accepted now disappears, if messages stay for this number of milliseconds;
    /// `.never` for 0.
    public func expiry(after milliseconds: Int64) -> Timestamp {
        guard milliseconds > 0 else { return .never }
        let (sum, isTooMuch) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: isTooMuch ? .max : sum)
    }
}

/// The lifetime of a conversation's messages, and those that are gone.
struct Lifetime {
    /// Milliseconds after which messages disappear; 0 if they stay.
    var expiry: Int64 = 0
    /// Messages that have disappeared or were deleted: they don't count as unread.
    var gone = SequenceRanges()
}
