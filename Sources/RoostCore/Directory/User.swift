import RoostWire

/// A user as long as the relay runs: devices, sessions, memberships. The directory decides what becomes of them. Loop
/// thread only.
final class User {
    let number: UserNumber
    let name: String
    private(set) var devices: [Device] = []
    /// Sessions that are ready.
    private(set) var sessions: [Session] = []
    /// Memberships as committed, in no order.
    private(set) var conversations: [ConversationNumber: Member] = [:]
    /// Conversations more when everything under way is stored.
    private(set) var conversationsJoining = 0
    /// Where the user was removed or left, until it joins again.
    private(set) var departures: [ConversationNumber: Departure] = [:]
    /// The other users of direct conversations in which both are members.
    private(set) var peers: [UserNumber: User] = [:]
    var presence: Presence.Person

    init(_ number: UserNumber, name: String, lastSeen: Timestamp = .never, isOnline: Bool = false) {
        self.number = number
        self.name = name
        presence = Presence.Person(lastSeen: lastSeen, isOnline: isOnline)
    }

    // MARK: Devices and sessions

    func device(named name: String) -> Device? { devices.first { $0.name == name } }

    func add(_ device: Device) { devices.append(device) }

    func remove(_ device: Device) { devices.removeAll { $0 === device } }

    /// A session is ready.
    func add(_ session: Session) {
        sessions.append(session)
        forgetAudiences()
    }

    /// A session that was ready has ended.
    func remove(_ session: Session) {
        sessions.removeAll { $0 === session }
        forgetAudiences()
    }

    private func forgetAudiences() {
        for member in conversations.values { member.conversation.forgetAudience() }
    }

    // MARK: Memberships

    func join(_ member: Member) {
        conversations[member.conversation.number] = member
        departures[member.conversation.number] = nil
    }

    func leave(_ conversation: ConversationNumber, _ departure: Departure) {
        conversations[conversation] = nil
        departures[conversation] = departure
    }

    /// The conversation is no more.
    func forgetDeparture(_ conversation: ConversationNumber) { departures[conversation] = nil }

    func countJoining(_ difference: Int) { conversationsJoining += difference }

    /// The two watch each other.
    func pair(with other: User) {
        peers[other.number] = other
        other.peers[number] = self
    }

    /// The two don't watch each other any more.
    func part(from other: User) {
        peers[other.number] = nil
        other.peers[number] = nil
    }
}

/// A membership that ended: its last event is still owed to devices that were away.
struct Departure {
    var joinedAt: Position
    var leftAt: Position
    /// Messages up to this one were not shown to the user.
    var since: SequenceNumber
}
