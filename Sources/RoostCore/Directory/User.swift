import RoostWire

/// A user with devices, sessions and memberships, for as long as the relay runs. The directory decides about changes.
/// Loop thread only.
final class User {
    let number: UserNumber
    let name: String
    private(set) var devices: [Device] = []
    /// Ready sessions.
    private(set) var sessions: [Session] = []
    /// Memberships as committed, in no particular order.
    private(set) var conversations: [ConversationNumber: Member] = [:]
    /// The same memberships in an order that doesn't depend on chance, for work that looks at each.
    private(set) var memberships: [Member] = []
    /// How many of them the user opened or answered.
    private(set) var ownConversations = 0
    /// Conversations that the user is about to open.
    private(set) var opening = 0
    /// Conversations that the user opened, is in or has left, in which nobody else has done anything.
    private(set) var unanswered = 0
    /// By how many conversations `conversations` will grow when everything under way is stored.
    private(set) var conversationsJoining = 0
    /// Conversations that the user left or was removed from, until joining again.
    private(set) var departures: [ConversationNumber: Departure] = [:]
    /// Memberships of conversations that know the sessions of their members, and must be told when these change.
    private var listening: [Member] = []
    /// The other users of direct conversations in which both are members.
    private(set) var peers: [UserNumber: User] = [:]
    /// The same in the order in which they became so.
    private(set) var peersInOrder: [User] = []
    var typist = Typing.Typist()
    /// An ack that is being noted in the user's conversations.
    var acked: AckedConversations?
    var presence: Presence.Person
    /// What the user's commands have cost lately.
    var spent = Spending()
    /// Unknown users whom the user has named lately, and users whom it has put into conversations.
    var introduced = Spending()
    var added = Spending()

    init(_ number: UserNumber, name: String, lastSeen: Timestamp = .never, isOnline: Bool = false) {
        self.number = number
        self.name = name
        presence = Presence.Person(lastSeen: lastSeen, isOnline: isOnline)
    }

    // MARK: Devices and sessions

    func device(named name: String) -> Device? { devices.first { $0.name == name } }

    func add(_ device: Device) { devices.append(device) }

    func remove(_ device: Device) { devices.removeAll { $0 === device } }

    /// A session became ready.
    func add(_ session: Session, _ settled: borrowing Settled) {
        sessions.append(session)
        forgetAudiences()
    }

    /// A ready session has ended.
    func remove(_ session: Session, _ settled: borrowing Settled) {
        sessions.removeAll { $0 === session }
        forgetAudiences()
    }

    /// The conversation has noted the user's sessions.
    @inline(__always)
    func noteListening(_ member: Member) {
        guard !member.isListening else { return }
        member.isListening = true
        listening.append(member)
        if listening.count > User.listeningMax { forgetAudiences(of: User.listeningMax / 2) }
    }

    /// So many conversations are told at most when a session comes or goes: 0.1 ms of work. Others have no list of
    /// sessions at that time, and look for them when there is something to deliver.
    private static let listeningMax = 1_024

    private func forgetAudiences(of count: Int = .max) {
        for member in listening.prefix(count) {
            member.isListening = false
            member.conversation.forgetAudience()
        }
        listening.removeFirst(min(count, listening.count))
    }

    // MARK: Memberships

    func join(_ member: Member) {
        conversations[member.conversation.number] = member
        departures[member.conversation.number] = nil
        member.place = memberships.count
        memberships.append(member)
        if member.isOwn { ownConversations += 1 }
    }

    func leave(_ conversation: ConversationNumber, _ departure: Departure) {
        departures[conversation] = departure
        guard let member = conversations.removeValue(forKey: conversation) else { return }
        if member.isOwn { ownConversations -= 1 }
        if member.isListening { listening.removeAll { $0 === member } }
        // The last one takes its place.
        guard let last = memberships.popLast(), last !== member else { return }
        last.place = member.place
        memberships[member.place] = last
    }

    /// The member, who is this user, has written to the conversation or changed something in it.
    func answer(_ member: Member) {
        member.noteAnswer()
        ownConversations += 1
    }

    func countOpening(_ difference: Int) { opening += difference }

    func countUnanswered(_ difference: Int) { unanswered += difference }

    /// Whether no token can name it: an import gives such a user the messages that it doesn't have.
    private var isMadeUp: Bool { name.utf8.first == UInt8(ascii: "@") }

    /// Whether nothing would be lost if the user were forgotten: it never came, and no conversation has or had it.
    var isNobody: Bool {
        devices.isEmpty && sessions.isEmpty && conversations.isEmpty && departures.isEmpty && conversationsJoining == 0
            && opening == 0 && presence.lastSeen == .never && !isMadeUp
    }

    /// The conversation was erased.
    func forgetDeparture(_ conversation: ConversationNumber) { departures[conversation] = nil }

    func countJoining(_ difference: Int) { conversationsJoining += difference }

    /// The two users watch each other from now on.
    func pair(with other: User) {
        guard peers.updateValue(other, forKey: other.number) == nil else { return }
        other.peers[number] = self
        peersInOrder.append(other)
        other.peersInOrder.append(self)
    }

    /// The two users no longer watch each other.
    func part(from other: User) {
        guard peers.removeValue(forKey: other.number) != nil else { return }
        other.peers[number] = nil
        peersInOrder.removeAll { $0 === other }
        other.peersInOrder.removeAll { $0 === self }
    }
}

/// An ended membership. Devices that were away must still get its last events.
struct Departure {
    var joinedAt: Position
    var leftAt: Position
    /// Messages up to this one were not shown to the user.
    var since: SequenceNumber
}
