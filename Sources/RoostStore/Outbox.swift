import RoostWire

/// The user's actions that the relay hasn't accepted yet, on disk. Nothing expires, and no error deletes what was
/// typed.
///
/// Messages, edits and deletions of one conversation go out one after another, in the order in which they were made. An
/// item about a message that waits here waits for it. A message that the relay refuses steps aside, and the next one of
/// the conversation waits for its user's choice: `retry`, `replace` or `discard`. A conversation that refuses waits as
/// a whole. Reactions and read marks hold nothing up, and are dropped when refused.
///
/// It belongs to one thread at a time, which must not be the main one: every change is a commit.
public final class Outbox {
    private let database: LocalDatabase
    private let limits: OutboxLimits
    private let policy: RetryPolicy
    private let goesOnAfterFailures: Bool
    /// All items, in the order in which they were made. The file has the same.
    public private(set) var items: [OutboxItem] = []
    /// Conversations that wait for their user's choice, and why.
    public private(set) var parked: [String: OutboxItem.Failure] = [:]
    private var underWay: Set<Int64> = []
    // Items of which no try has been made, neither now nor before the app ended.
    private var untried: Set<Int64> = []
    // Items that try whether their conversation still refuses. Without an answer they go out again.
    private var probes: Set<Int64> = []
    // Groups that take no further message of the user's for a time. The session forgets them.
    private var resting: Set<String> = []
    private var isOpen = false
    // The user of these items; nil before the first session.
    var user: String?

    /// Reads the file. Items that were under way when the app ended are sent again.
    init(
        _ database: LocalDatabase, user: String? = nil, limits: OutboxLimits = OutboxLimits(),
        policy: RetryPolicy = .forever,
        goesOnAfterFailures: Bool = false
    ) throws(LocalFailure) {
        self.database = database
        self.user = user
        self.limits = limits
        self.policy = policy
        self.goesOnAfterFailures = goesOnAfterFailures
        try reread()
    }

    /// Takes the items from the file again, as after a change that failed half way.
    func reread() throws(LocalFailure) {
        let user = user.map { LocalValue.text($0) } ?? .null
        items = try database.rows(OutboxTable.all, [user]) { OutboxTable.item($0) }.compactMap { $0 }
        underWay.formIntersection(items.map(\.id))
        probes.formIntersection(items.map(\.id))
        let unsent = Set(try database.rows(OutboxTable.unsent, [user]) { $0.integer(0) })
        untried = untried.intersection(items.map(\.id)).union(unsent)
        parked = [:]
        for (destination, failure) in try database.rows(
            OutboxTable.allParked, [.text(self.user ?? "")], OutboxTable.parked)
        {
            parked[destination] = failure
        }
    }

    /// Another program has changed the file: its user has written more, or it has sent what waited here.
    func rereadOthers() throws(LocalFailure) {
        // Whether the other one has begun to send an item, only the file says.
        if !isOpen { untried = [] }
        try reread()
        if isOpen, !untried.isEmpty { try markSendable() }
    }

    private func markSendable() throws(LocalFailure) {
        try database.run(OutboxTable.mayBeSent, [user.map { .text($0) } ?? .null])
    }

    /// Uses the items of this user from now on; others' wait in the file. Items from before any user was known become
    /// this user's.
    func use(_ user: String) throws(LocalFailure) {
        try database.run(OutboxTable.adoptUser, [.text(user)])
        try database.run(OutboxTable.adoptParked, [.text(user)])
        self.user = user
        try reread()
    }

    /// Whether an item can be given another body or be taken back as if it had never been. It can't if it may have
    /// reached the relay, with its answer lost.
    public func mayChange(_ id: Int64) -> Bool {
        guard let item = items.first(where: { $0.id == id }), !underWay.contains(id) else { return false }
        return item.failure != nil || untried.contains(id)
    }

    /// A session begins: whatever waits may be sent from now on, which a later start has to know.
    func open() throws(LocalFailure) {
        if !untried.isEmpty { try markSendable() }
        isOpen = true
    }

    /// The session has ended.
    public func shut() {
        isOpen = false
        resting = []
    }

    private var bytes: Int { items.reduce(0) { $0 + $1.bytes } }

    // MARK: The user's actions

