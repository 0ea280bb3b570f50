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
    /// By how many conversations this will grow when everything under way is stored.
    private(set) var conversationsJoining = 0
    /// Conversations that the user left or was removed from, until joining again.
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
}

/// An ended membership. Devices that were away must still get its last events.
struct Departure {
    var joinedAt: Position
    var leftAt: Position
    /// Messages up to this one were not shown to the user.
    var since: SequenceNumber
}
