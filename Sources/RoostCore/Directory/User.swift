import RoostWire

/// A user as long as the relay runs: devices, sessions, conversations, presence. Loop thread only.
final class User {
    let number: UserNumber
    let name: String
    var devices: [Device] = []
    /// Sessions that are ready.
    var sessions: [Session] = []
    /// Conversations as committed, in no order.
    var conversations: [ConversationNumber: Member] = [:]
    /// Conversations more when everything under way is stored.
    var conversationsJoining = 0
    /// Where the user was removed or left, until it joins again.
    var departures: [ConversationNumber: Departure] = [:]
    /// Other users of direct conversations.
    var peers: [UserNumber: User] = [:]
    var presence: Presence.Person

    init(_ number: UserNumber, name: String, lastSeen: Timestamp = .never, isOnline: Bool = false) {
        self.number = number
        self.name = name
        presence = Presence.Person(lastSeen: lastSeen, isOnline: isOnline)
    }

    /// A session came or went.
    func forgetAudiences() {
        for member in conversations.values { member.conversation.forgetAudience() }
    }

    func device(named name: Text) -> Device? {
        devices.first { device in name.bytes.elementsEqual(device.name.utf8) }
    }

    func device(named name: String) -> Device? { devices.first { $0.name == name } }
}

/// A device that keeps a cursor, connected or not.
final class Device {
    let number: DeviceNumber
    unowned let user: User
    let name: String
    var progress: Receipts.Cursor
    var session: Session?
    var presence = Presence.Linger()
    /// Monotonic; for choosing which device gives way.
    var awaySince: Int64

    init(_ number: DeviceNumber, of user: User, name: String, cursor: Position, at now: Int64) {
        self.number = number
        self.user = user
        self.name = name
        progress = Receipts.Cursor(cursor)
        awaySince = now
    }

    /// Everything up to here is acked.
    var cursor: Position { progress.position }
}

/// A membership that ended: its last event is still owed to devices that were away.
struct Departure {
    var joinedAt: Position
    var leftAt: Position
    var since: SequenceNumber
}
