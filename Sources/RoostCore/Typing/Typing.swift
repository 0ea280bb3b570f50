import RoostWire

/// Who is typing, and until when. A state of a few seconds that the server owns and never stores: it ends by itself
/// unless the client repeats it. It answers whether others have to be told; telling them is the caller's. Loop thread
/// only.
final class Typing {
    /// What is known of one member. Lies in the member and is changed here only.
    struct Mark {
        /// Monotonic; nil while the member isn't typing.
        fileprivate var until: Int64?
        /// Monotonic time of the last "is typing" that others were told.
        fileprivate var toldAt = Int64.min / 2
        /// For when the timer that looks whether typing has ended is set; past if none is.
        fileprivate var timerAt = Int64.min / 2

        /// Whether the member is typing.
        var isActive: Bool { until != nil }
    }

    /// How many members of one conversation are typing. Lies in the conversation and is changed here only.
    struct Typers {
        fileprivate(set) var count = 0
    }

    /// What this part takes from `Limits`.
    struct Bounds {
        let typersPerConversation: Int
        let lifeMilliseconds: Int64
        let againMilliseconds: Int64

        init(_ limits: Limits) {
            typersPerConversation = limits.typersPerConversation
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

    /// Timers that are set. For tests.
    var timerCount: Int { timers.count }

    /// The member is typing, or still is. True if others have to be told. Nothing happens if so many others of the
    /// conversation are typing already, or if others were told of a beginning a moment ago.
    func start(_ member: Member, at now: Int64) -> Bool {
        let until = now + bounds.lifeMilliseconds
        if member.typing.isActive {
            member.typing.until = until
            return false
        }
        guard member.conversation.typers.count < bounds.typersPerConversation,
            now - member.typing.toldAt >= bounds.againMilliseconds
        else { return false }
        member.typing.until = until
        member.typing.toldAt = now
        member.conversation.typers.count += 1
        if member.typing.timerAt <= now { setTimer(for: member, at: until) }
        return true
    }

    /// The member isn't typing any more. True if others have to be told.
    func stop(_ member: Member) -> Bool {
        guard member.typing.isActive else { return false }
        member.typing.until = nil
        member.conversation.typers.count -= 1
        return true
    }

    // MARK: Time

    /// When to call `expire` next, in monotonic milliseconds.
    var nextDeadline: Int64? { timers.nextDeadline }

    /// Ends what wasn't repeated in time: the members whose end others have to be told.
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

    /// One timer per member, however often it begins anew: the one that is set finds a later end when it fires.
    private func setTimer(for member: Member, at until: Int64) {
        member.typing.timerAt = until
        timers.set(member, at: until)
    }
}
