import DequeModule
import RoostWire

/// Users' typing: where, and until when. The server owns this state of a few seconds and never stores it. It ends by
/// itself unless the client repeats it. The others get a few members of a conversation by name; beyond those only that
/// several type. This type decides whether others must be notified; the caller does it. Loop thread only.
final class Typing {
    /// The state of one member. It is stored in the member, but only this type changes it.
    struct Mark {
        /// When typing ends, in monotonic milliseconds; nil if the member isn't typing.
        fileprivate var until: Int64?
        /// The message in whose thread the member types, as sent last; none for the conversation itself.
        fileprivate(set) var thread = SequenceNumber.none
        /// Whether others have been notified that the member is typing.
        fileprivate(set) var isNamed = false
        /// Whether it takes one of the names of its conversation.
        fileprivate var takesName = false
        /// Time when others were last notified that the member is typing, in monotonic milliseconds.
        fileprivate var toldAt = Int64.min / 2
        /// Time when others were notified that the member had begun to type, wherever it has moved since.
        fileprivate(set) var namedAt = Int64.min / 2
        /// When the timer that checks for the end is due; in the past if there is none.
        fileprivate var timerAt = Int64.min / 2
        /// Its place in the user's list while the member is typing.
        fileprivate var place = 0
        /// Counts what the member has said of its typing: the log's answer about anything but the last is too late.
        fileprivate(set) var turn: Int64 = 0

        /// Whether the member is typing.
        var isActive: Bool { until != nil }
    }

    /// Numbers of typing members of one conversation, among those who hide from no user. The others are shown by name
    /// where they may be seen, and count nowhere: otherwise a named or unnamed neighbour would show members that a
    /// hidden one types. It is stored in the conversation, but only this type changes it.
    struct Typers {
        /// Those that others have been notified of by name.
        fileprivate(set) var named = 0
        fileprivate(set) var unnamed = 0
        /// Whether the last notice to the members was that several type.
        fileprivate(set) var isSeveralTold = false
        /// Time of the first such notice since several type.
        fileprivate(set) var severalSince = Int64.min / 2
        /// Whether a member has paid for sending that several type, and for sending the end.
        fileprivate var isSeveralPaid = false
        /// Time of the last notice to the members that several type, or no longer do, in monotonic milliseconds.
        fileprivate var severalToldAt = Int64.min / 2
        fileprivate var hasTimer = false
        /// Number of members that wait for the log to say whether they may type in a thread.
        fileprivate(set) var asking = 0

        var count: Int { named + unnamed }

        /// Whether a message that is sent here can't end a member's typing.
        var isQuiet: Bool { count + asking == 0 }

        /// A single unnamed member isn't reported.
        fileprivate var isSeveral: Bool { unnamed >= 2 }
    }

    /// Where one user is typing. It is stored in the user, but only this type changes it.
    struct Typist {
        fileprivate(set) var members: [Member] = []
    }

    /// A member who waits for the log to say whether it may type in a thread.
    struct Asked {
        let member: Member
        fileprivate let turn: Int64
    }

    /// The effect of a member's `typing`.
    enum Step {
        /// Others know already, or were notified of a beginning or another thread a moment ago.
        case nothing
        /// Others are notified, with its name.
        case begins
        /// Others are notified that it types in another thread than before.
        case moves
        /// It is counted with the unnamed ones.
        case joins
    }

    /// The limits of this part.
    struct Bounds {
        let typersPerConversation: Int
        let membersMax: Int
        let lifeMilliseconds: Int64
        let againMilliseconds: Int64
        let severalMilliseconds: Int64

        init(_ limits: Limits) {
            typersPerConversation = limits.typersPerConversation
            membersMax = limits.typingMembersMax
            lifeMilliseconds = limits.typingMilliseconds
            againMilliseconds = limits.typingAgainMilliseconds
            severalMilliseconds = limits.severalTypingMilliseconds
        }
    }

    private let bounds: Bounds
    private var timers: TimerWheel<Member>
    /// One timer for each conversation whose members may have to be notified that several type, or no longer do.
    private var severalTimers: TimerWheel<Conversation>
    /// Conversations whose timer has fired.
    private var due = Deque<Conversation>()
    private var expiredAt: Int64

    init(_ bounds: Bounds, at now: Int64) {
        self.bounds = bounds
        timers = TimerWheel(now: now)
        severalTimers = TimerWheel(now: now)
        expiredAt = now
    }

    /// Number of timers that are set. For tests.
    var timerCount: Int { timers.count + severalTimers.count + due.count }

    // MARK: Typing

    /// The effect that `start` has now.
    func step(_ member: Member, in thread: SequenceNumber, at now: Int64) -> Step {
        let mark = member.typing
        let isSoon = now - mark.toldAt < bounds.againMilliseconds
        if mark.isNamed { return thread == mark.thread || isSoon ? .nothing : .moves }
        if isSoon { return .nothing }
        let conversation = member.conversation
        guard member.user.privacy.isOpen || mark.isActive else {
            return conversation.members.count <= bounds.membersMax ? .begins : .nothing
        }
        if conversation.typers.named < bounds.typersPerConversation, conversation.members.count <= bounds.membersMax {
            return .begins
        }
        return mark.isActive ? .nothing : .joins
    }

