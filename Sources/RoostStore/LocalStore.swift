public import RoostWire

/// A device's data on disk: what came from the relay, and what its user did. One file; `outbox` is the part that
/// survives every change of user, log or server.
///
/// It belongs to one thread at a time, which must not be the main one: it waits for the disk. Everything that it hands
/// out is a value.
public final class LocalStore {
    /// The items that wait for the relay.
    public let outbox: Outbox
    /// The device's file; the owner of the store closes it.
    package let database: LocalDatabase
    private let conversations: ConversationTable
    private let messages: MessageTable
    /// The device's user and name, and its position in the log.
    public private(set) var identity: LocalIdentity
    /// The settings that follow the user.
    public let settings: LocalSettings
    /// The profiles of users.
    public let people: LocalPeople
    /// The user's contacts.
    public let contacts: LocalContacts
    /// The number of unread messages.
    public let badge: LocalBadge
    /// The pinned messages of conversations.
    public let pins: LocalPins
    /// The changes to conversations beside their messages.
    public let lines: LocalLines
    /// The messages of threads.
    public let threads: LocalThreads
    /// The result of repairing a damaged file; nil if it was whole.
    public let repair: LocalRepair?
    private var places = LocalPlaces()

    // How often a draft may have changed.
    var draftRevision = 0

    static let migrations =
        OutboxTable.migrations + CacheTables.migrations + DraftTable.migrations
        + LocalPeople.migrations + LocalBadge.migrations + LocalContacts.migrations + LocalIdentity.migrations
        + LocalLines.migrations

    /// Opens the file at `path`, or creates it.
    /// - Parameters:
    ///   - device: the name of this device, if the file has none yet. It stays what it is for ever, because the relay
    ///     remembers how far each device has got.
    ///   - policy: what happens when the relay can't be asked.
    ///   - goesOnAfterFailures: whether the next message of a conversation is sent although one before it failed.
    public init(
        path: String, device: String, limits: StoreLimits = StoreLimits(), policy: RetryPolicy = .forever,
        goesOnAfterFailures: Bool = false
    ) throws(LocalFailure) {
        let (parts, repair) = try LocalFile(path: path).open { (database) throws(LocalFailure) in
            let outbox = try Outbox(
                database, limits: limits.outbox, policy: policy, goesOnAfterFailures: goesOnAfterFailures)
            try database.run(LocalIdentity.insert, [.integer(1), .text(device), .null, .null])
            if database.changes > 0 { try LocalIdentity.seal(database) }
            let identity = try LocalIdentity.read(database) ?? LocalIdentity(device: device)
            if let user = identity.user { try outbox.use(user) }
            return Parts(database: database, outbox: outbox, identity: identity)
        }
        self.repair = repair
        (database, outbox, identity) = (parts.database, parts.outbox, parts.identity)
        conversations = ConversationTable(database: database)
        messages = MessageTable(database: database, most: limits.messagesMax)
        settings = LocalSettings(database: database)
        people = LocalPeople(database: database, most: limits.peopleMax)
        contacts = LocalContacts(database: database)
        badge = LocalBadge(database: database)
        pins = LocalPins(database: database, messages: messages)
        lines = LocalLines(database: database)
        threads = LocalThreads(messages: messages)
        database.noteOthers = { [unowned self] () throws(LocalFailure) in try noteOthers() }
    }

    // The data that a start reads.
    private struct Parts {
        var database: LocalDatabase
        var outbox: Outbox
        var identity: LocalIdentity
    }

    // MARK: Other programs

    /// Takes what other programs have changed in the file since it was last asked, as an app's extension that has put a
    /// message into the outbox. Each change here does so first.
    /// - Returns: whether anything may have changed.
    /// - Throws: a failure that `wasReplaced` if another program has found the file damaged, or signed in as another
    ///   user.
    public func catchUp() throws(LocalFailure) -> Bool { try database.catchUp() }

    private func noteOthers() throws(LocalFailure) {
        let before = identity
        try readIdentity()
        guard before.user == nil || identity.user == before.user else {
            identity = before
            throw LocalFailure(code: LocalFailure.moved, description: "another program has changed the user")
        }
        if identity.user != before.user { outbox.user = identity.user }
        try outbox.rereadOthers()
        settings.noteChange()
        draftRevision += 1
        people.forgetAll()
    }

