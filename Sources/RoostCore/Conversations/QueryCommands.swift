import RoostFraming
import RoostWire

/// Answers `history`, `conversation.get`, `.list`, `.members` and `.pins`, most of it once the log has
/// been read. It changes nothing. Loop thread only.
final class QueryCommands {
    /// The limits of these commands.
    struct Bounds {
        /// Messages, or conversations, of a page whose command names no limit.
        let rows: Int
        /// Bytes at which a page ends early.
        let bytes: Int
        /// Members listed in a conversation object.
        let membersNamed: Int
        /// Events of a page of history that aren't about messages.
        let events: Int
        /// People whose profiles come with conversation objects.
        let people: Int

        init(_ limits: Limits) {
            rows = limits.historyDefault
            bytes = limits.pageBytes
            membersNamed = limits.membersNamed
            events = limits.historyEventsMax
            people = limits.peopleShown
        }
    }

    private let bounds: Bounds
    private let chores: Chores
    private let directory: Directory
    private let reads: Reads
    private let delivery: Delivery
    private let replies: Replies
    private let builder: FrameBuilder
    private let events: EventFrames
    private let presence: PresenceWriter

    init(
        _ bounds: Bounds, _ chores: Chores, _ directory: Directory, _ reads: Reads, _ delivery: Delivery,
        _ replies: Replies
    ) {
        self.bounds = bounds
        self.chores = chores
        self.directory = directory
        self.reads = reads
        self.delivery = delivery
        self.replies = replies
        builder = replies.builder
        events = EventFrames(builder: replies.builder)
        presence = PresenceWriter(replies.builder, directory.policy)
    }

    // MARK: history

    func history(_ history: Command.History, _ asker: Asker) throws(Refusal) {
        let user = asker.user
        let (conversation, _) = try directory.conversation(history.conversation, for: user)
        if let thread = history.thread, thread > conversation.lastSequence {
            throw Refusal(.notFound, "thread: no such message in this conversation")
        }
        try reads.check(asker.session)
        let since = conversation.hidden(from: user.number)
        let request = HistoryRequest(
            conversation: conversation.number, thread: history.thread ?? .none, reader: user.number,
            after: max(history.after ?? .none, since),
            before: history.before ?? SequenceNumber(Int64.max), isNewest: history.after == nil,
            rows: history.limit ?? bounds.rows, bytes: bounds.bytes,
            withheld: user.withheldReactions(in: conversation),
            events: history.hasEvents && history.thread == nil ? bounds.events : 0)
        reads.ask(.history(request), for: .history(asker, conversation))
    }

    private func answer(_ result: ReadResult, _ conversation: Conversation, _ asker: Asker) {
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.member("conversation", plain: conversation.id)
        builder.beginArray("messages")
        for event in result.events {
            builder.beginObject()
            write(event, in: conversation, for: asker.user)
            builder.endObject()
        }
        builder.endArray()
        if !result.gaps.isEmpty { write(result.gaps) }
        if let member = conversation.member(asker.user.number) { writeChanges(result, in: conversation, for: member) }
        builder.member("more", result.hasMore)
        delivery.reply(builder.finish(), to: asker.session)
    }

    /// Writes the changes that the member's devices have got since it joined, so that a new device shows the same.
    /// Nothing is written if there are none, so that hidden changes leave no empty list.
    private func writeChanges(_ result: ReadResult, in conversation: Conversation, for member: Member) {
        let shown = result.changes.filter { event in
            let author = result.pinned[event.position]
            return event.position >= member.joinedAt && event.subject > member.since
                && !event.isWithheld(from: member.user.number)
                && (conversation.kind != .group || !(author.map(member.user.hasBlocked) ?? false))
        }
        guard !shown.isEmpty else { return }
        builder.beginArray("events")
        for event in shown {
            builder.beginObject()
            events.writeElement(event, in: conversation, from: directory.user(event.sender)?.name ?? "")
            builder.endObject()
        }
        builder.endArray()
    }

