import RoostWire

/// The newest durable events by their place in the log, to know one that comes again. Bounded: the oldest is forgotten
/// first. Positions are opaque and can't be ordered, and a server whose log was lost counts anew, so an event is known
/// by its position together with its time.
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

    /// False if it was there already.
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
