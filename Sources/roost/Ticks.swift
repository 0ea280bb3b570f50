import RoostClient
import RoostWire

/// How far the members of a conversation have got with the user's own messages, and what of that was shown already.
struct Ticks {
    /// What is new about a member, and since when.
    enum News {
        case delivered(Timestamp?)
        case read(Timestamp?)
    }

    // Own messages whose ticks may still change; older ones were scrolled away.
    private static let ownMax = 200

    /// In rising order.
    private var own: [SequenceNumber] = []
    private var marks: [String: Receipt] = [:]
    private var toldDelivered: [String: SequenceNumber] = [:]
    private var toldRead: [String: SequenceNumber] = [:]

    /// The newest own message that wasn't deleted.
    var lastOwn: SequenceNumber? { own.last }

    /// The user has written a message.
    mutating func remember(own sequence: SequenceNumber) {
        guard !own.contains(sequence) else { return }
        own.append(sequence)
        own.sort()
        if own.count > Ticks.ownMax { own.removeFirst() }
    }

    /// The user has deleted it.
    mutating func forget(own sequence: SequenceNumber) { own.removeAll { $0 == sequence } }

    /// A member has got so far.
    mutating func note(_ mark: Receipt) { marks[mark.user] = mark }

    /// What to show of a member: only what concerns own messages and wasn't shown before.
    mutating func news(of member: String) -> News? {
        guard let mark = marks[member] else { return nil }
        let read = own.last { $0 <= mark.read } ?? .none
        let delivered = own.last { $0 <= mark.delivered } ?? .none
        if read > toldRead[member] ?? .none {
            toldRead[member] = read
            toldDelivered[member] = max(delivered, toldDelivered[member] ?? .none)
            return .read(mark.readAt)
        }
        guard delivered > toldDelivered[member] ?? .none else { return nil }
        toldDelivered[member] = delivered
        return .delivered(mark.deliveredAt)
    }
}
