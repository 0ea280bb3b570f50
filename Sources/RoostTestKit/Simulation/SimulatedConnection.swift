import RoostCore
import RoostWire

/// One connection from the client's side: what it waits for and what it got. Owned by the simulation until the relay
/// knows that the connection is gone.
final class SimulatedConnection {
    /// The speed at which its client reads.
    enum Reading: Equatable {
        case fast
        /// Reads at most so many bytes at once.
        case slow(Int)
        case stuck
    }

    /// The way in which its client acks events.
    enum Acking {
        case prompt, late, never
    }

    /// The gap that follows the joining of a conversation.
    struct Joining {
        var conversation: Int
        var from: Int64
        var to: Int64
        /// False if the user has left since: the relay may have known that when it wrote.
        var isRequired: Bool
    }

    /// Positions in `ok` answers. They say nothing about earlier events.
    struct Told {
        var positions: Set<Int64> = []
        /// Those of messages whose events don't come as well.
        var messages: Set<Int64> = []
    }

    /// Frames that its client waits for besides replies.
    struct Awaited {
        /// `live`.
        var live = true
        /// The user has just joined, so the next frame must contain the earlier state.
        var joining: Joining?
    }

    /// The last activity that the client sent.
    struct Use {
        var activity: PresenceActivity
        /// When its user is away because of it, if it is idle; and the same of the connection that it replaced.
        var awayAt = Int64.min
        var wasAwayAt: Int64?
    }

    /// A command that wants a reply.
    struct Pending {
        enum Kind {
            case hello(resume: Int64?), refresh(Int64), bye
            case send(SendIntent), change(EventKind), create
            case ack(Int64), read(conversation: Int, Int64), typing(Int, thread: Int, Bool)
            case activity(PresenceActivity), status(StatusChoice?, String?), watch(Int), unwatch(Int)
            case watchCount(Int), unwatchCount(Int)
            case privacy(PrivacyChange), except(Int, PrivacyException?), unblock(Int)
            case setProfile, getUsers, findUsers
            case receipts(conversation: Int, Int64)
            case list, members(conversation: Int), history(conversation: Int, thread: Int64? = nil), devices
            case leave(conversation: Int), contact(Acquaintances.Deed, Int)
            case setProspect(name: String), report(text: String, isKept: Bool), sendToDeleted
            case setState(String), getState
            /// Links by their places in `InviteTruth`; a group by its index.
            case makeInvite(group: Int?, uses: Int), revokeInvite(Int), showInvite(Int), openInvite(Int)
            case listInvites, listContacts
            case listRequests, getConversation(Int), answerRequest(Int, isAccepted: Bool)
            /// It names a user who doesn't exist.
            case mistype
            case other
        }

        var kind: Kind
        var saidAt: Int64
        /// The promises of its `ok`.
        var pledges: [Promises.Pledge] = []
        /// Whether it opens a link and counts as a use of it, if it is stored.
        var isUse = false
    }

    let session: Session
    let device: SimulatedDevice
    let number: Int
    var reading: Reading
    /// The monotonic time in milliseconds since which it reads everything at once.
    var calmSince: Int64
    var acking: Acking
    /// The relay has asked the host to write to it.
    var isDue = false
    /// The client has gone silently: it neither reads nor speaks, and the relay can't know.
    var hasVanished = false
    /// The relay closed it; nothing may come any more.
    var isClosed = false
    /// It got the warning that the relay stops.
    var wasWarned = false
    var isBackground: Bool
    var use: Use
    /// The last activity that the client sent.
    var activity: PresenceActivity { use.activity }
    var pending: [Int64: Pending] = [:]
    var nextID: Int64 = 1

    var isWelcome = false
    /// The position in `welcome`, then that of the newest event that came.
    var position: Int64 = 0
    /// Index in the user's feed of the next entry to come.
    var place = 0
    var gaps: [Int: Ledger.LeftOut] = [:]
    /// The frames that must come next.
    var awaited = Awaited()
    var told = Told()
    var acked: Int64 = 0
    /// When the accepted token ends, by the wall clock.
    var tokenEnds: Int64 = .max
    /// The monotonic time at which the relay last heard from the client.
    var heardAt: Int64
    var unackedEvents: [Int64] = []

    /// The client's latest knowledge.
    var belief = Belief()

    init(_ session: Session, _ device: SimulatedDevice, _ number: Int, isBackground: Bool, at now: Int64) {
        self.session = session
        self.device = device
        self.number = number
        self.isBackground = isBackground
        use = Use(activity: isBackground ? .background : .active)
        belief.isInBackground = isBackground
        reading = .fast
        calmSince = now
        heardAt = now
        belief.begunAt = now
        acking = .prompt
    }

    /// Whether the relay counts it as connected.
    var isReady: Bool { session.isReady }
    /// Whether its client reads everything at once.
    var isFast: Bool { reading == .fast && !hasVanished }
    /// Whether what it reads now was written at most a moment ago.
    func isUpToDate(at time: Int64) -> Bool { isFast && time - calmSince > World.lateness }
    /// Nothing that its client reads now was written before this time.
    func writtenSince(at time: Int64) -> Int64 {
        isUpToDate(at: time) ? time - World.lateness : belief.begunAt
    }

    /// A name in messages to people.
    var label: String { "\(device.label)#\(number)" }
}
