import RoostWire

/// How a user's presence is stored, so that a restart shows nobody as gone who comes back soon.
public struct StoredPresence: Hashable, Sendable {
    /// What the user's devices made of it.
    public var state: PresenceState
    /// Whether the user had a connection that counts. After a crash, such a user was last seen when the relay was last
    /// alive.
    public var isHere: Bool
    /// When the user was last here; `.never` if never. Not kept up to date while the user is here.
    public var lastSeen: Timestamp

    /// The presence of somebody who isn't there, unless said otherwise.
    public init(_ state: PresenceState = .offline, isHere: Bool = false, lastSeen: Timestamp = .never) {
        self.state = state
        self.isHere = isHere
        self.lastSeen = lastSeen
    }
}

/// The state of a user, as others are told. The numbers are stored.
public enum PresenceState: UInt8, CaseIterable, Sendable {
    /// No device counts.
    case offline = 0
    /// No device is active, and one is idle.
    case away = 1
    /// A device is active.
    case online = 2
    /// A device counts, and the user doesn't want to be disturbed. Never stored: it follows from the status.
    case busy = 3

    /// As on the wire.
    public var word: StaticString {
        switch self {
        case .offline: "offline"
        case .away: "away"
        case .online: "online"
        case .busy: "busy"
        }
    }
}