    /// Puts an item at the end. It is on disk when this returns.
    /// - Parameters:
    ///   - mentions: the users mentioned in a message or an edit.
    ///   - thread: the stored first message of the thread that a message belongs to.
    ///   - forward: the original of a forwarded message.
    ///   - version: the version that the message of an edit must have; nil if any.
    /// - Throws: `OutboxFailure`, or `LocalFailure` if it couldn't be written; then it isn't there.
    @discardableResult
    public func add(
        _ action: OutboxItem.Action, to destination: String, key: String, mentions: [String] = [],
        thread: SequenceNumber? = nil, forward: OutboxItem.Forward? = nil, ifVersion version: Int64? = nil
    ) throws -> OutboxItem {
        var item = OutboxItem(
            id: 0, destination: destination, key: key, action: action, mentions: mentions, thread: thread,
            forward: forward, ifVersion: version)
        // Items of other programs count, too.
        let replaced = try database.change {
            guard items.count < limits.itemsMax, item.bytes <= limits.bytesMax - bytes else { throw OutboxFailure.full }
            guard !items.contains(where: { $0.key == key }) else { throw OutboxFailure.keyIsTaken }
            if let parent = item.parent {
                guard items.contains(where: { $0.id == parent && $0.isMessage }) else { throw OutboxFailure.noSuchItem }
            }
            // The later of two waiting read marks includes the earlier.
            let replaced = items.first { replaces(action, $0, in: destination) }
            let mayBeSent = isOpen && parked[destination] == nil
            if let replaced { try database.run(OutboxTable.remove, [.integer(replaced.id)]) }
            try database.run(OutboxTable.insert, OutboxTable.values(item, of: user) + [.integer(mayBeSent ? 1 : 0)])
            item.id = database.lastID
            try database.run(OutboxTable.seal, [.integer(item.id)])
            return replaced
        }
        if let replaced { forget(replaced.id) }
        items.append(item)
        untried.insert(item.id)
        return item
    }

    private func replaces(_ action: OutboxItem.Action, _ older: OutboxItem, in destination: String) -> Bool {
        guard case .read = action, case .read = older.action else { return false }
        return older.destination == destination && !underWay.contains(older.id)
    }

    /// Tries an item again that stepped aside.
    public func retry(_ id: Int64) throws {
        guard let index = items.firstIndex(where: { $0.id == id && $0.failure != nil }) else {
            throw OutboxFailure.noSuchItem
        }
        try database.run(OutboxTable.revive, [.integer(id)])
        items[index].failure = nil
        items[index].tries = 0
    }

    /// Gives a message or an edit another body and other mentions, and tries it again if it stepped aside. An edit that
    /// was refused because its message had another version no longer asks for one: its user has seen the newer text.
    /// - Throws: `OutboxFailure.noSuchItem` unless `mayChange`.
    public func replace(_ id: Int64, body: [UInt8], mentions: [String] = []) throws {
        let changed = try database.change {
            // A forwarded message of another user stays as it is.
            guard let index = items.firstIndex(where: { $0.id == id }), mayChange(id), items[index].forward == nil
            else { throw OutboxFailure.noSuchItem }
            var item = items[index]
            switch item.action {
            case .send(let kind, _, let replyTo): item.action = .send(kind: kind, body: body, replyTo: replyTo)
            case .edit(let target, _): item.action = .edit(target, body: body)
            case .delete, .react, .read: throw OutboxFailure.noSuchItem
            }
            item.mentions = mentions
            if item.failure?.code == .conflict { item.ifVersion = nil }
            item.failure = nil
            item.tries = 0
            guard item.bytes - items[index].bytes <= limits.bytesMax - bytes else { throw OutboxFailure.full }
            let version = item.ifVersion.map { LocalValue.integer($0) } ?? .null
            try database.run(OutboxTable.replace, [.bytes(body), Mentions.value(mentions), version, .integer(id)])
            return item
        }
        guard let index = items.firstIndex(where: { $0.id == id }) else { return }
        items[index] = changed
    }

    /// Takes an item back, and with it what waits for it.
    /// - Returns: the items that went.
    /// - Throws: `OutboxFailure.noSuchItem` if it is under way, or a message that isn't `mayChange`.
    @discardableResult
    public func discard(_ id: Int64) throws -> [OutboxItem] {
        let gone = try database.change {
            var going: Set<Int64> = [id]
            // Items wait for earlier ones only, so that one pass finds them all.
            for item in items { if let parent = item.parent, going.contains(parent) { going.insert(item.id) } }
            let gone = items.filter { going.contains($0.id) }
            guard let first = gone.first, going.isDisjoint(with: underWay), !first.isMessage || mayChange(id) else {
                throw OutboxFailure.noSuchItem
            }
            // Its children go by `ON DELETE CASCADE`.
            try database.run(OutboxTable.remove, [.integer(id)])
            return gone
        }
        for item in gone { forget(item.id) }
        // The items that a conversation refused aren't there any more.
        if let destination = gone.first?.destination, parked[destination] != nil,
            !items.contains(where: { $0.destination == destination && $0.isVisible })
        {
            try resume(destination)
        }
        return gone
    }