    /// Messages that stand on the page but can't be read. Adjacent ones become one range.
    private func write(_ gaps: [Gap]) {
        var ranges: [(from: SequenceNumber, to: SequenceNumber)] = []
        for gap in gaps {
            if let last = ranges.indices.last, ranges[last].to.value &+ 1 == gap.from.value {
                ranges[last].to = gap.to
            } else {
                ranges.append((gap.from, gap.to))
            }
        }
        builder.beginArray("gaps")
        for range in ranges {
            builder.beginObject()
            builder.member("from", range.from.value)
            builder.member("to", range.to.value)
            builder.endObject()
        }
        builder.endArray()
    }

    // MARK: conversation.get

    func get(_ name: Text, _ asker: Asker) throws(Refusal) {
        let (conversation, _) = try directory.conversation(name, for: asker.user)
        try reads.check(asker.session)
        reads.ask(.latest(lastMessages(of: [conversation], for: asker.user)), for: .one(asker, conversation))
    }

    private func answer(_ result: ReadResult, one conversation: Conversation, _ asker: Asker) {
        guard let member = conversation.member(asker.user.number) else {
            return refuse(Refusal(.notFound, "no such conversation"), asker)
        }
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.beginObject("conversation")
        write(conversation, for: member, last: result.events.first)
        builder.endObject()
        writePeople(of: [(conversation, result.events.first)], for: asker.user)
        delivery.reply(builder.finish(), to: asker.session)
    }

    // MARK: conversation.list

    func list(
        _ before: Text?, _ limit: Int?, requests: Bool, _ asker: Asker, _ now: Moment
    ) throws(Refusal) {
        try reads.check(asker.session)
        let bound = try bound(before)
        try chores.check(asker.session)
        chores.begin(
            NewestConversations(of: asker.user, before: bound, atMost: limit ?? bounds.rows, requests: requests) {
                [self] newest, hasMore in list(newest, hasMore: hasMore, asker)
            }, for: asker.session, at: now)
    }

    /// The position where the page before ended.
    private func bound(_ before: Text?) throws(Refusal) -> Int64 {
        guard let before else { return .max }
        guard let position = Position(before.string, epoch: builder.epoch) else {
            throw Refusal(.badRequest, "before: not a `next` of an earlier page")
        }
        return position.value
    }

    private func list(_ newest: [ListPage.Entry], hasMore: Bool, _ asker: Asker) {
        guard asker.session.phase == .ready else { return }
        do throws(Refusal) { try reads.check(asker.session) } catch { return refuse(error, asker) }
        let page = ListPage(entries: newest, next: hasMore ? newest.last?.position : nil)
        reads.ask(
            .latest(lastMessages(of: newest.map(\.conversation), for: asker.user)), for: .list(asker, page))
    }

    /// Asks for the last message of each conversation, if the user may see it.
    private func lastMessages(of conversations: [Conversation], for user: User) -> LatestRequest {
        LatestRequest(
            messages: conversations.compactMap { conversation in
                let since = conversation.member(user.number)?.since ?? .none
                let last = conversation.end(for: user.number).sequence
                return last > since ? (conversation.number, last) : nil
            }, for: user.number)
    }

    private func answer(_ result: ReadResult, _ page: ListPage, _ asker: Asker) {
        var last: [ConversationNumber: StoredEvent] = [:]
        for event in result.events { last[event.conversation] = event }
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.beginArray("conversations")
        var next = page.next
        var before: Position?
        var shown: [(Conversation, StoredEvent?)] = []
        for entry in page.entries {
            let (conversation, position) = (entry.conversation, entry.position)
            // Last messages may be long. The page then ends early, and the next one goes on here.
            if let before, builder.written.count > bounds.bytes {
                next = before
                break
            }
            before = position
            // The user has left since the command.
            guard let member = conversation.member(asker.user.number) else { continue }
            builder.beginObject()
            write(conversation, for: member, last: last[conversation.number])
            builder.endObject()
            shown.append((conversation, last[conversation.number]))
        }
        builder.endArray()
        writePeople(of: shown, for: asker.user)
        if let next { builder.member("next", next) }
        delivery.reply(builder.finish(), to: asker.session)
    }

