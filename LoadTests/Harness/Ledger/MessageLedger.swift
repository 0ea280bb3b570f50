/// Decides whether a relay lost, duplicated, reordered, altered or leaked a message. It owns what each conversation
/// holds by sequence, and how far each membership has got. On the loop's thread only; it asks no clock, and never
/// trusts a number from the relay as an index. A delivery in order costs O(1) and allocates nothing.
///
/// The relay's promise is that sequences are dense: a device that sees a 7 knows that there are 1 to 6. So every
/// sequence up to the highest that any device saw is expected at every member's device, but for the device's own
/// messages: their `ok` stands in place of the event, whichever comes first.
final class MessageLedger {
    /// A message of a conversation.
    struct Entry: Equatable {
        /// The membership of the sender.
        var sender: Int32
        var number: Int32

        static let unknown = Entry(sender: -1, number: 0)
    }

    /// The messages and state of one room.
    struct RoomLog {
        /// Messages by sequence, from 1; as many as are known to exist.
        var entries: [Entry] = []
        /// Up to this sequence, each sender's numbers are known to rise.
        var frontier = 0
        /// Number of sends, including retries.
        var attempts = 0

        /// The highest sequence that can exist. No relay can store more than it was sent, even if it stores everything
        /// twice.
        var sequenceMax: Int { min(2 * attempts + 64, Int(Int32.max) - 1) }
    }

    /// Progress of a membership. A megabyte holds 65,000 of them.
    struct Standing {
        /// Every sequence up to here arrived, was the device's own, was announced as a gap, or is among the holes.
        var last: Int32 = 0
        /// The last event of this session. Events above it from an earlier session may come once more.
        var again: Int32 = 0
        /// The device's acks cover everything up to here.
        var acked: Int32 = 0
        /// The place among the senders, from 1, with two flags.
        var bits: UInt32 = 0

        static let presentBit: UInt32 = 1 << 31
        static let holesBit: UInt32 = 1 << 30

        /// 1 if the device is connected.
        var presence: Int { Int(bits >> 31) }
        var hasHoles: Bool { bits & Self.holesBit != 0 }
        /// The place among the senders; 0 if it has sent nothing.
        var sender: Int { Int(bits & ~(Self.presentBit | Self.holesBit)) }
    }

    struct Sender {
        /// By number, from 1: the sequence under which a message is stored; 0 if unknown, `refused` if it must not be
        /// stored.
        var sequences: [Int32] = []
        /// The highest number below the conversation's frontier.
        var lastInOrder: Int32 = 0
        /// The highest sequence of this sender's messages.
        var highest: Int32 = 0

        static let refused: Int32 = -1
    }

    var faults = FaultCounts()
    var roster = Roster()
    var conversations: [RoomLog] = []
    /// Standings by membership.
    var standings: [Standing] = []
    var senders: [Sender] = []
    /// Holes by membership, for memberships that have any.
    var holes: [Int32: HoleList] = [:]
    /// Messages sent more than once, as membership and number. They may be stored after later ones.
    var retried: Set<UInt64> = []
    var isFinished = false

    /// Number of sequences that connected devices have not received yet.
    var outstanding = 0
    /// Number of deliveries that must follow from everything known to be stored: to all members' devices except the
    /// sender's, connected or not.
    var expectedDeliveries = 0
    /// Number of expected deliveries that arrived.
    var arrivedDeliveries = 0
    /// Number of expected deliveries that the relay left out by announcing a gap.
    var excusedDeliveries = 0

    init() {}

    /// Whether every connected device has received everything known to be stored. O(1).
    var isComplete: Bool { outstanding == 0 }

    /// Adds an empty conversation.
    /// - Parameter devices: of all members, as indexes from 0.
    /// - Returns: a membership for each of them, in the same order.
    func addConversation(_ index: Int, members devices: [Int]) -> [Membership] {
        let memberships = roster.add(index, members: devices)
        while conversations.count <= index { conversations.append(RoomLog()) }
        for device in devices {
            standings.append(Standing(bits: roster.isPresent(device) ? Standing.presentBit : 0))
        }
        return memberships
    }

    /// The last sequence known to exist.
    func lastSequence(of conversation: Int) -> Int {
        conversations.indices.contains(conversation) ? conversations[conversation].entries.count : 0
    }

    /// Number of sends to it, including retries. A correct relay never stores more messages.
    func attempts(in conversation: Int) -> Int {
        conversations.indices.contains(conversation) ? conversations[conversation].attempts : 0
    }

    /// The highest sequence of this sender's messages that anybody has seen, acked or not; 0 if there is none.
    func lastSequence(by sender: Membership) -> Int {
        guard standings.indices.contains(Int(sender.index)) else { return 0 }
        let place = standings[Int(sender.index)].sender
        return place == 0 ? 0 : Int(senders[place - 1].highest)
    }

    /// Reports that the caller found a wrong body or sender in what arrived.
    func altered(_ conversation: Int, by membership: Membership, sequence: Int) {
        faults.count(.altered, say(conversation, sequence, membership, "got what wasn't sent so"))
    }

    func say(_ conversation: Int, _ sequence: Int, _ membership: Membership, _ what: String) -> String {
        "conversation \(conversation), sequence \(sequence): \(roster.device(of: membership)) \(what)"
    }

    static func key(_ sender: Membership, _ number: Int) -> UInt64 {
        UInt64(UInt32(bitPattern: sender.index)) << 32 | UInt64(UInt32(truncatingIfNeeded: number))
    }
}
