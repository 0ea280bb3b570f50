import RoostWire

/// One simulated device: its connection to the relay, the commands sent and not yet answered, and what it owes the
/// relay. It lives on the engine's thread and knows no due times: the crowd calls it when something is due.
final class Device {
    enum Phase: Equatable {
        /// Not connected and not meant to be.
        case away
        /// Not connected, with a timer running.
        case waiting
        case connecting
        /// `hello` is on its way.
        case greeting
        /// Welcome, and `live` hasn't come yet.
        case behind
        case live
    }

    /// The purpose of a command that waits for its reply.
    enum Purpose {
        case hello
        /// A message, with all that is needed to send it again.
        case message(Outgoing)
        case create(room: Int)
        case add
        case watch
        /// The same on a later connection.
        case watchAgain
        case list
    }

    /// A message, as it was sent first.
    struct Outgoing {
        var place: Int
        var number: Int
        var due: UInt64
        var sent: UInt64
        var length: Int
    }

    /// Messages that wait until the device may send.
    struct Outbox {
        /// Messages without a reply, or refused with `retry`; sent again with the same keys.
        var unanswered: [Outgoing] = []
        /// They became due while the device was away; never sent so far.
        var drafts: [Draft] = []

        var isEmpty: Bool { unanswered.isEmpty && drafts.isEmpty }
    }

    unowned let crowd: Crowd
    let index: Int
    let user: Int
    let persona: Int
    let name: String

    var phase = Phase.away
    var socket: ClientSocket?
    /// Counts connections, so that a timer of an earlier one does nothing.
    var session = 0
    /// When it was decided to connect.
    var connectDue: UInt64 = 0
    var readyAt: UInt64 = 0
    /// Failed tries since the last `welcome`.
    var failures = 0
    /// Seconds after which the relay asked it to come back, when it announced its end.
    var askedBackIn: Double?
    var places = PlaceIndex()

    /// Commands of this connection that wait for their replies.
    var pending = ReplyQueue()
    /// Frames to send on the next connection.
    var outbox = Outbox()

    /// The position of the last event that was taken, and that of the last ack, as the relay wrote them. They outlive
    /// the connection: what `welcome` says is compared with them.
    var takenPosition: [UInt8] = []
    var ackedPosition: [UInt8] = []
    var isAckPlanned = false

    /// Stopped reading, by plan.
    var isStalled = false
    /// Deliveries that were due before this have no latency: the device stalled or was away by plan. Being cut off is
    /// no plan.
    var measuresFrom: UInt64 = 0
    /// It is away or stalls by plan, so that it measures from its return.
    var isExcused = true
    /// Messages that it had missed when the last `welcome` came.
    var missed = 0
    /// Pairs in which it is the watcher.
    var pairs: [Int] = []
    /// Away by plan, until the plan calls it back.
    var isHeldAway = false

    init(crowd: Crowd, index: Int, user: Int, persona: Int, name: String) {
        self.crowd = crowd
        self.index = index
        self.user = user
        self.persona = persona
        self.name = name
    }

    /// Its place in a conversation.
    func place(in room: Int) -> Int? { places.all.first { crowd.cast.places[Int($0)].room == room }.map { Int($0) } }

    var isReady: Bool { phase == .behind || phase == .live }

    /// Notes a command, and gives it its id.
    func expectReply(_ purpose: Purpose) -> Int { pending.expect(purpose) }
}

/// A message that is due at a time and not written yet: what the scenario decides of it.
struct Draft {
    var place: Int
    var due: UInt64
    var length: Int
}
