import RoostWire

/// A person with devices, and what the checker knows of them. Owned by the simulation.
final class SimulatedUser {
    let index: Int
    let name: String
    var devices: [SimulatedDevice] = []
    /// Messages that were said and for which no `ok` came yet, and the newest that got one.
    var unanswered: [SendIntent] = []
    var answered: [SendIntent] = []
    /// Keys whose `ok` said that they were new.
    var toldAsNew: [String: Int64] = [:]
    /// The wall-clock time at which the user was last here, as far as the checker can tell.
    var lastSeen: ClosedRange<Int64>?
    /// What others should be told, and since when it hasn't changed, in monotonic milliseconds.
    var truth = Truth.offline
    var truthSince: Int64 = 0
    /// When each state was true last, other than now.
    var wasTrue: [Truth: Int64] = [:]
    /// By conversation: the least and the most that the user can have read.
    var read: [Int: ClosedRange<Int64>] = [:]
    /// By conversation: when its typing must be over.
    var typingUntil: [Int: Int64] = [:]
    /// By conversation: when it went from there last.
    var left: [Int: Int64] = [:]
    /// By conversation: messages up to this one were acked by some device.
    var delivered: [Int: Int64] = [:]

    init(_ index: Int) {
        self.index = index
        name = "u\(index)"
    }

    enum Truth: String {
        case online, away, offline
    }

    /// What the user's devices come to.
    func state(at now: Int64) -> Truth {
        var state = Truth.offline
        for device in devices {
            let activity: Activity
            if let connection = device.connection, connection.isReady {
                activity = connection.activity
            } else if let linger = device.linger, linger.until > now {
                activity = linger.activity
            } else {
                continue
            }
            if activity == .active { return .online }
            if activity == .idle { state = .away }
        }
        return state
    }
}

/// A device as long as the simulation runs: what it has processed outlives its connections and the relay.
final class SimulatedDevice {
    let user: SimulatedUser
    let name: String
    /// The one that the relay takes for it.
    var connection: SimulatedConnection?
    /// The one that the device itself believes in.
    var current: SimulatedConnection?
    /// It dropped, and counts as it was until then.
    var linger: (activity: Activity, until: Int64)?
    /// Positions of events that it has read from the wire, in whatever connection.
    var received: Set<Int64> = []
    /// By conversation: rows up to here were announced as a gap.
    var gaps: [Int: Int64] = [:]
    /// Whatever is at or below it was never this device's to get: it was new then.
    var base: Int64?
    /// It resumed once at a position below its cursor.
    var hasGoneBack = false
    /// The highest position it has acked, learnt from whatever.
    var highestAck: Int64 = 0
    /// It doesn't come back before this step.
    var asleepUntil = 0
    /// The highest event it has processed.
    var processed: Int64 = 0

    init(_ user: SimulatedUser, _ number: Int) {
        self.user = user
        name = "d\(number)"
    }

    var label: String { "\(user.name)/\(name)" }
}

/// A message that somebody wants to be sent, however often it takes.
struct SendIntent {
    var key: String
    /// Of the command, as JSON without type and id.
    var members: String
    var isToPeer: Bool
    /// Where it goes, unless it goes to a peer.
    var conversation: Int?
    var isReply: Bool
    /// The first `ok`: sequence and position.
    var stored: (sequence: Int64, position: Int64)?
}
