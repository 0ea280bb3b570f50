import RoostWire

/// The stored form of a user's presence, so that a restart shows no user as gone who comes back soon.
public struct StoredPresence: Hashable, Sendable {
    /// The state that followed from the user's devices.
    public var state: PresenceState
    /// Whether the user had a connection that counts. After a crash, such a user was last seen when the relay was last
    /// alive.
    public var isHere: Bool
    /// When the user was last here; `.never` if never. Not kept up to date while the user is here.
    public var lastSeen: Timestamp

    /// The presence of an absent user by default.
    public init(_ state: PresenceState = .offline, isHere: Bool = false, lastSeen: Timestamp = .never) {
        self.state = state
        self.isHere = isHere
        self.lastSeen = lastSeen
    }
}

/// The state of a user, as others see it. The numbers are stored.
public enum PresenceState: UInt8, CaseIterable, Sendable {
    /// No device counts.
    case offline = 0
    /// No device is active, and one is idle.
    case away = 1
    /// A device is active.
    case online = 2
    /// A device counts, and the user doesn't want to be disturbed. Never stored: it follows from the status.
    case busy = 3

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .offline: "offline"
        case .away: "away"
        case .online: "online"
        case .busy: "busy"
        }
    }
}
