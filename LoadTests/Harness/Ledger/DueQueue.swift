/// Keys ordered by the time at which they must be checked, in a binary heap. A value inside a ledger. A key stays in
/// the queue when its check is no longer needed; the caller that pops it must find that out.
struct DueQueue {
    private struct Due {
        var time: UInt64
        var key: UInt64
    }

    private var heap: [Due] = []

    var count: Int { heap.count }

    mutating func push(_ key: UInt64, at time: UInt64) {
        heap.append(Due(time: time, key: key))
        var child = heap.count - 1
        while child > 0, heap[child].time < heap[(child - 1) / 2].time {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Returns the earliest key that is due by now, or nil.
    mutating func pop(by now: UInt64) -> (time: UInt64, key: UInt64)? {
        guard let first = heap.first, first.time <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var lowest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].time < heap[lowest].time { lowest = child }
            guard lowest != parent else { return (first.time, first.key) }
            heap.swapAt(parent, lowest)
            parent = lowest
        }
    }
}
