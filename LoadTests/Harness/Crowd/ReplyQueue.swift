/// The commands of one connection that wait for their replies, and the ids that are given to them.
struct ReplyQueue {
    private struct Waiting {
        var id: Int
        var purpose: Device.Purpose
    }

    /// Oldest first, from `head`.
    private var waiting: [Waiting] = []
    private var head = 0
    private var nextID = 1

    var count: Int { waiting.count - head }
    var isEmpty: Bool { count == 0 }

    /// Notes a command, and gives it its id.
    mutating func expect(_ purpose: Device.Purpose) -> Int {
        let id = nextID
        nextID += 1
        waiting.append(Waiting(id: id, purpose: purpose))
        return id
    }

    /// Purpose of the command with this id; nil if none waits. Replies come mostly in order.
    mutating func take(_ id: Int) -> Device.Purpose? {
        var at = head
        while at < waiting.count, waiting[at].id != id { at += 1 }
        guard at < waiting.count else { return nil }
        let purpose = waiting[at].purpose
        if at == head {
            head += 1
            if head > 64, head * 2 > waiting.count {
                waiting.removeFirst(head)
                head = 0
            }
        } else {
            waiting.remove(at: at)
        }
        return purpose
    }

    /// The connection is lost: nothing waits any more. Ids go on.
    mutating func removeAll() {
        waiting.removeAll(keepingCapacity: false)
        head = 0
    }

    /// Whether a message waits. Allocates nothing.
    var hasMessage: Bool {
        waiting[head...].contains { if case .message = $0.purpose { true } else { false } }
    }

    /// The messages that wait, oldest first.
    var messages: [Device.Outgoing] {
        waiting[head...].compactMap { if case .message(let message) = $0.purpose { message } else { nil } }
    }
}