    // MARK: conversation.members

    /// Answers with a page of the members and their receipts; with a sequence, also with the number of members who have
    /// got and read it.
    func members(_ list: Command.Members, _ asker: Asker, _ now: Moment) throws(Refusal) {
        let user = asker.user
        let (conversation, _) = try directory.conversation(list.conversation, for: user)
        if let sequence = list.sequence { try conversation.check(sequence, for: user) }
        var first = Int64(0)
        if let name = list.after {
            guard let user = directory.user(named: name) else { throw Directory.notANext }
            first = try directory.ordinal(after: user, in: conversation)
        }
        let page = MemberPage(
            first: first, limit: list.limit ?? bounds.rows, sequence: list.sequence, hasPresence: list.hasPresence)
        guard list.sequence != nil else { return answer(page, nil, conversation, asker, now) }
        try chores.check(asker.session)
        chores.begin(
            MemberCount(conversation.members, of: page, for: user, directory.policy) { [self] counts in
                answer(page, counts, conversation, asker, now)
            }, for: asker.session, at: now)
    }

    private func answer(
        _ page: MemberPage, _ counts: MemberCount.Result?, _ conversation: Conversation, _ asker: Asker, _ now: Moment
    ) {
        let user = asker.user
        guard asker.session.phase == .ready else { return }
        guard conversation.member(user.number) != nil else {
            return refuse(Refusal(.notFound, "no such conversation"), asker)
        }
        let members = conversation.members
        let first = conversation.place(of: page.first)
        let end = min(members.count, first + page.limit)
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.member("conversation", plain: conversation.id)
        builder.beginArray("members")
        for member in members[first..<end] {
            builder.beginObject()
            builder.member("user", plain: member.user.name)
            builder.member("role", word: member.role.word)
            builder.timeout(of: member)
            builder.members(of: member.watermark, directory.policy.receipts(of: member, to: user))
            if page.hasPresence, !conversation.isRequest || member.user === user {
                presence.members(of: member.user, to: user, at: now)
            }
            builder.endObject()
        }
        builder.endArray()
        if end < members.count { builder.member("next", plain: members[end - 1].user.name) }
        if let sequence = page.sequence, let counts {
            builder.member("sequence", sequence.value)
            builder.member("of", counts.others)
            builder.member("deliveredCount", counts.delivered)
            builder.member("readCount", counts.read)
        }
        delivery.reply(builder.finish(), to: asker.session)
    }

    // MARK: conversation.pins

    func pins(_ list: Command.Pins, _ asker: Asker) throws(Refusal) {
        let (conversation, _) = try directory.conversation(list.conversation, for: asker.user)
        try reads.check(asker.session)
        let bound = try bound(list.before)
        let pins = conversation.highlights.pins
            .shown(in: conversation, above: conversation.hidden(from: asker.user.number), to: asker.user)
            .filter { $0.position.value < bound }
        let shown = pins.prefix(list.limit ?? bounds.rows)
        let page = PinnedPage(conversation: conversation, pins: Array(shown), hasMore: shown.count < pins.count)
        let messages = shown.map { (conversation: conversation.number, sequence: $0.sequence) }
        let request = LatestRequest(messages: messages, for: asker.user.number, bytes: bounds.bytes)
        reads.ask(.latest(request), for: .pins(asker, page))
    }

