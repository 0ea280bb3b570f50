import RoostFraming
import RoostWire

/// Identifies a session for other threads, which must not hold the object.
public struct SessionID: Hashable, Sendable {
    /// Counted from 1, and never reused in a process.
    public let value: UInt64
    /// Wraps a number that the Relay assigned.
    public init(_ value: UInt64) { self.value = value }
}

/// One connection as Relay sees it: its user and device, its position, its waiting frames, and the state that each part
/// keeps for it. It lives on the loop thread from `Relay.open` to `Relay.close`. The host reads `outbox` and `closing`
/// at the end of a turn.
public final class Session {
    enum Phase {
        case awaitingHello
        case verifying
        case ready
        case ended
    }

    /// The rights of a token besides being its user's.
    struct Permit {
        /// The name of an operator whose token lets the session use the operators' commands, all or some; nil for other
        /// tokens. An operator's session may belong to no user.
        fileprivate(set) var operatorName: String?
        /// Whether that is an operator, or a service if not.
        fileprivate(set) var isOperator = false
        /// Whether it is a service.
        fileprivate(set) var isService = false
        /// The sign-in that the token belongs to.
        fileprivate(set) var signIn: String?

        fileprivate init() {}

        fileprivate init(_ grant: Grant) {
            (isOperator, isService, signIn) = (grant.isOperator, grant.isService, grant.signIn)
            if isOperator || isService { operatorName = grant.user }
        }
    }

    // Members that a fan-out touches come first, so that they share few cache lines.

    /// Frames for the host to write.
    public var outbox = Outbox()
    var feed = Feed()
    private(set) var phase = Phase.awaitingHello
    var visit = DirectEdge.Slot()
    /// Whether its user caused an entry of the collecting run (see `FanOutRun`).
    var isApart = false
    /// Bytes that the host has taken from the outbox and that the socket hasn't taken.
    public var heldBytes = 0
    /// The host's connection.
    public var attachment: AnyObject?

    /// Its identity for other threads.
    public let id: SessionID
    /// The host writes what it can and then closes the connection with this code.
    public private(set) var closing: CloseCode?
    /// Why it ended; nil while it goes on.
    private(set) var endReason: EndReason?
    /// The last command that was refused.
    var lastError: ErrorCode?
    /// Whether it has been removed from everything that delivers to it.
    private(set) var isTakenOut = false
    unowned(unsafe) private(set) var user: User?
    unowned(unsafe) private(set) var device: Device?
    /// The rights of its newest token.
    private(set) var permit = Permit()
    /// Ephemeral events held back because the session is slow.
    var owed: Set<Owed> = []

    var life: Sessions.Slot
    var prices = Prices.Slot()
    var chores = Chores.Slot()
    var directory = Directory.Slot()
    var presence = Presence.View()
    var counts = GroupCounts.View()
    var catchUp = CatchUp.Slot()
    var reads = Reads.Slot()

    init(_ id: SessionID, _ life: Sessions.Slot) {
        self.id = id
        self.life = life
    }

    /// The user's or operator's name once known. For logs.
    public var userName: String? { user?.name ?? operatorName }
    /// The name of an operator whose token lets the session use the operators' commands, all or some; nil for other
    /// tokens.
    var operatorName: String? { permit.operatorName }
    /// Whether `welcome` was sent and the session goes on.
    public var isReady: Bool { phase == .ready }
    /// Whether `hello` was sent, and its token is being checked.
    public var isVerifying: Bool { phase == .verifying }
    /// Whether the host must report when everything in the outbox has left for the network.
    public var wantsDrained: Bool { phase == .ready && (feed.state == .behind || !owed.isEmpty) }

    /// The user and device of a ready session.
    func speaker() throws(Refusal) -> (user: User, device: Device) {
        if let user, let device { return (user, device) }
        guard operatorName == nil else {
            throw Refusal(.forbidden, "this is an operator's session, which belongs to no user")
        }
        throw Refusal(.notReady, "send hello and wait for welcome first")
    }

    /// Whether it is a service's, which hands on what others say: a mistake of one of them is none of its own.
    var handsOn: Bool { user == nil && permit.isService }

    /// The speaker of a command without `as`: the session's user, from its device.
    @inline(__always)
    func ownSpeaker() throws(Refusal) -> Speaker {
        let (user, device) = try speaker()
        return Speaker(user, on: device.name)
    }

    /// Checks that the session may act for users.
    func checkActing() throws(Refusal) {
        guard handsOn else {
            throw Refusal(
                .forbidden,
                "as: only in a session that belongs to no user, with a token whose scope has the word service")
        }
    }

    /// Remembers what the last command named, for the next one. A service's names are each for another user.
    @inline(__always)
    func note(_ name: Text, is conversation: Conversation, for user: User) {
        if self.user === user { directory.destination.note(name, is: conversation, for: user) }
    }

    /// Checks that the session may use a command of operators.
    /// - Returns: the operator's name.
    func check(_ command: OperatorCommand) throws(Refusal) -> String {
        guard let operatorName else {
            throw Refusal(.forbidden, "only for a token whose scope has the word admin or service")
        }
        switch command.senders {
        case .both: break
        case .operators where permit.isOperator: break
        case .operators: throw Refusal(.forbidden, "only for a token whose scope has the word admin")
        case .services where handsOn: break
        case .services:
            throw Refusal(
                .forbidden, "only in a session that belongs to no user, with a token whose scope has the word service")
        }
        return operatorName
    }

    // MARK: Phases

    /// `hello` has arrived.
    func beginVerifying() {
        precondition(phase == .awaitingHello, "a session says hello once")
        phase = .verifying
    }

    /// The token could not be checked; `hello` may be sent again.
    func awaitHello() {
        assert(phase == .verifying, "only a session whose token was checked says hello again")
        phase = .awaitingHello
    }

    /// The token is valid. The session now belongs to this user's device.
    func begin(as user: User, on device: Device) {
        precondition(phase != .ended && self.user == nil, "a session begins once")
        self.user = user
        self.device = device
        phase = .ready
        feed.begin(at: device.cursor)
    }

    /// The token is valid, and the session belongs to no user.
    func begin(asOperator grant: Grant) {
        precondition(phase != .ended && user == nil, "a session begins once")
        permit(grant)
        phase = .ready
    }

    /// Takes the rights of the session's newest token.
    func permit(_ grant: Grant) { permit = Permit(grant) }

    /// Ends the session; nothing more is sent to it. The host sends this close code.
    func end(by code: CloseCode) {
        closing = code
        end(EndReason(code))
    }

    /// Ends the session, whose connection is already gone.
    func end(_ reason: EndReason) {
        precondition(phase != .ended, "a session ends once")
        endReason = reason
        phase = .ended
        feed.end()
        owed.removeAll()
    }

    /// Marks the session as removed everywhere. Returns false if it was marked before.
    func takeOut() -> Bool {
        defer { isTakenOut = true }
        return !isTakenOut
    }
}
