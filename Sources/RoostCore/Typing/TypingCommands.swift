import RoostFraming
import RoostWire

/// `typing`: the other members are told when it begins and when it ends. Loop thread only.
final class TypingCommands {
    private let typing: Typing
    private let prices: Prices
    private let directory: Directory
    private let delivery: Delivery
    private let replies: Replies
    private let builder: FrameBuilder

    init(
        typing: Typing, prices: Prices, directory: Directory, delivery: Delivery, replies: Replies,
        builder: FrameBuilder
    ) {
        self.typing = typing
        self.prices = prices
        self.directory = directory
        self.delivery = delivery
        self.replies = replies
        self.builder = builder
    }

    func set(
        _ to: Text, _ isActive: Bool, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let (user, _) = try session.speaker()
        let conversation = try directory.destination(to, of: session, user)
        if isActive {
            if let member = conversation.member(user.number) { try start(member, session, now) }
        } else {
            stop(user, in: conversation)
        }
        replies.accept(id, session)
    }

    private func start(_ member: Member, _ session: Session, _ now: Moment) throws(Refusal) {
        if typing.begins(member, at: now.monotonic) {
            // They are told of the beginning and of the end.
            try prices.pay(deliveries: 2 * member.conversation.audienceCount, by: session, at: now)
        }
        if typing.start(member, at: now.monotonic) { tell(member) }
    }

    /// The user sent a message there, or left.
    func stop(_ user: User, in conversation: Conversation) {
        if let member = conversation.member(user.number) { stop(member) }
    }

    func stop(_ member: Member) {
        if typing.stop(member) { tell(member) }
    }

    /// Ends typing in all conversations, because one of the user's sessions ended.
    func stop(_ user: User) {
        for member in user.typist.members { stop(member) }
    }

    /// Number of timers that are set. For tests.
    var timerCount: Int { typing.timerCount }

    /// When to call `tick` next, in monotonic milliseconds.
    var nextDeadline: Int64? { typing.nextDeadline }

    /// Ends typing states that were not renewed in time.
    func tick(at now: Int64) {
        for member in typing.expire(at: now) { tell(member) }
    }

    /// Tells the other members whether this one is typing.
    private func tell(_ member: Member) {
        let frame = frame(member.user, in: member.conversation)
        let key = Owed.typing(member.conversation.number, member.user.number)
        for other in member.conversation.members where other.user !== member.user {
            for session in other.user.sessions { delivery.deliver(frame, key, to: session) }
        }
    }

    /// Whether the user is typing there now.
    func frame(_ user: User, in conversation: Conversation) -> Frame {
        builder.begin("typing")
        builder.member("conversation", plain: conversation.id)
        builder.member("user", plain: user.name)
        builder.member("active", conversation.member(user.number)?.typing.isActive ?? false)
        return builder.finish()
    }
}