    private func readIdentity() throws(LocalFailure) {
        if let read = try LocalIdentity.read(database) { identity = read }
    }

    // All of it, or nothing: neither on disk nor in memory.
    private func change<Result>(_ body: () throws(LocalFailure) -> Result) throws(LocalFailure) -> Result {
        let before = (identity, outbox.user)
        _ = messages.olderFiles.take()
        do throws(LocalFailure) {
            return try database.transaction { () throws(LocalFailure) in
                let result = try body()
                if messages.olderFiles.take() { try rewind() }
                return result
            }
        } catch {
            (identity, outbox.user) = before
            try? outbox.reread()
            throw error
        }
    }

    /// Number of times, since this store was opened, that the relay's files were found older than they were. The
    /// relay's data is forgotten then, and must be fetched anew on another connection; what waits stays.
    public private(set) var rewinds = 0

    // All of the relay's data may come from a log that no longer exists.
    private func rewind() throws(LocalFailure) {
        messages.olderFiles.hasOld = false
        rewinds += 1
        try empty()
    }

    /// Notes that the relay no longer has the newest message that it sent.
    public func noteOlderFiles() throws(LocalFailure) { try change { () throws(LocalFailure) in try rewind() } }

    private var cache: Cache {
        Cache(
            conversations: conversations, messages: messages, pins: pins, lines: lines,
            user: identity.user ?? "")
    }

    /// The user's drafts.
    public var drafts: LocalDrafts { LocalDrafts(store: self) }

    // MARK: Sessions

    /// This user uses the device from now on. Another one's cache is emptied; what another one wrote and wasn't sent
    /// stays in the file, unseen, until that user is back.
    public func signIn(_ user: String) throws(LocalFailure) {
        guard identity.user != user else { return }
        try change { () throws(LocalFailure) in try become(user) }
    }

    private func become(_ user: String) throws(LocalFailure) {
        if identity.user != nil { try empty() }
        try database.run("UPDATE identity SET user = ?", [.text(user)])
        try LocalIdentity.seal(database)
        try readIdentity()
        try outbox.use(user)
        try DraftTable(database: database).adopt(user)
    }

    private func empty() throws(LocalFailure) {
        // A message to the same user before the conversation is known again must come after the waiting ones.
        for name in Set(outbox.items.map(\.destination)) {
            guard let peer = try conversations.conversation(name)?.peer(of: identity.user ?? "") else { continue }
            try outbox.move(name, to: "@\(peer)")
        }
        try database.execute(CacheTables.empty)
        settings.noteChange()
        people.forgetAll()
        try readIdentity()
    }

    /// A session has begun. Empties the cache if it is another user's or another log's, or if the relay doesn't know
    /// what this device has (Docs/Protocol.md, section 6). The outbox stays.
    /// - Parameter isResumed: whether the relay took the position that `identity` has.
    /// - Returns: whether the cache was emptied.
    @discardableResult
    public func begin(_ welcome: Welcome, isResumed: Bool) throws(LocalFailure) -> Bool {
        let isUnknown = !isResumed && (welcome.isNew || identity.position != nil)
        let isAnother = identity.epoch != nil && identity.epoch != welcome.epoch
        let had = identity.position != nil && identity.user == welcome.user
        return try change { () throws(LocalFailure) in
            let isEmptied = isUnknown || isAnother || (identity.user != nil && identity.user != welcome.user)
            if identity.user != welcome.user { try become(welcome.user) }
            if isEmptied { try empty() }
            if isAnother { try outbox.logChanged() }
            // It never gave the position that it gave.
            if !isAnother, !isResumed, had { rewinds += 1 }
            messages.olderFiles.hasOld = isResumed && !isEmptied
            try database.run("UPDATE identity SET epoch = ?", [.text(welcome.epoch)])
            try LocalIdentity.seal(database)
            try badge.begin(welcome.badge)
            try readIdentity()
            try outbox.open()
            return isEmptied
        }
    }

    /// Forgets all that this user has here, on disk too. The device keeps its name.
    public func signOut() throws(LocalFailure) {
        try change { () throws(LocalFailure) in
            try outbox.removeAll()
            try DraftTable(database: database).removeAll(of: identity.user)
            try empty()
            try database.run("UPDATE identity SET user = NULL")
            try LocalIdentity.seal(database)
            try readIdentity()
        }
        // The write-ahead log has it, too.
        _ = try database.forget()
    }

