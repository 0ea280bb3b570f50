import DequeModule
import RoostFraming
import RoostWire

/// Numbers of users' unread messages, in all conversations that aren't muted and don't wait to be accepted, sent to all
/// of a user's devices.
///
/// A membership knows with how many messages it is part of its user's sum, so to look at one twice does no harm. A
/// message changes the badges of all members: its conversation is noted, and at the next tick the connected members are
/// looked at, in steps. Members who are away are left out, and counted anew when they come. Changes are collected until
/// the tick, and sent at a pace that leaves room for messages. Loop thread only.
final class Badges {
    /// A conversation's part of a user's sum. It is stored in the member, but only this type changes it.
    struct Share {
        fileprivate var unread: Int64 = 0
    }

    /// The badge of a user. It is stored in the user, but only this type changes it, except when a membership ends.
    struct Sum {
        /// The messages that the user hasn't read. True only while the user is here.
        fileprivate(set) var unread: Int64 = 0
        /// Conversations that aren't part of it.
        fileprivate(set) var mutes = Mutes()
        /// The last badge sent to all sessions; nil if they don't have the same.
        fileprivate var told: Int64?
        /// Whether all memberships have been looked at since the user came.
        fileprivate var isCounted = false
        fileprivate var count: BadgeCount?
        fileprivate var isWaiting = false
        /// When to look for mutes that end, in monotonic milliseconds; nil if no timer is set.
        fileprivate var wakesAt: Int64?

        /// The membership has ended.
        mutating func leave(_ member: Member) {
            unread -= member.badge.unread
            member.badge = Share()
        }

        /// The user has set this, as it is stored.
        mutating func load(_ mute: Mute, of conversation: ConversationNumber) {
            mutes.set(conversation, to: mute)
        }

        /// The store has forgotten what the user has set.
        mutating func forgetMutes() { mutes = Mutes() }
    }

    /// Whether the members of a conversation must be looked at. It is stored in the conversation, but only this type
    /// changes it.
    struct Mark {
        fileprivate var isChanged = false
        /// The ordinal of the next member to look at; nil if none is looked at.
        fileprivate var next: Int64?
    }

    /// The limits of this part.
    struct Bounds {
        let gatherMilliseconds: Int64
        let perMillisecond: Int
        let countedAtOnce: Int
        let lookMilliseconds: Int64

        init(_ limits: Limits) {
            gatherMilliseconds = limits.badgeMilliseconds
            perMillisecond = limits.badgesPerMillisecond
            countedAtOnce = limits.badgeCountedAtOnce
            lookMilliseconds = limits.muteLookMilliseconds
        }
    }

    private let bounds: Bounds
    private let chores: Chores
    private let delivery: Delivery
    private let builder: FrameBuilder
    private let counters: Counters

    /// Conversations and users that have changed and wait for the tick.
    private var changed: [Conversation] = []
    private var gathered: [User] = []
    private var gatherAt: Int64?
    /// Conversations whose members are being looked at, and users with a badge to send.
    private var walking = Deque<Conversation>()
    private var isWalking = false
    private var due = Deque<User>()
    /// Time when badges were sent last, in monotonic milliseconds, and the number that may still be sent in that
    /// millisecond. Own badges of one user don't make another's wait.
    private var toldAt = Int64.min
    private var left = 0
    private var timers: TimerWheel<User>

    init(
        _ bounds: Bounds, _ chores: Chores, _ delivery: Delivery, _ builder: FrameBuilder, _ counters: Counters,
        at now: Int64
    ) {
        self.bounds = bounds
        self.chores = chores
        self.delivery = delivery
        self.builder = builder
        self.counters = counters
        timers = TimerWheel(now: now)
    }

    // MARK: Changes

    /// A message was written to the conversation or has disappeared from it, or it no longer waits to be accepted.
    @inline(__always)
    func note(_ conversation: Conversation, at now: Moment) {
        guard !conversation.badge.isChanged else { return }
        conversation.badge.isChanged = true
        changed.append(conversation)
        expectTick(at: now)
    }

