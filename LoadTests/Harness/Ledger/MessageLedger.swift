/// Decides whether a relay lost, duplicated, reordered, altered or leaked a message. It owns what each conversation
/// holds by sequence, and how far each membership has got. On the loop's thread only; it asks no clock, and what it
/// is told by the relay it never trusts as an index. A delivery in order costs O(1) and allocates nothing.
///
/// The relay's promise is that sequences are dense: whoever sees a 7 knows that there are 1 to 6. So every sequence
/// up to the highest that anybody saw is expected at every member's device, but for the device's own messages: their
/// `ok` stands in place of the event, whichever comes first.
final class MessageLedger {
    /// A message as a conversation holds it.
    struct Entry: Equatable {
        /// A membership.
        var sender: Int32
        var number: Int32

        static let unknown = Entry(sender: -1, number: 0)
    }

    struct Conversation {
        /// By sequence, from 1: as many as are known to exist.
        var entries: [Entry] = []
        /// Each sender's numbers are known to rise up to this sequence.
        var frontier = 0
        /// Sends and retries.
        var attempts = 0

        /// No relay can store more than it was sent, not even if it stores everything twice.
        var sequenceMax: Int { min(2 * attempts + 64, Int(Int32.max) - 1) }
    }

    /// How far a membership has got. 16 bytes, of which a megabyte holds 65,000.
    struct Standing {
        /// Everything up to here came, was its own, was announced as a gap or is among its holes.
        var last: Int32 = 0
        /// The last event of this session. Events above it that came in an earlier session may come once more.
        var again: Int32 = 0
        /// The device's acks cover everything up to here.
        var acked: Int32 = 0
        /// Its place among the senders, from 1, with two flags.
        var bits: UInt32 = 0

        static let presentBit: UInt32 = 1 << 31
        static let holesBit: UInt32 = 1 << 30

        /// 1 if its device is connected.
        var presence: Int { Int(bits >> 31) }
        var hasHoles: Bool { bits & Self.holesBit != 0 }
        /// 0: it has sent nothing.
        var sender: Int { Int(bits & ~(Self.presentBit | Self.holesBit)) }
    }

    struct Sender {
        /// By number, from 1: where it is stored; 0 if that isn't known, `refused` if it must not be.
        var sequences: [Int32] = []
        /// The highest number below the conversation's frontier.
        var lastInOrder: Int32 = 0
        /// The highest sequence that one of its messages has.
        var highest: Int32 = 0

        static let refused: Int32 = -1
    }

    var faults = FaultCounts()
    var roster = Roster()
    var conversations: [Conversation] = []
    /// By membership.
    var standings: [Standing] = []
    var senders: [Sender] = []
    /// By membership, of those that have any.
    var holes: [Int32: HoleList] = [:]
    /// Sent more than once, as membership and number: these may stand behind later ones.
    var retried: Set<UInt64> = []
    var isFinished = false

    /// Sequences that connected devices have not got yet.
    var outstanding = 0
    /// Deliveries that have to come of everything that is known to be stored, to all members' devices but the sender's,
    /// connected or not.
    var expectedDeliveries = 0
    /// Of these, those that came.
    var arrivedDeliveries = 0
    /// Of these, those that the relay left out by announcing a gap.
    var excusedDeliveries = 0

    init() {}

    /// Whether every connected device has everything that is known to be stored. O(1).
    var isComplete: Bool { outstanding == 0 }

    /// Adds a conversation that holds no message yet.
    /// - Parameter devices: of all members; indexes from 0.
    /// - Returns: a membership for each of them, in the same order.
    func addConversation(_ index: Int, members devices: [Int]) -> [Membership] {
        let memberships = roster.add(index, members: devices)
        while conversations.count <= index { conversations.append(Conversation()) }
        for device in devices {
            standings.append(Standing(bits: roster.isPresent(device) ? Standing.presentBit : 0))
        }
        return memberships
    }

    /// The last sequence that is known to exist.
    func lastSequence(of conversation: Int) -> Int {
        conversations.indices.contains(conversation) ? conversations[conversation].entries.count : 0
    }

    /// How often something was sent to it, retries included: no correct relay holds more messages.
    func attempts(in conversation: Int) -> Int {
        conversations.indices.contains(conversation) ? conversations[conversation].attempts : 0
    }

    /// The last sequence of this sender's messages, answered or not, as far as anybody has seen them; 0 if there is
    /// none.
    func lastSequence(by sender: Membership) -> Int {
        guard standings.indices.contains(Int(sender.index)) else { return 0 }
        let place = standings[Int(sender.index)].sender
        return place == 0 ? 0 : Int(senders[place - 1].highest)
    }

    /// The caller has found out by itself that what came isn't what was sent: its body, or who it says it is from.
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