    // MARK: Data from the relay

    /// Takes events in the order in which they came, and the position of the last one, in one transaction: what was
    /// acked is never lost here.
    /// - Parameter position: where the device is after them (Docs/Protocol.md, section 6); nil if it stays.
    /// - Returns: the conversations that changed.
    public func take(_ events: [Event], position: String?) throws(LocalFailure) -> Set<String> {
        try change { () throws(LocalFailure) in
            var (changed, newest) = (Set<String>(), Message?.none)
            for event in events {
                switch event {
                case .message(let message): try settle(message)
                case .state(let change):
                    try settings.take(change)
                    try noteDropped(change)
                case .profile(let profile): try people.take([profile])
                case .badge(let unread): try badge.take(unread)
                case .joins(let conversation?, let waiting):
                    try cache.conversations.setWaiting(waiting, in: conversation)
                    changed.insert(conversation)
                case .live: try badge.noteLive()
                default: break
                }
                if let conversation = try cache.take(event) { changed.insert(conversation) }
                if case .message(let message) = event { newest = message }
            }
            if let newest { identity.newest = try KnownMessage(LocalMessage(newest)).keep(in: database) }
            try joinLines()
            if let position {
                try database.run("UPDATE identity SET position = ?", [.text(position)])
                identity.position = position
            }
            return changed
        }
    }

    // A message of this user's that still waits here was stored by an earlier try, whose answer was lost.
    private func settle(_ message: Message) throws(LocalFailure) {
        guard message.from == identity.user, let key = message.key,
            let item = outbox.items.first(where: { $0.key == key && $0.isMessage })
        else { return }
        try outbox.accepted(
            item.id,
            as: StoredMessage(
                conversation: message.conversation, sequence: message.sequence, position: message.position,
                time: message.time, isDuplicate: true))
    }

    /// Takes a page of the user's conversations.
    /// - Parameter isLast: whether it is the last page, so that all are here.
    public func take(_ page: ConversationPage, isLast: Bool) throws(LocalFailure) {
        try change { () throws(LocalFailure) in
            for summary in page.conversations { try note(summary) }
            try people.take(people: page.people)
            try joinLines()
            if isLast { try database.run("UPDATE identity SET is_listed = 1") }
            try readIdentity()
        }
    }

    /// Takes a conversation as it is now.
    public func take(_ summary: ConversationSummary) throws(LocalFailure) {
        try change { () throws(LocalFailure) in
            try note(summary)
            try joinLines()
        }
    }

    private func note(_ summary: ConversationSummary) throws(LocalFailure) {
        if let message = summary.message { try settle(message) }
        try cache.take(summary)
    }

    // The server says by a setting which request the user has dropped (Docs/Protocol.md, section 5).
    private func noteDropped(_ change: StateChange) throws(LocalFailure) {
        guard change.key == "@requests", let id = change.value.flatMap({ MessageBody(json: $0)?.text }) else { return }
        try conversations.dropRequest(id)
    }

    // Messages written to `@user` become the conversation's, once that is known, so that they stay in order with
    // messages to the conversation.
    private func joinLines() throws(LocalFailure) {
        for name in Set(outbox.items.map(\.destination)) where name.hasPrefix("@") {
            guard let one = try conversations.direct(with: String(name.dropFirst())) else { continue }
            try outbox.move(name, to: one.id)
        }
    }

    /// Takes a page of history.
    /// - Parameters:
    ///   - before: the sequence before which it was asked for; nil after another question.
    ///   - asked: what `doubts` was when it was asked for; nil if nothing was taken since.
    public func take(_ page: HistoryPage, before: SequenceNumber?, asked: Int? = nil) throws(LocalFailure) {
        try change { () throws(LocalFailure) in
            for message in page.messages { try settle(message) }
            try cache.take(page, before: before, asked: asked ?? doubts)
        }
    }

    /// Number of changes to messages of which an answer on its way may not know. Note it before asking for `history`,
    /// so that changes that come meanwhile are asked for again.
    public var doubts: Int { messages.doubts.count }

    /// Takes the messages from one sequence to another as they are now.
    public func take(
        _ page: HistoryPage, from: SequenceNumber, to: SequenceNumber, asked: Int? = nil
    ) throws(LocalFailure) {
        let asked = asked ?? doubts
        try change { () throws(LocalFailure) in
            for message in page.messages { try settle(message) }
            try cache.take(page, before: nil, asked: asked)
            try messages.settle(page.conversation, from: from, to: to, asked: asked)
        }
    }