    /// The member has read something.
    func note(_ member: Member, at now: Moment) {
        guard !member.user.sessions.isEmpty else { return }
        settle(member)
        gather(member.user, at: now)
    }

    /// Some of the user's memberships have ended.
    func noteLeaving(_ user: User, at now: Moment) { gather(user, at: now) }

    /// The user has muted the conversation, or it is no longer muted.
    func note(_ mute: Mute?, of conversation: Conversation, by user: User, at now: Moment) {
        let isOver = mute?.until.map { $0 <= now.wall } ?? false
        user.badge.mutes.set(conversation.number, to: isOver ? nil : mute)
        expectEnd(ofMutesOf: user, at: now)
        if let member = conversation.member(user.number) { note(member, at: now) }
    }

    /// Counts a present membership as it is now.
    private func settle(_ member: Member) {
        let user = member.user
        let isPart = member.counts && !user.badge.mutes.contains(member.conversation.number)
        let unread = isPart ? member.unread : 0
        user.badge.unread += unread - member.badge.unread
        member.badge.unread = unread
    }

    // MARK: Counting

    /// A session of the user is about to be welcomed.
    /// - Returns: the user's badge; nil if the user is in so many conversations that it is sent later.
    func begin(_ user: User, at now: Moment) -> Int64? {
        if user.sessions.count == 1 {
            count(user, at: now)
            expectEnd(ofMutesOf: user, at: now)
        }
        return show(user)
    }

    /// The badge to send to one session of the user now; nil if it isn't known yet. If other sessions have another one,
    /// all get it again.
    private func show(_ user: User) -> Int64? {
        guard user.badge.isCounted else { return nil }
        if user.sessions.count == 1 {
            user.badge.told = user.badge.unread
        } else if user.badge.told != user.badge.unread {
            user.badge.told = nil
        }
        return user.badge.unread
    }

    private func count(_ user: User, at now: Moment) {
        user.badge.isCounted = false
        _ = user.badge.mutes.takeEnded(at: now.wall)
        guard user.memberships.count > bounds.countedAtOnce else {
            counters.steps += user.memberships.count
            for member in user.memberships { settle(member) }
            user.badge.isCounted = true
            user.badge.count = nil
            return
        }
        let count = BadgeCount(of: user, self)
        user.badge.count = count
        chores.begin(count, at: now)
    }

    /// Goes on with a count, one membership in each step.
    /// - Returns: whether it is done.
    func goOn(_ count: BadgeCount, _ steps: inout Int) -> Bool {
        let user = count.user
        // The user has gone, or come anew, since it began.
        guard user.badge.count === count else { return true }
        guard !user.sessions.isEmpty else {
            user.badge.count = nil
            return true
        }
        while let member = count.next {
            guard steps > 0 else { return false }
            steps -= 1
            if member.isCurrent { settle(member) }
            count.goOn()
        }
        user.badge.count = nil
        user.badge.isCounted = true
        user.badge.told = nil
        tell(user)
        return true
    }

    /// Goes on looking at the members who are here of conversations that have changed.
    /// - Returns: whether all have been looked at.
    func walk(_ steps: inout Int) -> Bool {
        while let conversation = walking.first {
            guard steps > 0 else { return false }
            // Later messages are for another walk.
            if conversation.badge.next == nil { conversation.badge.isChanged = false }
            conversation.badge.next = conversation.visitPresent(from: conversation.badge.next ?? 0, &steps) { member in
                settle(member)
                tell(member.user)
            }
            if conversation.badge.next == nil { walking.removeFirst() }
        }
        isWalking = false
        return true
    }

    // MARK: Mutes that end

    private func expectEnd(ofMutesOf user: User, at now: Moment) {
        guard !user.sessions.isEmpty, let end = user.badge.mutes.nextEnd else { return }
        let (wait, isTooLong) = end.milliseconds.subtractingReportingOverflow(now.wall.milliseconds)
        let look = isTooLong ? bounds.lookMilliseconds : min(max(0, wait), bounds.lookMilliseconds)
        let at = now.monotonic + look
        if let wakesAt = user.badge.wakesAt, wakesAt <= at { return }
        user.badge.wakesAt = at
        timers.set(user, at: at)
    }

