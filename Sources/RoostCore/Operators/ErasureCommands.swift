import RoostFraming
import RoostWire

/// `admin.erase`: the messages of a user, a page of the log at a time, or a conversation. The caller goes on from page
/// to page, so nothing of it is remembered here, and a crash loses nothing: erased messages are passed over the next
/// time. Loop thread only.
final class ErasureCommands {
    /// The limits of these commands.
    struct Bounds {
        /// Messages that one page erases.
        let messages: Int
        /// Bytes of their bodies, and rows that are looked at.
        let bytes, looks: Int
        /// Most deliveries of it, all messages together.
        let deliveries: Int
        /// Members that are removed in one event.
        let members: Int

        init(_ limits: Limits) {
            messages = limits.erasedAtOnce
            (bytes, looks) = (limits.feedBytes, limits.feedLooks)
            deliveries = limits.erasedDeliveries
            members = limits.listNames
        }
    }

    /// The totals of a page, once the log has stored it.
    private struct Page {
        var messages = 0
        var damaged = 0
        var reached: Position
        /// The end of the period to erase: later messages stay.
        let until: Timestamp
    }

    private let bounds: Bounds
    private let prices: Prices
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let reads: Reads
    private let replies: Replies
    private let conversations: ConversationCommands
    /// The page that each session has under way.
    private var pages: [SessionID: Page] = [:]

    init(
        _ bounds: Bounds, _ prices: Prices, _ reads: Reads, _ conversations: ConversationCommands
    ) {
        self.bounds = bounds
        self.prices = prices
        self.reads = reads
        self.conversations = conversations
        directory = conversations.directory
        journal = conversations.journal
        delivery = conversations.delivery
        replies = conversations.replies
    }

    /// The session has ended.
    func forget(_ session: Session) { pages[session.id] = nil }

    // MARK: Messages

    /// Erases the next of the messages that a user has written.
    /// - Parameter until: only those whose time isn't later; nil for all.
    func erase(
        messagesOf name: Text, after: Position?, until: Timestamp?, _ id: CommandID?, _ session: Session
    ) throws(Refusal) -> User {
        guard let user = directory.user(named: name) else { throw Refusal(.notFound, "user: nobody has this name") }
        guard pages[session.id] == nil else { throw Refusal(.conflict, "a page of this session is under way") }
        let after = after ?? .start
        guard after <= journal.head else {
            throw Refusal(.badPosition, "the server never gave this position")
        }
        try journal.reserve(0)
        try reads.check(session)
        pages[session.id] = Page(reached: after, until: until ?? Timestamp(milliseconds: .max))
        let request = FeedRequest(
            after: after, rows: bounds.messages, bytes: bounds.bytes, looks: bounds.looks, sender: user.number)
        reads.ask(.feed(request), for: .erasure(Asker(session: session, user: user, id: id)))
        return user
    }

    /// The log has returned the user's events. Every message that isn't deleted yet is deleted, as the user could have
    /// done it, in the conversations that the user has left, too.
    func answered(_ result: ReadResult, _ asker: Asker, at now: Moment) {
        guard var page = pages[asker.session.id], asker.session.phase == .ready else { return }
        guard !result.isFailed else {
            return refuse(Refusal(.unavailable, "the store could not be read"), asker)
        }
        // The reader may be ahead of the loop.
        let head = journal.head
        page.damaged = result.damaged.count { $0 <= head }
        var found: [Append] = []
        var told = 0
        var (last, isCut) = (page.reached, false)
        var messages = 0
        // The clock may have been set back meanwhile, so that an earlier one may follow a later one.
        for event in result.events where event.position <= head && event.time <= page.until {
            guard let conversation = directory.conversation(event.conversation),
                let append = erasure(of: event, in: conversation, by: asker.user, now)
            else { continue }
            // The rest is for the next page.
            if told > 0, told + conversation.audienceCount > bounds.deliveries {
                isCut = true
                break
            }
            last = event.position
            if append.kind == .delete { messages += 1 }
            found.append(append)
            told += conversation.audienceCount
        }
        let lookedAt = result.hasMore ? result.reached : max(result.reached, result.head)
        page.reached = isCut ? last : max(page.reached, min(lookedAt, head))
        page.messages = messages
        do throws(Refusal) { try journal.reserve(0) } catch { return refuse(error, asker) }
        prices.charge(deliveries: told, to: asker.session, at: now)
        pages[asker.session.id] = page
        guard let newest = found.popLast() else { return answer(asker.session, asker.id) }
        // All of them are in one batch, which is stored whole or not at all: the last outcome stands for all.
        for append in found { journal.submit(append, nil, nil, reply: .none) }
        journal.submit(newest, asker.session, asker.id, reply: .erasure)
    }

    /// The event that removes a user's message or reaction: a deletion, or a reaction taken back. For one that is gone
    /// already it changes nothing. It is hidden from users with a block as the user's own commands are.
    private func erasure(
        of event: borrowing StoredEvent, in conversation: Conversation, by user: User, _ now: Moment
    ) -> Append? {
        var append = Append(
            .delete, in: event.conversation, by: user.number, device: Speaker.deputyDevice, at: now.wall)
        append.reference = event.sequence
        append.withheldFrom = user.blocker(in: conversation)
        append.peer = user.peer(in: conversation)
        switch event.kind {
        case .message where event.deletedAt == .never: return append
        case .react where !event.flag:
            append.kind = .react
            append.label = event.label
            append.flag = true
            return append
        default: return nil
        }
    }

    /// The batch of a page is stored.
    func answer(_ session: Session, _ id: CommandID?) {
        guard let page = pages.removeValue(forKey: session.id), session.phase == .ready else { return }
        let builder = replies.builder
        builder.begin("ok")
        builder.reply(to: id)
        builder.beginObject("erasure")
        builder.member("erased", Int64(page.messages))
        if page.damaged > 0 { builder.member("damaged", Int64(page.damaged)) }
        builder.member("position", page.reached)
        builder.member("more", page.reached < journal.head)
        builder.endObject()
        delivery.reply(builder.finish(), to: session)
    }

    private func refuse(_ refusal: Refusal, _ asker: Asker) {
        pages[asker.session.id] = nil
        var refusal = refusal
        refusal.id = asker.id
        replies.refuse(refusal, asker.session)
    }

    // MARK: Conversations

    /// Erases a conversation with everything in it. The members get an event that the service has removed them. Members
    /// of a large group are removed a part at a time, and the command is given again.
    func erase(
        conversation name: Text, by service: String, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) -> Conversation {
        guard let conversation = directory.conversation(named: name) else {
            throw Refusal(.notFound, "no such conversation")
        }
        try directory.check(isCertain: conversation.isCertain && !conversation.isEnding && !conversation.isUnstored)
        try journal.reserve(0)
        let service = try directory.introduce(service)
        let all = conversation.standings(atMost: bounds.members + 1).map(\.user)
        let removed = Array(all.prefix(bounds.members))
        let change = all.count > removed.count ? ConversationChange.remove(removed) : .erase
        let builder = conversations.builder
        let asker = Asker(session: session, user: service, id: id)
        conversations.submit(change, of: conversation, by: Speaker(service), asker, now) {
            builder.member("event", word: "removed")
            builder.names("users", conversations.names(of: removed))
        }
        return conversation
    }
}
