import RoostCore
import RoostWire

/// One connection from the client's side: what it waits for and what it was told. Owned by the simulation until the
/// relay has been told that the connection is gone.
final class SimulatedConnection {
    /// How its client reads.
    enum Reading: Equatable {
        case fast
        /// At most so many bytes at once.
        case slow(Int)
        case stuck
    }

    /// How its client acks what it processes.
    enum Acking {
        case prompt, late, never
    }

    /// A command that wants a reply.
    struct Pending {
        enum Kind {
            case hello(resume: Int64?), refresh(Int64), bye
            case send(SendIntent), change(EventKind), create
            case ack(Int64), read(conversation: Int, Int64), typing(Int, Bool)
            case activity(Activity), watch(Int), unwatch(Int)
            case list, members(conversation: Int), history(conversation: Int)
            case leave(conversation: Int)
            case other
        }

        var kind: Kind
        var saidAt: Int64
    }

    let session: Session
    let device: SimulatedDevice
    let number: Int
    var reading: Reading
    /// Since when it has read fast and everything, in monotonic milliseconds.
    var calmSince: Int64
    var acking: Acking
    /// The relay wants the host to look after it.
    var isDue = false
    /// The client has gone without a word: it neither reads nor speaks, and the relay can't know.
    var hasVanished = false
    /// The relay closed it; nothing may come any more.
    var isClosed = false
    /// It was told that the relay stops.
    var wasWarned = false
    var isBackground: Bool
    /// The client's word for how it is; nil before `welcome`.
    var activity: Activity
    var pending: [Int64: Pending] = [:]
    var nextID: Int64 = 1

    var isWelcome = false
    /// Where the server said the device is, then the newest event that came.
    var position: Int64 = 0
    /// Place in the user's feed of the first entry that is still to come.
    var place = 0
    var gaps: [Int: Int64] = [:]
    /// Positions that came by `ok`, which are no word about what was before them.
    var told: Set<Int64> = []
    var acked: Int64 = 0
    /// The wall-clock time at which the token ends that the relay has accepted.
    var tokenEnds: Int64 = .max
    /// The monotonic time of the last word that the relay heard.
    var heardAt: Int64
    var unackedEvents: [Int64] = []

    /// What it was told last.
    var presence: [Int: String] = [:]
    var watching: Set<Int> = []
    var typing: Set<Ledger.Pair> = []
    var receipts: [Ledger.Pair: Ledger.Mark] = [:]
    var objects: [Int: (unread: Int64, read: Int64, count: Int64, sequence: Int64)] = [:]
    var rosters: [Int: JSONValue] = [:]

    init(_ session: Session, _ device: SimulatedDevice, _ number: Int, isBackground: Bool, at now: Int64) {
        self.session = session
        self.device = device
        self.number = number
        self.isBackground = isBackground
        activity = isBackground ? .background : .active
        reading = .fast
        calmSince = now
        heardAt = now
        acking = .prompt
    }

    /// The relay takes it for connected.
    var isReady: Bool { session.isReady }
    var isFast: Bool { reading == .fast && !hasVanished }
    var label: String { "\(device.label)#\(number)" }
}
