import RoostFraming
import RoostWire

/// Messages that forward others. Only the log knows what such a message says, so it is taken for the longest until it
/// is stored. Loop thread only.
struct Forwarding {
    private let prices: Prices
    private let directory: Directory
    /// Most bytes of a body.
    let longest: Int

    init(_ prices: Prices, _ directory: Directory, longest: Int) {
        self.prices = prices
        self.directory = directory
        self.longest = longest
    }

    /// The parameters for the log to find the message, if the user may read it. The newest may still be on their way
    /// there.
    func source(_ target: Command.Target, for user: User) throws(Refusal) -> ForwardedMessage {
        let (conversation, _) = try directory.conversation(target.conversation, for: user)
        guard conversation.mayName(target.sequence, user) else {
            throw Refusal(.notFound, "forward: no such message in that conversation")
        }
        let withheld = user.hiddenAuthors(in: conversation)
        return ForwardedMessage(conversation.number, target.sequence, withheld: withheld)
    }

    /// Takes the cost of the deliveries in the conversation.
    func pay(to conversation: Conversation, _ session: Session, _ now: Moment) throws(Refusal) -> Int64 {
        try prices.advance(deliveries: conversation.audienceCount, by: session, at: now)
    }

    /// The log has decided. A message that wasn't stored isn't sent.
    func settle(_ next: borrowing PendingAppend, in conversation: Conversation?, isStored: Bool) {
        guard let advance = next.advance, let session = next.session else { return }
        prices.settle(
            advance: advance.price, deliveries: isStored ? conversation?.audienceCount ?? 0 : 0,
            bytes: next.event.body.count, to: session)
    }
}
