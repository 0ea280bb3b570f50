/// Timers in slots of 100 ms: O(1) to set, no cancelling. Whoever is woken looks whether it is really due and sets the
/// next one, so that a connection costs one entry however often its deadlines move.
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

    /// Entries for which memory is held. For tests.
    var capacity: Int { slots.reduce(0) { $0 + $1.capacity } }

    /// When to call `expire` next, in monotonic milliseconds. Rounded up to the end of a slot.
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

    /// Takes out everything that is due.
    mutating func expire(at now: Int64) -> [Payload] {
        let tick = now / Self.slotMilliseconds - 1
        guard tick > swept else { return [] }
        var due: [Payload] = []
        let first = max(swept + 1, tick - Int64(Self.slotCount) + 1)
        for passed in first...tick {
            let slot = Int(passed % Int64(Self.slotCount))
            guard !slots[slot].isEmpty else { continue }
            // Entries for a later turn of the wheel stay, in an array of their own: the old one may have grown when
            // thousands connected, and if slots kept theirs, each of them would hold what the fullest ever needed.
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
                // May be for a later turn; then waking finds nothing, at most once per turn of the wheel and slot.
                earliest = (swept + ahead) * Self.slotMilliseconds
                return
            }
        }
    }
}
