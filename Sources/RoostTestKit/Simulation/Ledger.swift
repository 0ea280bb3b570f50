import RoostCore
import RoostWire

/// The checker's truth: every event that became durable, memberships over time, and the events each user is entitled
/// to, in log order. Built from batches at the moment they become durable, by rules of its own; it asks neither the
/// Relay nor the log.
final class Ledger {
    struct Membership {
        var role: MemberRole
        var joinedAt: Int64
        /// Messages up to this one are hidden.
        var since: Int64
        /// Messages up to this one don't count as unread.
        var joinedAfter: Int64
    }

    struct Reaction: Equatable {
        var user: Int
        var text: String
    }

    struct Message {
        var position: Int64
        var sender: Int
        var key: String
        /// User who wrote what it forwards; nil if its sender did.
        var origin: Int?
        /// The body at first, and after every edit.
        var bodies: [[UInt8]]
        /// Position of the last edit.
        var editedAt: Int64 = 0
        var isDeleted = false
        /// Position of the deletion; 0 if it wasn't deleted, or disappeared.
        var deletedAt: Int64 = 0
        var reactions: [Reaction] = []
        /// Those of them that the other user of the direct conversation isn't shown.
        var withheldReactions: [Reaction] = []
        /// The users that it mentions, or mentioned before an edit; -1 stands for all.
        var mentioned: Set<Int> = []
        /// The message with which its thread began; 0 if it is in none.
        var thread: Int64 = 0
        /// Whether its sender had read what came before it.
        var isReading = true
        /// When it disappears, in milliseconds; nil if it stays.
        var expires: Int64?
        /// Whether it was withheld from the other user when it was written.
        var wasWithheld = false
    }

    struct Event {
        var kind: EventKind
        var conversation: Int
        var sequence: Int64
        var sender: Int
        var key: String
        var body: [UInt8]
        /// React: the reaction, and whether it was taken back.
        var label: String
        var isRemoval: Bool
        var change: ConversationChange?
        /// When the relay took the command.
        var time: Timestamp
        /// Whether a service takes away what its user has written or given.
        var isErasing = false
        /// The user it is withheld from.
        var withheldFrom: Int?
    }

    /// An event that a user is entitled to.
    struct Entry {
        var position: Int64
        var conversation: Int
        var sequence: Int64
        var kind: EventKind
        var generation: Int

        var isMessage: Bool { kind == .message }
    }

    /// A gap of a device in a conversation: the ranges that the relay left out.
    struct LeftOut {
        /// Sequences of messages, and the end of the log when they were left out: their later changes are sent.
        var messages: [(range: ClosedRange<Int64>, head: Int64)] = []
        /// Everything up to this position.
        var floor: Int64 = 0
    }

    struct Mark {
        var delivered: Int64 = 0
        var read: Int64 = 0
    }

    struct Pair: Hashable {
        var one: Int
        var other: Int
        init(_ one: Int, _ other: Int) {
            self.one = one
            self.other = other
        }
    }

    struct KeyOf: Hashable {
        var sender: Int
        var key: String
    }

    private(set) var head: Int64 = 0
    private(set) var conversations: [ConversationTruth] = []
    private var conversationsByID: [String: Int] = [:]
    var conversationsByNumber: [Int32: Int] = [:]
    private(set) var events: [Int64: Event] = [:]
    var keys: [KeyOf: Int64] = [:]
    /// By user.
    var feeds: [[Entry]]
    var users: [Int32: Int] = [:]
    /// Durable devices: their user and name, and the cursor.
    var devices: [Int32: (user: Int, name: String)] = [:]
    var cursors: [Int32: Int64] = [:]
    /// Durable watermarks by conversation and user.
    var marks: [Pair: Mark] = [:]
    /// Durable presence by user.
    var presence: [Int: StoredPresence] = [:]
    var status: [Int: StoredStatus] = [:]
    /// Durable privacy by user, and exceptions by user and other.
    var privacy: [Int: PrivacySettings] = [:]
    var exceptions: [Pair: PrivacyException] = [:]
    /// Durable contacts: the inviter, or nil if both have accepted. The lower index first.
    var contacts: [Pair: Int?] = [:]
    /// Durable invitations hidden from the invited user, and contacts from a link that only look accepted to the user
    /// who opened it.
    var hiddenContacts = (withheld: Set<Pair>(), linked: Set<Pair>())
    /// Whether the first user has ever blocked the second, who is another one, as far as clients know.
    var mayHaveBlocked: (Int, Int) -> Bool = { _, _ in false }
    /// Durable names of prospects by user, texts of reports, invitations, and users who have come and so are known.
    var written = (
        prospects: [Int: Set<String>](), reports: Set<String>(), invites: InviteLedger(), came: Set<Int>()
    )
    /// Stored profiles by user: the name of each version.
    var profiles: [Int: [Int64: String]] = [:]
    /// Users whose accounts were deleted.
    var deleted: Set<Int> = []
    var aliveAt: Int64 = 0
    var settings = SettingTruth()
    /// When the batch that is applied became durable, in monotonic milliseconds.
    var appliedAt = Int64.min / 2
    private var violations: [String] = []