    /// Takes how far members have got.
    public func take(_ receipts: [Receipt]) throws(LocalFailure) {
        try change { () throws(LocalFailure) in
            for receipt in receipts { _ = try cache.take(.receipt(receipt)) }
        }
    }

    /// The user is no longer in this conversation.
    public func forget(_ conversation: String) throws(LocalFailure) {
        try change { () throws(LocalFailure) in try conversations.forget(conversation) }
    }

    // MARK: Time

    /// The relay's clock is so many milliseconds ahead of this device's.
    public func noteClock(ahead milliseconds: Int64) throws(LocalFailure) {
        guard milliseconds != identity.clockAhead else { return }
        try database.run("UPDATE identity SET clock_ahead = ?", [.integer(milliseconds)])
        try readIdentity()
    }

    /// When the next message disappears, by the relay's clock; nil if none will.
    public func nextExpiry() throws(LocalFailure) -> Timestamp? { try messages.nextExpiry() }

    /// Erases what messages contain that have disappeared by now, at most 500 of them.
    /// - Parameter now: the time by the relay's clock.
    /// - Returns: the conversations that changed; empty if nothing was left to erase.
    public func expire(by now: Timestamp) throws(LocalFailure) -> Set<String> {
        let (changed, count) = try change { () throws(LocalFailure) in try cache.expire(by: now, limit: 500) }
        // The write-ahead log has it, too.
        if count > 0 { _ = try database.forget() }
        return changed
    }

    // MARK: Outcomes of the outbox's items

    /// The relay has done it: the item goes, and what it did is there, in one transaction.
    /// - Parameters:
    ///   - time: when the relay did it.
    ///   - stored: what a message became.
    ///   - version: what an edit made of the version of its message; nil if it changed nothing.
    /// - Returns: the conversation that changed.
    @discardableResult
    public func accepted(
        _ id: Int64, at time: Timestamp, as stored: StoredMessage? = nil, version: Int64? = nil
    ) throws(LocalFailure) -> String? {
        guard let item = outbox.items.first(where: { $0.id == id }) else { return nil }
        return try change { () throws(LocalFailure) in
            let conversation = if let stored { stored.conversation } else { try resolved(item.destination) }
            try note(item, in: conversation, at: time, as: stored, version: version)
            try outbox.accepted(id, as: stored, version: version)
            return conversation
        }
    }

    private func note(
        _ item: OutboxItem, in conversation: String, at time: Timestamp, as stored: StoredMessage?, version: Int64?
    ) throws(LocalFailure) {
        switch item.action {
        case .send(let kind, let body, let replyTo):
            // An empty name says that the user has left the conversation since.
            guard let stored, !stored.conversation.isEmpty else { return }
            let told = stored.forwarded
            var message = LocalMessage(
                stored, from: identity.user ?? "", key: item.key, kind: told?.kind ?? kind ?? "text")
            if stored.deletedAt == nil {
                message.body = told?.body ?? MessageBody(json: body)
                message.mentions = item.mentions
            }
            if case .stored(let sequence) = replyTo { message.replyTo = sequence }
            message.thread = item.thread
            message.origin = told?.origin ?? item.forward?.origin
            // A message that an earlier try stored may have changed since.
            message.isStale = stored.isDuplicate || item.forward != nil && told == nil
            let peer = item.destination.hasPrefix("@") ? String(item.destination.dropFirst()) : nil
            try cache.take(own: message, to: peer)
            if peer != nil { places.note(item.destination, is: stored.conversation) }
            if !stored.isDuplicate { identity.newest = try KnownMessage(message).keep(in: database) }
        case .edit(.stored(let sequence), let body):
            try messages.edit(conversation, sequence, body, mentions: item.mentions, version: version, at: time)
        case .delete(.stored(let sequence)): try cache.delete(conversation, sequence, at: time)
        case .react(.stored(let sequence), let reaction, let isOn):
            try messages.react(conversation, sequence, { $0.setMine(reaction, isOn: isOn) }, isStale: false)
        case .read(let sequence): try cache.read(conversation, upTo: sequence)
        case .edit, .delete, .react: break
        }
    }

