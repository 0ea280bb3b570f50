import RoostWire

/// Who is typing, and until when. The server owns this state of a few seconds and never stores it. It ends by itself
/// unless the client repeats it. This type decides whether others must be told; the caller tells them. Loop thread
/// only.
final class Typing {
    /// The state of one member. It is stored in the member, but only this type changes it.
    struct Mark {
        /// When typing ends, in monotonic milliseconds; nil if the member isn't typing.
        fileprivate var until: Int64?
        /// When others were last told that the member is typing, in monotonic milliseconds.
        fileprivate var toldAt = Int64.min / 2
        /// When the timer that checks for the end is due; in the past if there is none.
        fileprivate var timerAt = Int64.min / 2

        /// Whether the member is typing.
        var isActive: Bool { until != nil }
    }

    /// How many members of one conversation are typing. It is stored in the conversation, but only this type changes
    /// it.
    struct Typers {
        fileprivate(set) var count = 0
    }

    /// Where one user is typing. It is stored in the user, but only this type changes it.
    struct Typist {
        fileprivate(set) var members: [Member] = []
    }

    /// The limits of this part.
    struct Bounds {
        let typersPerConversation: Int
        let membersMax: Int
        let lifeMilliseconds: Int64
        let againMilliseconds: Int64

        init(_ limits: Limits) {
            typersPerConversation = limits.typersPerConversation
            membersMax = limits.typingMembersMax
            lifeMilliseconds = limits.typingMilliseconds
            againMilliseconds = limits.typingAgainMilliseconds
        }
    }

    private let bounds: Bounds
    private var timers: TimerWheel<Member>

    init(_ bounds: Bounds, at now: Int64) {
        self.bounds = bounds
        timers = TimerWheel(now: now)
    }

    /// Number of timers that are set. For tests.
    var timerCount: Int { timers.count }

    /// Whether others are told when the member begins to type now. They aren't if the member is typing already, if
    /// others were told of a beginning a moment ago, if enough others are typing, or if the conversation is large.
    func begins(_ member: Member, at now: Int64) -> Bool {
        !member.typing.isActive && member.conversation.typers.count < bounds.typersPerConversation
            && member.conversation.members.count <= bounds.membersMax
            && now - member.typing.toldAt >= bounds.againMilliseconds
    }

    /// The member is typing, for the first time or still. Returns true if others must be told.
    func start(_ member: Member, at now: Int64) -> Bool {
        let until = now + bounds.lifeMilliseconds
        if member.typing.isActive {
            member.typing.until = until
            return false
        }
        guard begins(member, at: now) else { return false }
        member.typing.until = until
        member.typing.toldAt = now
        member.conversation.typers.count += 1
        member.user.typist.members.append(member)
        if member.typing.timerAt <= now { setTimer(for: member, at: until) }
        return true
    }

    /// The member is no longer typing. Returns true if others must be told.
    func stop(_ member: Member) -> Bool {
        guard member.typing.isActive else { return false }
        member.typing.until = nil
        member.conversation.typers.count -= 1
        member.user.typist.members.removeAll { $0 === member }
        return true
    }

    // MARK: Time

    /// When to call `expire` next, in monotonic milliseconds.
    var nextDeadline: Int64? { timers.nextDeadline }

    /// Ends typing that was not repeated in time. Returns the members whose end others must be told.
    func expire(at now: Int64) -> [Member] {
        var ended: [Member] = []
        for member in timers.expire(at: now) {
            guard let until = member.typing.until, member.typing.timerAt <= now else { continue }
            if until > now {
                setTimer(for: member, at: until)
            } else if stop(member) {
                ended.append(member)
            }
        }
        return ended
    }

    /// Sets one timer per member, however often it begins again. When it fires, it finds a later end.
    private func setTimer(for member: Member, at until: Int64) {
        member.typing.timerAt = until
        timers.set(member, at: until)
    }
}