    init(users count: Int) {
        feeds = Array(repeating: [], count: count)
    }

    func conversation(_ id: String) -> ConversationTruth? { conversationsByID[id].map { conversations[$0] } }

    func direct(_ one: Int, _ other: Int) -> ConversationTruth? {
        conversations.last {
            $0.kind == .direct && !$0.isErased && $0.generations[one] != nil && $0.generations[other] != nil
        }
    }

    /// Whether the two ever had a direct conversation, which may have ended.
    func haveMet(_ one: Int, _ other: Int) -> Bool {
        conversations.contains { $0.kind == .direct && $0.generations[one] != nil && $0.generations[other] != nil }
    }

    /// Whether the one watches the other without asking.
    func arePeers(_ one: Int, _ other: Int) -> Bool {
        guard let direct = direct(one, other), !direct.isWaiting, !direct.isVeiled(from: one) else { return false }
        return direct.members[one] != nil && direct.members[other] != nil
    }

    /// Whether the one may watch the other.
    func share(_ one: Int, _ other: Int) -> Bool {
        conversations.contains {
            !$0.isWaiting && $0.members[one] != nil && $0.members[other] != nil && !$0.isVeiled(from: one)
        }
    }

    func add(_ number: Int32, _ id: String, _ kind: ConversationKind) -> ConversationTruth {
        let conversation = ConversationTruth(conversations.count, number, id, kind)
        conversations.append(conversation)
        conversationsByID[id] = conversation.index
        conversationsByNumber[number] = conversation.index
        return conversation
    }

    func record(_ event: Event, at position: Int64) {
        reach(position)
        events[position] = event
    }

    /// A setting, which is no event of a conversation.
    func reach(_ position: Int64) {
        if position <= head { blame("position \(position) comes after \(head)") }
        head = max(head, position)
    }

    /// Notes what is wrong.
    func blame(_ violation: String) { violations.append(violation) }

    /// The violations since the last call.
    func takeViolations() -> [String] {
        defer { violations.removeAll() }
        return violations
    }

    /// Whether an event that a user is entitled to needn't come to a device any more.
    func isExcused(
        _ entry: Entry, _ device: SimulatedDevice, gaps: [Int: LeftOut], told: Set<Int64>
    ) -> Bool {
        let conversation = conversations[entry.conversation]
        if conversation.isErased { return true }
        // It left and joined again since: what was before is for history.
        if conversation.generations[device.user.index] ?? 0 > entry.generation { return true }
        // A former member doesn't get the present name.
        let isMember = conversation.members[device.user.index] != nil
        if !isMember, events[entry.position]?.isOfAppearance == true { return true }
        if told.contains(entry.position) { return true }
        if let leftOut = gaps[entry.conversation] {
            if entry.position <= leftOut.floor { return true }
            // A gap excuses messages and what became of them, and no change of the conversation.
            let isLeftOut = leftOut.messages.contains {
                $0.range.contains(entry.sequence) && entry.position <= $0.head
            }
            if isLeftOut, entry.kind != .conversation { return true }
        }
        if conversation.kind == .group, let pinned = pinned(at: entry.position), pinned >= 1,
            pinned <= conversation.messages.count
        {
            return mayHaveBlocked(device.user.index, conversation.messages[Int(pinned) - 1].sender)
        }
        guard entry.kind == .edit else { return false }
        let message = conversation.messages[Int(entry.sequence) - 1]
        return message.isDeleted || message.editedAt > entry.position
    }

    /// The message that the event at this position pins or unpins; nil if it does something else.
    private func pinned(at position: Int64) -> Int64? {
        switch events[position]?.change {
        case .pin(let sequence), .unpin(let sequence): sequence.value
        default: nil
        }
    }

    /// The durable cursor of a device.
    func cursor(of user: Int, _ name: String) -> Int64? {
        devices.first { $0.value.user == user && $0.value.name == name }.flatMap { cursors[$0.key] }
    }

    /// Where in a user's feed the first entry above a position is.
    func place(in user: Int, above position: Int64) -> Int {
        var low = 0
        var high = feeds[user].count
        while low < high {
            let middle = (low + high) / 2
            if feeds[user][middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