    private func answer(_ result: ReadResult, _ page: PinnedPage, _ asker: Asker) {
        let conversation = page.conversation
        guard conversation.member(asker.user.number) != nil else {
            return refuse(Refusal(.notFound, "no such conversation"), asker)
        }
        var page = page
        if result.hasMore, let last = result.events.last { page.end(behind: last.sequence) }
        let messages = Dictionary(result.events.map { ($0.sequence, $0) }) { $1 }
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.member("conversation", plain: conversation.id)
        builder.beginArray("pins")
        let floor = conversation.hidden(from: asker.user.number)
        for pin in page.pins
        where pin.sequence > floor && conversation.highlights.pins.has(pin)
            && !pin.isHidden(from: asker.user, in: conversation)
        {
            let message = messages[pin.sequence]
            // A message erased by retention isn't shown.
            guard message?.deletedAt ?? .never == .never else {
                conversation.highlights.pins.remove(pin.sequence)
                continue
            }
            builder.beginObject()
            builder.member("sequence", pin.sequence.value)
            builder.member("by", plain: directory.user(pin.user)?.name ?? "")
            builder.member("time", pin.time.milliseconds)
            if let message {
                builder.beginObject("message")
                write(message, in: conversation, for: asker.user)
                builder.endObject()
            }
            builder.endObject()
        }
        builder.endArray()
        if page.hasMore, let last = page.pins.last { builder.member("next", last.position) }
        delivery.reply(builder.finish(), to: asker.session)
    }

    // MARK: conversation.bans

    /// A page of those who can't come back, for who may ban.
    func bans(_ list: Command.Bans, _ asker: Asker) throws(Refusal) {
        let (conversation, role) = try directory.conversation(list.conversation, for: asker.user)
        try directory.check(isCertain: conversation.isRoleCertain(of: asker.user.number))
        try directory.policy.checkChange(of: conversation, by: role, needing: .admin)
        var first = Int32.min
        if let name = list.after {
            guard let user = directory.user(named: name) else { throw Directory.notANext }
            first = user.number.value
        }
        let bans = conversation.moderation.restrictions.all.filter { $0.isBan && $0.user.value > first }
        let page = bans.prefix(list.limit ?? bounds.rows)
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.member("conversation", plain: conversation.id)
        builder.beginArray("bans")
        for ban in page {
            builder.beginObject()
            builder.member("user", plain: directory.user(ban.user)?.name ?? "")
            builder.member("by", plain: directory.user(ban.by)?.name ?? "")
            builder.member("time", ban.time.milliseconds)
            if let reason = ban.reason { builder.member("reason", word: reason.word) }
            builder.endObject()
        }
        builder.endArray()
        if page.count < bans.count, let last = page.last {
            builder.member("next", plain: directory.user(last.user)?.name ?? "")
        }
        delivery.reply(builder.finish(), to: asker.session)
    }

    // MARK: conversation.create

    /// Answers a `conversation.create` with the conversation object. If the conversation was there before, its last
    /// message is read first.
    func answerCreated(_ created: Created, to asker: Asker) {
        guard asker.session.phase == .ready else { return }
        guard let conversation = directory.conversation(created.conversation),
            conversation.member(asker.user.number) != nil
        else { return refuseGone(created, asker) }
        let request = lastMessages(of: [conversation], for: asker.user)
        // A new member has no message to be shown yet, and no later event may overtake the answer, which stands for the
        // event.
        guard created.isDuplicate, !request.messages.isEmpty else {
            return answer(created, conversation, last: nil, asker)
        }
        do throws(Refusal) {
            try reads.check(asker.session)
            reads.ask(.latest(request), for: .created(asker, created))
        } catch {
            refuse(error, asker)
        }
    }

    private func answer(_ created: Created, _ conversation: Conversation, last: StoredEvent?, _ asker: Asker) {
        guard let member = conversation.member(asker.user.number) else { return refuseGone(created, asker) }
        delivery.tellAhead(created.position, to: asker.session)
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.beginObject("conversation")
        write(conversation, for: member, last: last)
        builder.endObject()
        writePeople(of: [(conversation, last)], for: asker.user)
        builder.member("position", created.position)
        builder.member("time", created.time.milliseconds)
        if created.isDuplicate { builder.member("duplicate", true) }
        delivery.reply(builder.finish(), to: asker.session)
    }

