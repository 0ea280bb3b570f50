/// The events that wait for the application, in order, with what is to be acked once each has been taken. Bounded for
/// everything that the server sends. Confined to the client.
struct EventBuffer {
    /// What may be acked, and on which connection it was told: a position is only good on the one it came by.
    struct Mark: Equatable {
        var position: String
        var connection: Int
    }

    /// `event` is nil where there is something to ack but nothing to tell.
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

    /// False, and nothing added, if it is full.
    mutating func add(_ event: RoostEvent, _ mark: Mark? = nil) -> Bool {
        guard !isFull else { return false }
        entries.append(Entry(event: event, mark: mark))
        return true
    }

    /// What the client itself tells. A further `disconnected` replaces one that nobody has seen yet, so that tries
    /// without success don't add up.
    mutating func addOwn(_ event: RoostEvent) {
        if case .disconnected = event, count > 0, case .disconnected = entries[entries.count - 1].event {
            entries[entries.count - 1].event = event
        } else {
            entries.append(Entry(event: event))
        }
    }

    /// Something to ack that the application isn't told of; joins the one before.
    mutating func add(_ mark: Mark) {
        if count > 0, entries[entries.count - 1].event == nil {
            entries[entries.count - 1].mark = mark
        } else {
            entries.append(Entry(mark: mark))
        }
    }

    mutating func next() -> Entry? {
        guard head < entries.count else { return nil }
        let entry = entries[head]
        entries[head] = Entry()
        head += 1
        // Half of it is used up: moving the rest costs no more than what was taken.
        if head * 2 >= entries.count {
            entries.removeFirst(head)
            head = 0
        }
        return entry
    }
}
