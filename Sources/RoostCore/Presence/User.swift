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

    /// Sessions that asked by `watch`.
    var watchers: [SessionID: Session] = [:]
    var lastSeen: Timestamp
    /// What watchers were told last.
    var announced = PresenceState.offline
    var isPresenceDirty = false
    /// What the store says.
    var isStoredOnline = false
    var storedLastSeen: Timestamp

    init(_ number: UserNumber, name: String, lastSeen: Timestamp) {
        self.number = number
        self.name = name
        self.lastSeen = lastSeen
        storedLastSeen = lastSeen
    }

    /// A session came or went.
    func forgetAudiences() {
        for member in conversations.values { member.conversation.forgetAudience() }
    }

    func device(named name: Text) -> Device? {
        devices.first { device in name.bytes.elementsEqual(device.name.utf8) }
    }

    func device(named name: String) -> Device? { devices.first { $0.name == name } }

    /// Online if any device is active, away if one is idle; one that dropped counts as it was until its grace ends.
    func presence(at now: Int64) -> PresenceState {
        var highest = Activity.background
        for device in devices {
            if let session = device.session {
                highest = max(highest, session.activity)
            } else if let linger = device.linger, linger.until > now {
                highest = max(highest, linger.activity)
            }
        }
        switch highest {
        case .active: return .online
        case .idle: return .away
        case .background: return .offline
        }
    }
}

/// What others are told of a user.
enum PresenceState {
    case offline
    case away
    case online

    var word: StaticString {
        switch self {
        case .offline: "offline"
        case .away: "away"
        case .online: "online"
        }
    }
}

/// A device that keeps a cursor, connected or not.
final class Device {
    let number: DeviceNumber
    unowned let user: User
    let name: String
    var cursor: Position
    var isCursorDirty = false
    var session: Session?
    /// Dropped without a bye: counts as it was for a while.
    var linger: (activity: Activity, until: Int64)?
    /// Monotonic; for choosing which device gives way.
    var awaySince: Int64

    init(_ number: DeviceNumber, of user: User, name: String, cursor: Position, at now: Int64) {
        self.number = number
        self.user = user
        self.name = name
        self.cursor = cursor
        awaySince = now
    }
}

extension Activity: Comparable {
    /// Less present before more present.
    public static func < (one: Activity, other: Activity) -> Bool { one.rawValue < other.rawValue }
}

/// A membership that ended: its last event is still owed to devices that were away.
struct Departure {
    var joinedAt: Position
    var leftAt: Position
    var since: SequenceNumber
}
