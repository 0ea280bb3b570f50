/// Sequences that were skipped on the way to one device: ranges in rising order. A value; exists only for memberships
/// with holes. Holes beyond `rangesMax` are given up, oldest first.
struct HoleList {
    struct Hole: Equatable {
        var from: Int32
        var to: Int32

        var count: Int { Int(to) - Int(from) + 1 }
    }

    /// A relay that loses every other message must not fill the memory of its judge. Holes that a device's own messages
    /// leave until their `ok` comes are far fewer: a sender doesn't have so many messages on their way.
    static let rangesMax = 128

    private(set) var holes: [Hole] = []
    /// Sequences in all of them.
    private(set) var count = 0

    /// Adds a hole above all others.
    /// - Returns: the oldest if there was no room for it any more.
    mutating func append(_ hole: Hole) -> Hole? {
        holes.append(hole)
        count += hole.count
        guard holes.count > Self.rangesMax else { return nil }
        let oldest = holes.removeFirst()
        count -= oldest.count
        return oldest
    }

    /// Takes sequences out.
    /// - Returns: how many of them were missing.
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
