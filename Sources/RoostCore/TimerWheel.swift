import RoostFraming

/// Timers in slots of 100 ms. Setting one is O(1), and there is no cancelling. The woken owner checks whether it is
/// really due, and sets the next timer if not. So a connection has one entry however often its deadlines move.
struct TimerWheel<Payload> {
    private struct Entry {
        var deadline: Int64
        var payload: Payload
    }

    private static var slotCount: Int { 512 }
    private static var slotMilliseconds: Int64 { 100 }

    private var slots: [[Entry]] = Array(repeating: [], count: slotCount)
    private var swept: Int64
    private(set) var count = 0
    // Never later than the earliest entry.
    private var earliest: Int64?

    init(now: Int64) {
        swept = now / Self.slotMilliseconds
    }

    /// Number of entries for which memory is reserved. For tests.
    var capacity: Int { slots.reduce(0) { $0 + $1.capacity } }

    /// When to call `expire` next, in monotonic milliseconds, rounded up to the end of a slot.
    var nextDeadline: Int64? {
        earliest.map { ($0 / Self.slotMilliseconds + 1) * Self.slotMilliseconds }
    }

    mutating func set(_ payload: Payload, at deadline: Int64) {
        let tick = max(deadline / Self.slotMilliseconds, swept + 1)
        slots[Int(tick % Int64(Self.slotCount))].append(Entry(deadline: deadline, payload: payload))
        count += 1
        let due = tick * Self.slotMilliseconds
        earliest = min(earliest ?? due, due)
    }

    /// Sets a timer that fires at this moment, which is rounded up to a multiple of 100 ms.
    mutating func set(_ payload: Payload, firingAt moment: Int64) {
        set(payload, at: moment - 1)
    }

    /// Removes and returns everything that is due.
    mutating func expire(at now: Int64) -> [Payload] {
        let tick = now / Self.slotMilliseconds - 1
        guard tick > swept else { return [] }
        var due: [Payload] = []
        let first = max(swept + 1, tick - Int64(Self.slotCount) + 1)
        for passed in first...tick {
            let slot = Int(passed % Int64(Self.slotCount))
            guard !slots[slot].isEmpty else { continue }
            // Entries for a later turn of the wheel move into a new array. The old one may have grown when thousands
            // connected. If slots kept their arrays, each would hold as much as the fullest one ever needed.
            var staying: [Entry] = []
            for entry in slots[slot] {
                if entry.deadline / Self.slotMilliseconds > tick {
                    staying.append(entry)
                } else {
                    due.append(entry.payload)
                }
            }
            slots[slot] = staying
        }
        swept = tick
        count -= due.count
        findEarliest()
        return due
    }

    private mutating func findEarliest() {
        earliest = nil
        guard count > 0 else { return }
        for ahead in 1...Int64(Self.slotCount) {
            let slot = slots[Int((swept + ahead) % Int64(Self.slotCount))]
            if !slot.isEmpty {
                // This may be an entry for a later turn. Then a wake-up finds nothing, at most once for each turn of
                // the wheel and slot.
                earliest = (swept + ahead) * Self.slotMilliseconds
                return
            }
        }
    }
}