    /// The conversation was erased, or the user is no longer in it, since it was created.
    private func refuseGone(_ created: Created, _ asker: Asker) {
        let isThere = directory.conversation(created.conversation) != nil
        let reason = isThere ? "you are no longer in the conversation" : "the conversation was erased"
        refuse(Refusal(.gone, "the command was carried out before, but \(reason) since"), asker)
    }

    // MARK: Answers of the log

    /// Whether a session may have got an edit or deletion that the answer doesn't show yet. A client that stored the
    /// answer would keep the old body.
    /// - Parameter head: the end of the log when the answer was read.
    func isStale(_ question: Read.Question, readAt head: Position) -> Bool {
        func isOld(_ number: ConversationNumber) -> Bool {
            directory.conversation(number).map { $0.lastChange > head } ?? false
        }
        switch question {
        case .history(let request): return isOld(request.conversation)
        case .latest(let request): return request.messages.contains { isOld($0.conversation) }
        case .settings(let request):
            return directory.user(request.user)?.settings.map { $0.conversation.lastPosition > head } ?? false
        case .page, .feed, .receipts: return false
        }
    }

    /// The log has answered a question of one of these commands.
    func answered(_ result: ReadResult, for reader: PendingRead) {
        guard let session = reader.session, session.phase == .ready else { return }
        switch reader {
        case .page, .whereabouts, .feed, .erasure, .settings, .receipts, .report, .reported,
            .unread, .typing:
            preconditionFailure("this isn't asked for by one of these commands")
        case .history(let asker, let conversation):
            if result.isFailed { refuseFailed(asker) } else { answer(result, conversation, asker) }
        case .one(let asker, let conversation):
            if result.isFailed { refuseFailed(asker) } else { answer(result, one: conversation, asker) }
        case .list(let asker, let page):
            if result.isFailed { refuseFailed(asker) } else { answer(result, page, asker) }
        case .pins(let asker, let page):
            if result.isFailed { refuseFailed(asker) } else { answer(result, page, asker) }
        case .created(let asker, let created):
            // If the read failed, the answer goes without the last message.
            guard let conversation = directory.conversation(created.conversation) else {
                return refuseGone(created, asker)
            }
            answer(created, conversation, last: result.events.first, asker)
        }
    }

    private func refuseFailed(_ asker: Asker) { refuse(Refusal(.unavailable, "the store could not be read"), asker) }

    private func refuse(_ refusal: Refusal, _ asker: Asker) {
        var refusal = refusal
        refusal.id = asker.id
        replies.refuse(refusal, asker.session)
    }

    // MARK: Objects

    private func write(_ event: StoredEvent, in conversation: Conversation, for reader: User?) {
        if let reader,
            event.isWithheld(from: reader.number)
                || directory.policy.withholds(event.kind, by: event.sender, in: conversation, from: reader)
        {
            return events.writeHidden(event, in: conversation)
        }
        let sender = directory.user(event.sender)?.name ?? ""
        events.writeMessage(event, in: conversation, from: sender, for: reader)
    }

    /// Writes the profiles of people in these conversations. Those that a list needs come first: the others of direct
    /// conversations, and the authors of last messages.
    private func writePeople(of conversations: [(conversation: Conversation, last: StoredEvent?)], for user: User) {
        var people = PeopleShown(to: user, directory.policy, atMost: bounds.people)
        for (conversation, last) in conversations {
            if let sender = last.flatMap({ directory.user($0.sender) }) { people.add(sender) }
            // Also one who has left.
            guard directory.policy.showsPeople(of: conversation, to: user) else { continue }
            for user in conversation.pair?.users ?? [] { directory.user(user).map { people.add($0) } }
        }
        for (conversation, _) in conversations where directory.policy.showsPeople(of: conversation, to: user) {
            for member in conversation.members.prefix(bounds.membersNamed) { people.add(member.user) }
        }
        people.write(to: builder)
    }

