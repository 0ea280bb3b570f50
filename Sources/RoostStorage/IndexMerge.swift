/// One part of the tail on its way into the indexes: everything sorted, done in slices, so that neighbours share a
/// page and no commit waits long. The watermark moves with the last slice; slices that a crash leaves without it are
/// written again, to the same effect.
struct IndexMerge {
    /// A row of the event index.
    struct Event {
        var conversation: Int32
        var sequence: Int64
        var position: Int64
    }

    /// The last row of the part.
    let upTo: Int64
    private let keys: [(hash: Int64, position: Int64)]
    private let events: [Event]
    private let conversations: [Int32]
    private var next = 0

    init(_ run: Tail.Run, _ keys: KeyTail.Run, upTo: Int64) {
        self.upTo = upTo
        self.keys = keys.sorted()
        conversations = run.entries.keys.sorted()
        var events: [Event] = []
        events.reserveCapacity(run.rows)
        for conversation in conversations {
            for entry in run.entries[conversation] ?? [] {
                events.append(
                    Event(conversation: conversation, sequence: entry.sequence, position: entry.position))
            }
        }
        self.events = events
    }

    /// What to write next.
    enum Item {
        case key(hash: Int64, position: Int64)
        case event(Event)
        /// The directory's note of a conversation's last row.
        case last(conversation: Int32)
    }

    /// Takes the next item; nil when everything is written.
    mutating func takeNext() -> Item? {
        var index = next
        next += 1
        if index < keys.count { return .key(hash: keys[index].hash, position: keys[index].position) }
        index -= keys.count
        if index < events.count { return .event(events[index]) }
        index -= events.count
        if index < conversations.count { return .last(conversation: conversations[index]) }
        next -= 1
        return nil
    }
}
