import RoostCore
import RoostWire

/// A person with devices, and what the checker knows of them. Owned by the simulation.
final class SimulatedUser {
    let index: Int
    let name: String
    var devices: [SimulatedDevice] = []
    /// Messages that got no `ok` yet, and those that got one.
    var unanswered: [SendIntent] = []
    var answered: [SendIntent] = []
    /// Keys whose `ok` said that they were new.
    var toldAsNew: [String: Int64] = [:]
    /// The wall-clock time at which the user was last online, as far as the checker knows.
    var lastSeen: ClosedRange<Int64>?
    /// The presence that others should see, and the monotonic time in milliseconds of its last change.
    var truth = Truth.offline
    var truthSince: Int64 = 0
    /// After a restart: until this time the user counts as before it.
    var ghost: (activity: PresenceActivity, until: Int64)?
    /// Whether the user was here when the checker last looked, and the monotonic time of the last change.
    var wasHere = false
    var hereSince: Int64 = 0
    /// The user's chosen status, and the monotonic time of the last change.
    var choice = StatusChoice.auto
    var text = ""
    var statusSince: Int64 = 0
    var secrecy = Secrecy()
    /// The text that others should see, the one before, and the time of the change.
    var toldText = ""
    var oldText = ""
    var textSince: Int64 = 0
    /// When each other state was last true.
    var wasTrue: [Truth: Int64] = [:]
    /// By conversation: the lowest and the highest read watermark that the relay may have.
    var read: [Int: ClosedRange<Int64>] = [:]
    /// By conversation: when its typing must be over.
    var typingUntil: [Int: Int64] = [:]
    /// By conversation and thread: when the user last said that it types there.
    var typedAt: [Ledger.Pair: Int64] = [:]
    /// By conversation: when the user last left it.
    var left: [Int: Int64] = [:]
    /// By conversation: messages up to this one were acked by some device.
    var delivered: [Int: Int64] = [:]

    init(_ index: Int) {
        self.index = index
        name = "u\(index)"
    }

    /// Whether it has left a conversation at this time or later.
    func hasLeft(since time: Int64) -> Bool { left.values.contains { $0 >= time } }

    /// The index in a user's name; nil if it isn't one of the simulation's.
    static func index(_ name: String?) -> Int? { name.flatMap { Int($0.dropFirst()) } }

    enum Truth: String {
        case online, away, busy, offline
    }

    /// The state of the user's most present device.
    func state(at now: Int64) -> Truth {
        guard choice != .invisible else { return .offline }
        var activities: [PresenceActivity] = []
        if let ghost, ghost.until > now { activities.append(ghost.activity) }
        for device in devices {
            if let connection = device.connection, connection.isReady {
                let isNew = connection.activity == .idle && connection.use.awayAt > now
                activities.append(isNew ? .active : connection.activity)
            } else if let linger = device.linger, linger.until > now {
                activities.append(linger.activity == .idle && linger.awayAt > now ? .active : linger.activity)
            }
        }
        guard activities.contains(where: { $0 != .background }) else { return .offline }
        switch choice {
        case .away: return .away
        case .busy: return .busy
        case .auto, .invisible: return activities.contains(.active) ? .online : .away
        }
    }

    /// Whether the user has a connection that counts, as far as others may know. A background fetch doesn't.
    var isHere: Bool {
        choice != .invisible
            && devices.contains { device in device.connection.map { $0.isReady && $0.activity != .background } ?? false
            }
    }
}

/// A device as long as the simulation runs: what it has processed outlives its connections and the relay.
final class SimulatedDevice {
    let user: SimulatedUser
    let name: String
    /// The connection that the relay counts as the device's.
    var connection: SimulatedConnection?
    /// The connection that the device itself uses.
    var current: SimulatedConnection?
    /// Set after a drop: until this time the device counts as it was.
    var linger: (activity: PresenceActivity, awayAt: Int64, until: Int64)?
    /// The end of its last connection, as the relay should report it; nil if there was none.
    var end: StoredEnd?
    /// Whether `end` is known: after a crash, what had just changed may be stored or not.
    var isEndKnown = true
    /// The monotonic time in milliseconds at which a connection began or ended, or another activity; and that of the
    /// last end.
    var changedAt = Int64.min / 2
    var endedAt = Int64.min / 2
    /// Positions of the events that it has read, on any connection.
    var received: Set<Int64> = []
    /// By conversation: what was announced as a gap.
    var gaps: [Int: Ledger.LeftOut] = [:]
    /// Its copy of its conversations.
    var memory = DeviceMemory()
    /// Its copy of its user's settings.
    var settings = DeviceSettings()
    /// Where the device began when it was new. It never gets events at or below this position.
    var base: Int64?
    /// Whether it once resumed below its cursor.
    var hasGoneBack = false
    /// The highest position that it has acked.
    var highestAck: Int64 = 0
    /// Whether it resumed at an older position, and keeps resuming until it has read everything again.
    var isRereading = false
    /// The step before which it doesn't come back.
    var asleepUntil = 0
    /// The last position that it has processed. Positions are opaque, so a client can only keep the last one.
    var processed: Int64 = 0

    init(_ user: SimulatedUser, _ number: Int) {
        self.user = user
        name = "d\(number)"
    }

    var label: String { "\(user.name)/\(name)" }
}

/// A message that a user wants to send, however many tries it takes.
struct SendIntent {
    var key: String
    /// The members of the command as JSON, without type and id.
    var members: String
    var isToPeer: Bool
    /// The conversation it goes to; nil if it goes to a peer.
    var conversation: Int?
    var isReply: Bool
    /// The message with which the thread began that it is for.
    var thread: Int64 = 0
    /// Whether its key was used before, for another message.
    var isClash = false
    /// The first `ok`: sequence and position.
    var stored: (sequence: Int64, position: Int64)?
}