    private func write(_ conversation: Conversation, for member: Member, last: StoredEvent?) {
        builder.member("conversation", plain: conversation.id)
        builder.member("kind", word: conversation.kind.word)
        if conversation.kind == .group { builder.member("name", conversation.name) }
        builder.details(of: conversation.appearance)
        builder.member(createdAt: conversation.createdAt)
        if let request = member.requestWord { builder.member("request", word: request) }
        builder.member("role", word: member.role.word)
        builder.member("count", Int64(conversation.members.count))
        builder.names("members", conversation.members.prefix(bounds.membersNamed).map(\.user.name))
        let end = conversation.end(for: member.user.number)
        builder.member("sequence", end.sequence.value)
        builder.unread(of: member)
        if conversation.lifetime.expiry > 0 { builder.member("expiry", conversation.lifetime.expiry) }
        if conversation.moderation.restrictions[.none] != nil {
            builder.member("posting", word: PostingRule.admins.word)
        }
        if conversation.moderation.pace.time > 0 { builder.member("slow", conversation.moderation.pace.time) }
        builder.joining(of: conversation, for: member, directory.invites)
        builder.timeout(of: member)
        writePins(of: conversation, for: member)
        builder.member("read", member.watermark.read.value)
        if let last {
            builder.beginObject("message")
            write(last, in: conversation, for: member.user)
            builder.endObject()
        }
        builder.member("time", end.time.milliseconds)
    }

    private func writePins(of conversation: Conversation, for member: Member) {
        let pins = conversation.highlights.pins.shown(in: conversation, above: member.since, to: member.user)
        guard !pins.isEmpty else { return }
        builder.beginArray("pins")
        for pin in pins { builder.element(pin.sequence.value) }
        builder.endArray()
    }
}

/// A page of pinned messages, the newest pin first, as they were at the time of the command.
struct PinnedPage {
    let conversation: Conversation
    var pins: [StoredPin]
    /// Whether there are older pins.
    var hasMore: Bool

    /// Ends the page behind a message.
    mutating func end(behind sequence: SequenceNumber) {
        guard let last = pins.firstIndex(where: { $0.sequence == sequence }), last + 1 < pins.count else { return }
        pins.removeSubrange((last + 1)...)
        hasMore = true
    }
}

/// A page of a user's conversations, with the place of each in the list at the time of the command.
struct ListPage {
    /// A conversation, and where its log ended.
    struct Entry {
        var conversation: Conversation
        var position: Position
    }

    var entries: [Entry]
    /// Where the next page begins, if there is one.
    var next: Position?
}

/// The answer to a `conversation.create`: the conversation, and the event that created it.
struct Created {
    var conversation: ConversationNumber
    var position: Position
    var time: Timestamp
    /// Whether the conversation existed before the command.
    var isDuplicate: Bool
}

extension FrameBuilder {
    /// Writes a conversation's photo and description.
    func details(of appearance: Appearance) {
        if !appearance.photo.isEmpty { member("photo", appearance.photo) }
        if !appearance.description.isEmpty { member("description", appearance.description) }
    }

    /// Until when a member can't write, and why. It may be over.
    func timeout(of member: Member) {
        guard let timeout = member.conversation.moderation.restrictions[member.user.number] else { return }
        beginObject("timeout")
        self.member("until", timeout.until.milliseconds)
        if let reason = timeout.reason { self.member("reason", word: reason.word) }
        endObject()
    }

    /// When it was created, if that is known.
    func member(createdAt time: Timestamp) {
        if time != .never { member("createdAt", time.milliseconds) }
    }

    /// An array of user names.
    func names(_ member: StaticString, _ names: [String]) {
        beginArray(member)
        for name in names { element(name) }
        endArray()
    }
}
