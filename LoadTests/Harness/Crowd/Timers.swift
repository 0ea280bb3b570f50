import HeapModule

/// Actions to do at a time, earliest first. Each thing that waits has at most one entry, so the crowd bounds it.
struct Timers {
    /// The action of a timer when it rings.
    enum Action {
        /// Connects a device, for the first time or again.
        case connect(Device)
        /// The device's `hello` has had no answer for too long.
        case giveUpConnecting(Device, attempt: Int)
        /// Sends what was being typed.
        case send(Device, Draft)
        /// Renews typing, until it is time to send.
        case type(Device, Draft)
        /// Sends messages again that the relay couldn't take.
        case sendAgain(Device, session: Int)
        case read(Device, place: Int)
        /// A visitor leaves, or comes again.
        case leave(Device)
        case arrive(Device)
        case stall(Device)
        case resume(Device)
        case beginStorm(Int)
        case beginRestart(Int)
        case beginStall(Int)
        case endStall
        /// The rate falls: the stage with this number begins.
        case easeOff(Int)
        case beginAbsence
        case endAbsence
        case sweep
    }

    private struct Entry: Comparable {
        var time: UInt64
        var order: UInt64
        var action: Action

        static func < (one: Entry, other: Entry) -> Bool { (one.time, one.order) < (other.time, other.order) }
        static func == (one: Entry, other: Entry) -> Bool { one.order == other.order }
    }

    private var heap = Heap<Entry>()
    private var order: UInt64 = 0

    /// The earliest time; nil if nothing waits.
    var next: UInt64? { heap.min?.time }

    mutating func add(_ action: Action, at time: UInt64) {
        order &+= 1
        heap.insert(Entry(time: time, order: order, action: action))
    }

    /// Takes the earliest if it is due by then, and when it was.
    mutating func take(dueAt now: UInt64) -> (action: Action, due: UInt64)? {
        guard let first = heap.min, first.time <= now else { return nil }
        return heap.popMin().map { ($0.action, $0.time) }
    }

    mutating func removeAll() { heap = Heap() }
}