    private func wake(_ user: User, at now: Moment) {
        // Another timer is set for it, or none any more.
        guard let wakesAt = user.badge.wakesAt, wakesAt <= now.monotonic else { return }
        user.badge.wakesAt = nil
        guard !user.sessions.isEmpty else { return }
        for conversation in user.badge.mutes.takeEnded(at: now.wall) {
            if let member = user.conversations[conversation] { settle(member) }
        }
        tell(user)
        expectEnd(ofMutesOf: user, at: now)
    }

    // MARK: Time

    /// When to call `tick` or `tellDue` next, in monotonic milliseconds.
    var nextDeadline: Int64? {
        let next = min(gatherAt ?? .max, timers.nextDeadline ?? .max, due.isEmpty ? .max : toldAt + 1)
        return next == .max ? nil : next
    }

    /// Everything collected so far is due, and so are the mutes that have ended.
    func tick(at now: Moment) {
        for user in timers.expire(at: now.monotonic) { wake(user, at: now) }
        guard let gatherAt, gatherAt <= now.monotonic else { return }
        self.gatherAt = nil
        due.append(contentsOf: gathered)
        gathered.removeAll(keepingCapacity: true)
        walking.append(contentsOf: changed)
        changed.removeAll(keepingCapacity: true)
        guard !walking.isEmpty, !isWalking else { return }
        isWalking = true
        chores.begin(BadgeWalk(of: self), at: now)
    }

    private func expectTick(at now: Moment) {
        if gatherAt == nil { gatherAt = TickGrid.next(after: now.monotonic, every: bounds.gatherMilliseconds) }
    }

    // MARK: Telling

    /// Whether the user's sessions have another badge, and it isn't about to be sent.
    private func isNews(_ user: User) -> Bool {
        !user.badge.isWaiting && user.badge.isCounted && user.badge.told != user.badge.unread && !user.sessions.isEmpty
    }

    /// Lists the user for the tick.
    private func gather(_ user: User, at now: Moment) {
        guard !user.badge.isWaiting, user.badge.isCounted, !user.sessions.isEmpty else { return }
        user.badge.isWaiting = true
        gathered.append(user)
        expectTick(at: now)
    }

    /// Lists the user to get the badge as soon as the pace allows.
    private func tell(_ user: User) {
        guard isNews(user) else { return }
        user.badge.isWaiting = true
        due.append(user)
    }

    /// Sends some of the badges that are due.
    /// - Parameter isBusy: messages wait to be written, so only a quarter is sent.
    func tellDue(isBusy: Bool, at now: Moment) {
        guard !due.isEmpty else { return }
        if now.monotonic > toldAt {
            toldAt = now.monotonic
            left = isBusy ? max(1, bounds.perMillisecond / 4) : bounds.perMillisecond
        }
        while left > 0, let user = due.popFirst() {
            left -= 1
            user.badge.isWaiting = false
            guard isNews(user) else { continue }
            assert(user.badge.unread == user.memberships.reduce(0) { $0 + $1.badge.unread }, "a share was lost")
            user.badge.told = user.badge.unread
            let frame = frame(user.badge.unread)
            for session in user.sessions where session.phase == .ready {
                left -= 1
                tell(frame, to: session)
            }
        }
    }

    private func tell(_ frame: Frame, to session: Session) {
        guard delivery.isCalm(session) else { return delivery.owe(.badge, to: session) }
        delivery.push(frame, to: session, isPatient: true)
    }

    /// The event with the user's badge, for a session that is owed it; nil if it isn't known yet.
    func frame(of user: User) -> Frame? { show(user).map(frame) }

    private func frame(_ unread: Int64) -> Frame {
        builder.begin("badge")
        builder.member("unread", unread)
        return builder.finish()
    }
}
