/// Sequences that were skipped on the way to one device, as ranges in rising order. A value; exists only for
/// memberships with holes. Above `rangesMax` ranges, the oldest are dropped.
struct HoleList {
    struct Hole: Equatable {
        var from: Int32
        var to: Int32

        var count: Int { Int(to) - Int(from) + 1 }
    }

    /// A relay that loses every other message must not fill the memory of its judge. A device's own messages are holes
    /// until their `ok` arrives, but those are far fewer, because a sender doesn't have that many messages under way.
    static let rangesMax = 128

    private(set) var holes: [Hole] = []
    /// Number of sequences in all ranges.
    private(set) var count = 0

    /// Adds a hole above all others.
    /// - Returns: the oldest hole if it had to be dropped.
    mutating func append(_ hole: Hole) -> Hole? {
        holes.append(hole)
        count += hole.count
        guard holes.count > Self.rangesMax else { return nil }
        let oldest = holes.removeFirst()
        count -= oldest.count
        return oldest
    }

    /// Removes sequences.
    /// - Returns: how many of them were in a hole.
    mutating func remove(_ from: Int32, _ to: Int32) -> Int {
        let before = count
        var left: [Hole] = []
        for hole in holes {
            if hole.from < from { left.append(Hole(from: hole.from, to: min(hole.to, from - 1))) }
            if hole.to > to { left.append(Hole(from: max(hole.from, to + 1), to: hole.to)) }
        }
        holes = left
        count = holes.reduce(0) { $0 + $1.count }
        return before - count
    }
}