    /// The id of the conversation that is meant: `@name` may be known here by its id.
    public func resolved(_ destination: String) throws(LocalFailure) -> String {
        try conversation(destination)?.id ?? destination
    }

    /// The user has seen a conversation up to a message. Does nothing if that is known already.
    /// - Throws: `OutboxFailure`, or `LocalFailure` if it couldn't be written.
    public func read(_ conversation: String, upTo sequence: SequenceNumber, key: String) throws {
        guard let one = try conversations.conversation(conversation), one.isUnread(sequence), sequence <= one.sequence
        else { return }
        try outbox.add(.read(sequence), to: conversation, key: key)
        try change { () throws(LocalFailure) in try cache.read(conversation, upTo: sequence) }
    }

    // MARK: Reading

    /// Up to `limit` conversations, those first in which something happened last.
    /// - Parameter areRequests: those that wait for the user to accept them; otherwise only others.
    public func conversations(limit: Int, areRequests: Bool = false) throws(LocalFailure) -> [LocalConversation] {
        try conversations.page(limit: limit, areRequests: areRequests)
    }

    /// One conversation, by its id or as `@name`; nil if this device doesn't know it.
    public func conversation(_ destination: String) throws(LocalFailure) -> LocalConversation? {
        guard destination.hasPrefix("@") else { return try conversations.conversation(destination) }
        if let direct = try conversations.direct(with: String(destination.dropFirst())) { return direct }
        return try places[destination].flatMap { id throws(LocalFailure) in try conversations.conversation(id) }
    }

    /// Up to `limit` conversations of which something was left out, so that they must be asked anew.
    public func staleConversations(limit: Int) throws(LocalFailure) -> [String] {
        try conversations.stale(limit: limit)
    }

    /// Up to `limit` messages below a sequence, oldest first. Sequences without a message between them are a gap.
    public func messages(
        of conversation: String, below: SequenceNumber = SequenceNumber(.max), limit: Int
    ) throws(LocalFailure) -> [LocalMessage] {
        try messages.page(of: conversation, below: below, limit: limit)
    }

    /// Up to `limit` messages from a sequence on, oldest first.
    public func messages(
        of conversation: String, from: SequenceNumber, limit: Int
    ) throws(LocalFailure) -> [LocalMessage] {
        try messages.page(of: conversation, from: from, limit: limit)
    }

    /// The message of this user that was typed under a key; nil if it isn't here.
    public func sequence(ofKey key: String, in conversation: String) throws(LocalFailure) -> SequenceNumber? {
        try messages.sequence(ofKey: key, in: conversation)
    }

    /// The other members' receipts, as far as this device has got them.
    public func watermarks(of conversation: String) throws(LocalFailure) -> [LocalWatermark] {
        try conversations.watermarks(of: conversation)
    }

    /// Number of unread messages of all conversations.
    public func unread() throws(LocalFailure) -> Int { try conversations.unread() }

    /// Number of unread messages of these conversations.
    public func unread(in some: Set<String>) throws(LocalFailure) -> Int {
        var sum = 0
        for id in some {
            if let one = try conversations.conversation(id), !one.isAside { sum += one.unread }
        }
        return sum
    }

    // MARK: Blocks

    /// There is a block between the user and another, or none any more: what the relay shows of their messages in
    /// groups is another thing now, so it must be asked anew.
    public func blockChanged(with other: String) throws(LocalFailure) {
        try change { () throws(LocalFailure) in try messages.doubt(from: other) }
    }
}

/// The bounds of what a device keeps, each with its reason.
public struct StoreLimits: Sendable, Equatable {
    /// The outbox's own.
    public var outbox = OutboxLimits()
    /// Most messages kept of one conversation. Some 20 MB of usual texts; who scrolls further asks the relay.
    public var messagesMax = 50_000
    /// Most people whose profiles are kept. Some 10 MB; the others' are asked for when they are shown.
    public var peopleMax = 50_000

    /// The defaults.
    public init() {}
}

extension LocalMessage {
    /// A message of this device that the relay has stored.
    fileprivate init(_ stored: StoredMessage, from user: String, key: String, kind: String) {
        self.init(
            conversation: stored.conversation, sequence: stored.sequence, key: key, from: user, time: stored.time,
            kind: kind, reactions: [], isStale: false)
        expires = stored.expires
        deletedAt = stored.deletedAt
    }
}
