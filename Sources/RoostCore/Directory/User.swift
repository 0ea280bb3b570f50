import RoostWire

/// A user with devices, sessions and memberships, for as long as the relay runs. The directory decides about changes.
/// Loop thread only.
final class User {
    let number: UserNumber
    let name: String
    private(set) var devices: [Device] = []
    /// Ready sessions.
    private(set) var sessions: [Session] = []
    private let roll: Roll
    /// Where the roll has these sessions.
    let seat: Roll.Seat
    /// Memberships as committed, in no particular order.
    private(set) var conversations: [ConversationNumber: Member] = [:]
    /// The same memberships in an order that doesn't depend on chance, for work that looks at each.
    private(set) var memberships: [Member] = []
    /// Number of those that the user opened or answered.
    private(set) var ownConversations = 0
    private var opened = Opened()
    /// By how many conversations `conversations` will grow when everything under way is stored.
    private(set) var conversationsJoining = 0
    /// Conversations that the user left or was removed from, until joining again.
    private(set) var departures: [ConversationNumber: Departure] = [:]
    /// The other users of direct conversations in which both are members.
    private(set) var peers = Peers()
    /// The only membership of the hidden conversation with its own settings; nil as long as it has set none.
    private(set) var settings: Member?
    var typist = Typing.Typist()
    /// An ack that is being noted in the user's conversations.
    var acked: AckedConversations?
    var presence: Presence.Person
    var privacy: Privacy
    /// Nil until it is given for the first time.
    var profile: Profile?
    var contacts = Contacts()
    var revoked = Revocations()
    var retold = Retellings.Wanted()
    var counted = GroupCounts.Memberships()
    var badge = Badges.Sum()
    /// The recent cost of the user's commands.
    var spent = Spent()

    init(
        _ number: UserNumber, name: String, presence: StoredPresence = StoredPresence(),
        status: StoredStatus = StoredStatus(), privacy: PrivacySettings = PrivacySettings(), _ roll: Roll
    ) {
        self.number = number
        self.name = name
        self.roll = roll
        seat = roll.take()
        self.privacy = Privacy(privacy)
        self.presence = Presence.Person(presence, status)
    }

    deinit { roll.leave(seat) }

    // MARK: Devices and sessions

    func device(named name: String) -> Device? { devices.first { $0.name == name } }

    func add(_ device: Device) { devices.append(device) }

    func remove(_ device: Device) { devices.removeAll { $0 === device } }

    /// Forgets the devices, with their names, if the user has left for good, but for those that are connected.
    func forgetDevicesIfGone(_ journal: Journal) {
        guard profile?.stored.isDeleted == true else { return }
        for device in devices where device.session == nil {
            remove(device)
            journal.store(.forgetDevice(device.number))
        }
    }

    /// A session became ready.
    func add(_ session: Session, _ settled: borrowing Settled) {
        sessions.append(session)
        roll.note(sessions, of: seat)
    }

    /// A ready session has ended.
    func remove(_ session: Session, _ settled: borrowing Settled) {
        sessions.removeAll { $0 === session }
        roll.note(sessions, of: seat)
    }

    // MARK: Memberships

    /// The hidden conversation with its own settings. It isn't among its conversations, so it counts and is listed
    /// nowhere, and can't be named.
    func openSettings(_ settled: borrowing Settled) -> Conversation {
        if let settings { return settings.conversation }
        let hidden = Conversation(
            ConversationNumber(settingsOf: number), id: "", kind: .group, name: "", opener: self, roll)
        let member = Member(
            self, of: hidden, role: .owner, since: .none, joinedAt: .start, joinedAfter: .none, isOwn: true)
        hidden.admit(member, settled)
        settings = member
        return hidden
    }

    /// Number of conversations that it is or was in.
    var placeCount: Int { memberships.count + departures.count }

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
        badge.leave(member)
        memberships.removeBySwap(at: member.place)?.place = member.place
    }

    /// The member, who is this user, has written to the conversation or changed something in it.
    func answer(_ member: Member) {
        member.noteAnswer()
        ownConversations += 1
    }

    /// Conversations that the user is about to open.
    var opening: Int { opened.underWay }

    /// Conversations that the user opened, is in or has left, without any act of another user.
    var unanswered: Int { opened.unanswered }

    func countOpening(_ difference: Int) { opened.underWay += difference }

    func countUnanswered(_ difference: Int) { opened.unanswered += difference }

    /// Whether no token can name it: an import gives such a user the messages that it doesn't have.
    private var isMadeUp: Bool { name.utf8.first == UInt8(ascii: "@") }

    /// Whether it has connected, or was given a profile: the name is in use.
    var hasAccount: Bool {
        !devices.isEmpty || !sessions.isEmpty || presence.lastSeen != .never || profile != nil
    }

    /// Whether more is known of it than that another user has named it, by a block or an invitation.
    var isMet: Bool {
        hasAccount || !conversations.isEmpty || !departures.isEmpty || opening > 0 || settings != nil
    }

    /// Whether nothing would be lost if the user were forgotten: it never came, no conversation has or had it, no user
    /// hides from it, it has no profile, settings or contacts, and no token of it was revoked.
    var isNobody: Bool {
        devices.isEmpty && sessions.isEmpty && conversations.isEmpty && departures.isEmpty && conversationsJoining == 0
            && opening == 0 && settings == nil && presence.lastSeen == .never && privacy.isAlone && revoked.isEmpty
            && profile == nil && contacts.isEmpty && !isMadeUp
    }

    /// The conversation was erased.
    func forgetDeparture(_ conversation: ConversationNumber) { departures[conversation] = nil }

    func countJoining(_ difference: Int) { conversationsJoining += difference }

    /// The two users watch each other from now on.
    func pair(with other: User) {
        peers[other.number] = other
        other.peers[number] = self
    }

    /// The two users no longer watch each other.
    func part(from other: User) {
        peers[other.number] = nil
        other.peers[number] = nil
    }

    /// Whether the conversation with the other user is there for this one.
    func veil(_ other: UserNumber, _ isVeiled: Bool) {
        peers.veil(other, isVeiled)
    }
}

extension User {
    /// Number of conversations that a user opens or has opened.
    private struct Opened {
        var underWay = 0
        var unanswered = 0
    }

    /// The spent part of a user's allowances.
    struct Spent {
        /// On commands.
        var commands = Spending()
        /// On connecting and catching up.
        var arrivals = Spending()
        /// On naming others.
        var naming = Naming.Spent()
        /// On reports of others.
        var reports = Spending()
    }
}

/// An ended membership. Devices that were away must still get its last events.
struct Departure {
    var joinedAt: Position
    var leftAt: Position
    /// Messages up to this one were not shown to the user.
    var since: SequenceNumber
}