    /// Number of times that a conversation's members are notified because of this step, the end of typing included.
    func tellings(of step: Step, in conversation: Conversation) -> Int {
        switch step {
        case .nothing: 0
        case .begins: 2
        case .moves: 1
        case .joins: conversation.typers.unnamed == 1 && !conversation.typers.isSeveralPaid ? 2 : 0
        }
    }

    /// The member is typing, for the first time or still. Returns true if others must be notified.
    func start(_ member: Member, in thread: SequenceNumber, at now: Int64) -> Bool {
        let step = step(member, in: thread, at: now)
        let wasActive = member.typing.isActive
        guard wasActive || step != .nothing else { return false }
        let until = now + bounds.lifeMilliseconds
        member.typing.until = until
        if !wasActive { list(member) }
        if member.typing.timerAt <= now { setTimer(for: member, at: until) }
        switch step {
        case .nothing: return false
        case .begins:
            member.typing.isNamed = true
            member.typing.namedAt = now
            member.typing.takesName = wasActive || member.user.privacy.isOpen
            if member.typing.takesName { member.conversation.typers.named += 1 }
            if wasActive { member.conversation.typers.unnamed -= 1 }
        case .moves: break
        case .joins:
            member.conversation.typers.unnamed += 1
            if member.conversation.typers.isSeveral { member.conversation.typers.isSeveralPaid = true }
        }
        noteSeveral(in: member.conversation)
        guard step != .joins else { return false }
        member.typing.thread = thread
        member.typing.toldAt = now
        return true
    }

    /// The member is no longer typing. Returns true if others must be notified.
    func stop(_ member: Member) -> Bool {
        guard member.typing.isActive else { return false }
        member.typing.until = nil
        unlist(member)
        guard member.typing.isNamed else {
            member.conversation.typers.unnamed -= 1
            noteSeveral(in: member.conversation)
            return false
        }
        member.typing.isNamed = false
        if member.typing.takesName { member.conversation.typers.named -= 1 }
        member.typing.takesName = false
        return true
    }

    // MARK: Asking the log

    /// The member says something new of its typing.
    func beginTurn(_ member: Member) { member.typing.turn &+= 1 }

    /// The log is asked whether the member may type in a thread.
    func beginAsking(_ member: Member) -> Asked {
        member.conversation.typers.asking += 1
        return Asked(member: member, turn: member.typing.turn)
    }

    /// - Returns: whether the member has said nothing since.
    func endAsking(_ asked: Asked) -> Bool {
        asked.member.conversation.typers.asking -= 1
        return asked.member.typing.turn == asked.turn
    }

    private func list(_ member: Member) {
        member.typing.place = member.user.typist.members.count
        member.user.typist.members.append(member)
    }

    /// Costs the same however many there are: a user may type in thousands of conversations when its session ends.
    private func unlist(_ member: Member) {
        let place = member.typing.place
        member.user.typist.members.removeBySwap(at: place)?.typing.place = place
    }

    // MARK: Time

    /// When to call `expire` and `nextSeveral` next, in monotonic milliseconds.
    var nextDeadline: Int64? {
        let next = min(timers.nextDeadline ?? .max, severalTimers.nextDeadline ?? .max)
        if !due.isEmpty { return min(next, expiredAt + 1) }
        return next == .max ? nil : next
    }

    /// Ends typing that was not repeated in time. Returns the members whose end must be sent.
    func expire(at now: Int64) -> [Member] {
        expiredAt = now
        var ended: [Member] = []
        for member in timers.expire(at: now) {
            guard let until = member.typing.until, member.typing.timerAt <= now else { continue }
            if until > now {
                setTimer(for: member, at: until)
            } else if stop(member) {
                ended.append(member)
            }
        }
        due.append(contentsOf: severalTimers.expire(at: now))
        return ended
    }

    /// The next conversation whose members must be notified that several type, or no longer do. Each call returns one,
    /// so that a turn notifies no more sessions than a message does.
    func nextSeveral(at now: Int64) -> Conversation? {
        while let conversation = due.popFirst() {
            conversation.typers.hasTimer = false
            guard conversation.typers.isSeveral != conversation.typers.isSeveralTold else { continue }
            conversation.typers.isSeveralTold.toggle()
            conversation.typers.severalToldAt = now
            if conversation.typers.isSeveralTold { conversation.typers.severalSince = now }
            if !conversation.typers.isSeveralTold { conversation.typers.isSeveralPaid = false }
            return conversation
        }
        return nil
    }

    /// Sets one timer per member, however often it begins again. When it fires, it finds a later end.
    private func setTimer(for member: Member, at until: Int64) {
        member.typing.timerAt = until
        timers.set(member, at: until)
    }

    /// Lets the members be notified, but not before the time after the last change is over.
    private func noteSeveral(in conversation: Conversation) {
        let typers = conversation.typers
        guard typers.isSeveral != typers.isSeveralTold, !typers.hasTimer else { return }
        conversation.typers.hasTimer = true
        severalTimers.set(conversation, at: typers.severalToldAt + bounds.severalMilliseconds)
    }
}
