/// Events that wait for the application, in order, with the positions to ack once each was processed. Bounded for
/// events of the server. Confined to the client.
struct EventBuffer {
    /// A position to ack, and its connection. A position is only valid on the connection that it arrived on.
    struct Mark: Equatable {
        var position: String
        var connection: Int
    }

    /// `event` is nil if there is something to ack but nothing to report.
    struct Entry {
        var event: RoostEvent?
        var mark: Mark?
    }

    private let most: Int
    private var entries: [Entry] = []
    private var head = 0

    init(most: Int) { self.most = most }

    var count: Int { entries.count - head }

    var isFull: Bool { count >= most }

    /// Returns false and adds nothing if the buffer is full.
    mutating func add(_ event: RoostEvent, _ mark: Mark? = nil) -> Bool {
        guard !isFull else { return false }
        entries.append(Entry(event: event, mark: mark))
        return true
    }

    /// Adds an event of the client's own. A further `disconnected` replaces one that was not taken yet, so that failed
    /// tries don't pile up.
    mutating func addOwn(_ event: RoostEvent) {
        if case .disconnected = event, count > 0, case .disconnected = entries[entries.count - 1].event {
            entries[entries.count - 1].event = event
        } else {
            entries.append(Entry(event: event))
        }
    }

    /// Adds a position to ack without an event. Joins it with the one before.
    mutating func add(_ mark: Mark) {
        if count > 0, entries[entries.count - 1].event == nil {
            entries[entries.count - 1].mark = mark
        } else {
            entries.append(Entry(mark: mark))
        }
    }

    /// Adds `live` once more. Joins it with one before. Returns false and adds nothing if the buffer is full.
    mutating func addPlace(_ position: String, _ mark: Mark) -> Bool {
        if count > 0, case .live = entries[entries.count - 1].event {
            entries[entries.count - 1] = Entry(event: .live(position: position), mark: mark)
            return true
        }
        return add(.live(position: position), mark)
    }

    mutating func next() -> Entry? {
        guard head < entries.count else { return nil }
        let entry = entries[head]
        entries[head] = Entry()
        head += 1
        // Half of the array is used up, so moving the rest costs no more than what was taken.
        if head * 2 >= entries.count {
            entries.removeFirst(head)
            head = 0
        }
        return entry
    }
}
