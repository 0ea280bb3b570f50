import RoostWire

/// The newest durable events, to detect repetitions. Bounded: the oldest is forgotten first. Positions are opaque and
/// can't be ordered, and a server that lost its log counts from the start. So an event is identified by its position
/// together with its time.
struct RecentEvents {
    private struct Mark: Hashable {
        var position: String
        var time: Timestamp
    }

    private let most: Int
    private var known: Set<Mark> = []
    private var ring: [Mark] = []
    private var oldest = 0

    init(most: Int) { self.most = max(most, 1) }

    /// Returns false if it was there already.
    mutating func insert(_ position: String, _ time: Timestamp) -> Bool {
        let mark = Mark(position: position, time: time)
        guard known.insert(mark).inserted else { return false }
        if ring.count < most {
            ring.append(mark)
        } else {
            known.remove(ring[oldest])
            ring[oldest] = mark
            oldest = (oldest + 1) % most
        }
        return true
    }
}