    /// Tries by one item whether a conversation still refuses, because an event may have changed that. Until the answer
    /// is known, the conversation keeps waiting.
    public func probe(_ destination: String) throws(LocalFailure) {
        let first = items.first {
            $0.destination == destination && $0.parent == nil && $0.isVisible && $0.failure == nil
        }
        guard parked[destination] != nil, let first, !underWay.contains(first.id) else { return }
        try database.run(OutboxTable.isSent, [.integer(first.id)])
        probes.insert(first.id)
    }

    /// Lets the items of a conversation that refused go out again.
    public func resume(_ destination: String) throws(LocalFailure) {
        try database.transaction { () throws(LocalFailure) in
            try database.run(OutboxTable.unpark, [.text(destination), .text(user ?? "")])
            if isOpen { try markSendable() }
        }
        parked[destination] = nil
    }

    /// Forgets all items: the user has signed out. The file stays.
    func removeAll() throws(LocalFailure) {
        try database.transaction { () throws(LocalFailure) in
            try database.run(OutboxTable.removeAll, [user.map { .text($0) } ?? .null])
            try database.run(OutboxTable.unparkAll, [.text(user ?? "")])
        }
        user = nil
        items.removeAll()
        parked.removeAll()
        underWay.removeAll()
        untried.removeAll()
        probes.removeAll()
    }

    // MARK: The session's actions

    /// The next item that may be sent, which then counts as under way; nil if there is none now.
    public func takeNext() -> OutboxItem? {
        guard underWay.count < limits.underWayMax else { return nil }
        var line = Line()
        for item in items {
            // A conversation that refuses waits as a whole, and a child holds up no other item: its parent does.
            guard parked[item.destination] == nil || probes.contains(item.id), item.parent == nil else { continue }
            if underWay.contains(item.id) {
                line.hold(item)
            } else if item.failure != nil {
                if item.isMessage && !goesOnAfterFailures { line.holdMessages(of: item.destination) }
            } else if item.isMessage && (line.waitsForChoice(item.destination) || resting.contains(item.destination)) {
                continue
            } else if line.hasTurn(item) {
                underWay.insert(item.id)
                untried.remove(item.id)
                return item
            } else {
                line.hold(item)
            }
        }
        return nil
    }

    /// The items that must wait for earlier ones.
    private struct Line {
        private var visible: Set<String> = []
        private var messages: Set<String> = []
        private var invisible: Set<String> = []

        func hasTurn(_ item: OutboxItem) -> Bool {
            guard item.isVisible else { return !invisible.contains(item.destination) }
            return !visible.contains(item.destination)
        }

        mutating func hold(_ item: OutboxItem) {
            if item.isVisible {
                visible.insert(item.destination)
            } else {
                invisible.insert(item.destination)
            }
        }

        func waitsForChoice(_ destination: String) -> Bool { messages.contains(destination) }

        mutating func holdMessages(of destination: String) { messages.insert(destination) }
    }

    /// A group takes the next message only after a time: its messages wait until `wake`, and hold up nothing else.
    /// - Parameter id: the item that was refused, which costs no try.
    public func rest(_ id: Int64) {
        underWay.remove(id)
        guard let item = items.first(where: { $0.id == id }) else { return }
        resting.insert(item.destination)
    }

    /// The messages to a group may go out again: the time is over, or slow mode has changed.
    /// - Returns: whether they waited.
    @discardableResult
    public func wake(_ destination: String) -> Bool { resting.remove(destination) != nil }

    /// The relay has accepted an item. Items that waited for it may go.
    /// - Parameters:
    ///   - stored: the stored message. Items for `@name` belong to its conversation from now on.
    ///   - version: the version of the message after an edit. The user's next edit of it was made after this one, so it
    ///     names the new version.
    func accepted(_ id: Int64, as stored: StoredMessage? = nil, version: Int64? = nil) throws(LocalFailure) {
        guard let index = items.firstIndex(where: { $0.id == id }) else { return }
        let named = stored?.conversation ?? ""
        let destination = items[index].destination
        if items[index].isVisible, parked[destination] != nil { try resume(destination) }
        let moves = destination.hasPrefix("@") && !named.isEmpty
        let target = items[index].target
        let later = items.filter { item in
            guard let version, item.destination == destination, item.target == target else { return false }
            return item.ifVersion == version &- 1
        }.map(\.id)
        try database.transaction { () throws(LocalFailure) in
            for id in later {
                try database.run(OutboxTable.nameVersion, [version.map { .integer($0) } ?? .null, .integer(id)])
            }
            if let stored {
                try database.run(OutboxTable.adopt, [.integer(stored.sequence.value), .integer(id)])
            }
            if moves { try move(destination, to: named) }
            try database.run(OutboxTable.remove, [.integer(id)])
        }
        forget(id)
        for index in items.indices {
            if later.contains(items[index].id) { items[index].ifVersion = version }
            if let stored, items[index].parent == id {
                items[index].action = items[index].action.about(stored.sequence)
            }
        }
    }

    /// The relay has another log, in which the numbers of stored messages mean others or nothing. Items that change,
    /// mark or forward one go; the text of an edit or for a thread stays, as a message that failed.
    func logChanged() throws(LocalFailure) {
        try database.run(OutboxTable.forgetForwards)
        try database.run(
            OutboxTable.leaveThreads, [.text("\(ErrorCode.gone.word)"), .text("the thread is gone")])
        try database.run(OutboxTable.forgetReplies)
        try database.run(
            OutboxTable.keepEdits, [.text("\(ErrorCode.gone.word)"), .text("the message that it changes is gone")])
        try database.run(OutboxTable.forgetMarks)
        try reread()
    }

    /// Moves items written to `@user` to this conversation.
    func move(_ name: String, to conversation: String) throws(LocalFailure) {
        try database.run(
            OutboxTable.move, [.text(conversation), .text(name), user.map { .text($0) } ?? .null])
        for index in items.indices where items[index].destination == name { items[index].destination = conversation }
        guard let failure = parked[name] else { return }
        try database.run(OutboxTable.unpark, [.text(name), .text(user ?? "")])
        try database.run(OutboxTable.park, OutboxTable.values(conversation, of: user, failure))
        parked[name] = nil
        parked[conversation] = failure
    }

    /// The relay has refused it, or couldn't be asked.
    /// - Parameter failure: the relay's refusal; nil if the connection was lost, which costs no try.
    /// - Returns: how long to wait before `takeNext`, if the policy says so; nil for the relay's own time.
    @discardableResult
    public func refused(_ id: Int64, _ failure: OutboxItem.Failure?) throws -> Duration? {
        underWay.remove(id)
        guard let failure, let index = items.firstIndex(where: { $0.id == id }) else { return nil }
        let item = items[index]
        let scope = FailureScope(failure.code, of: item)
        if scope != .passing { probes.remove(id) }
        switch scope {
        case .passing:
            guard case .attempts(let waits) = policy else { return nil }
            guard item.tries < waits.count else {
                try stepAside(index, failure)
                return nil
            }
            try database.run(OutboxTable.count, [.integer(Int64(item.tries) + 1), .integer(id)])
            items[index].tries += 1
            return waits[item.tries]
        case .item: try stepAside(index, failure)
        case .conversation: try park(item, failure)
        }
        return nil
    }

    // A refusal says that it isn't stored, so that its user may change it and take it back.
    private func park(_ item: OutboxItem, _ failure: OutboxItem.Failure) throws(LocalFailure) {
        let unsent = items.filter { $0.destination == item.destination && untried.contains($0.id) }.map(\.id)
        try database.transaction { () throws(LocalFailure) in
            try database.run(OutboxTable.park, OutboxTable.values(item.destination, of: user, failure))
            for id in unsent + [item.id] { try database.run(OutboxTable.isUnsent, [.integer(id)]) }
        }
        parked[item.destination] = failure
        untried.insert(item.id)
    }

    private func stepAside(_ index: Int, _ failure: OutboxItem.Failure) throws {
        let item = items[index]
        guard item.isVisible else {
            try database.run(OutboxTable.remove, [.integer(item.id)])
            return forget(item.id)
        }
        try database.run(
            OutboxTable.fail, [.text("\(failure.code.word)"), .text(failure.reason), .integer(item.id)])
        items[index].failure = failure
    }

    private func forget(_ id: Int64) {
        underWay.remove(id)
        probes.remove(id)
        guard let index = items.firstIndex(where: { $0.id == id }) else { return }
        items.remove(at: index)
    }
}

extension OutboxItem.Action {
    /// The same about a message that the relay has stored.
    fileprivate func about(_ sequence: SequenceNumber) -> Self {
        switch self {
        case .send(let kind, let body, _): .send(kind: kind, body: body, replyTo: .stored(sequence))
        case .edit(_, let body): .edit(.stored(sequence), body: body)
        case .delete: .delete(.stored(sequence))
        case .react(_, let reaction, let isOn): .react(.stored(sequence), reaction: reaction, isOn: isOn)
        case .read: self
        }
    }
}
