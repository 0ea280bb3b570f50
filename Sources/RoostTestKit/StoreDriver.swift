import RoostCore
import RoostWire

/// Drives a store through a check: creates events with rising times, and reads. `goOn` may close and reopen the store.
public struct StoreDriver {
    private var store: StoreContract.Store
    private let reopen: (StoreContract.Store) throws -> StoreContract.Store

    init(_ store: StoreContract.Store, reopen: @escaping (StoreContract.Store) throws -> StoreContract.Store) {
        self.store = store
        self.reopen = reopen
    }

    mutating func goOn() throws { store = try reopen(store) }

    func load() throws -> Snapshot { try store.load() }

    // MARK: Events

    func message(_ conversation: Int32, by user: Int32, _ text: String, label: String = "text", key: String = "")
        -> Append
    {
        var event = Append(
            .message, in: ConversationNumber(conversation), by: UserNumber(user), device: "phone",
            at: StoreContract.time(Int64(conversation) * 1_000 + Int64(text.utf8.count)))
        event.label = label
        event.key = key
        event.body = Array("\"\(text)\"".utf8)
        return event
    }

    func reply(_ conversation: Int32, by user: Int32, to sequence: Int64) -> Append {
        var event = message(conversation, by: user, "reply")
        event.reference = SequenceNumber(sequence)
        return event
    }

    /// An edit to a text, a deletion, or a reaction by the name of `text`.
    func event(
        _ kind: EventKind, _ conversation: Int32, by user: Int32, of sequence: Int64, _ text: String, key: String = ""
    ) -> Append {
        var event = reply(conversation, by: user, to: sequence)
        event.kind = kind
        event.key = key
        event.label = kind == .react ? text : ""
        event.body = kind == .edit ? Array("\"\(text)\"".utf8) : []
        event.flag = kind == .edit
        event.time = StoreContract.time(Int64(conversation) * 1_000 + sequence % 100 + 500)
        return event
    }

    func change(_ conversation: Int32, by user: Int32, _ change: ConversationChange) -> Append {
        var event = message(conversation, by: user, "")
        event.kind = .conversation
        event.label = ""
        event.body = Array("\"event\":\"x\"".utf8)
        event.change = change
        return event
    }

    func creation(_ conversation: Int32, members: [Int32], key: String = "") -> Append {
        let owner = members.first ?? 0
        let roles = members.map { NewMember(UserNumber($0), $0 == owner ? .owner : .member) }
        var event = change(
            conversation, by: owner,
            .create(id: "c\(conversation)", kind: .group, name: "g\(conversation)", members: roles))
        event.key = key
        return event
    }

    /// Sets a key of a user, or removes it if there is no value.
    func setting(
        _ user: Int32, _ key: String, _ value: String?, ifVersion: Int64? = nil, at time: Int64 = 7
    ) -> Append {
        let user = UserNumber(user)
        var event = Append(
            .state, in: ConversationNumber(settingsOf: user), by: user, device: "phone", at: StoreContract.time(time))
        event.label = key
        event.body = value.map { Array($0.utf8) } ?? []
        event.flag = ifVersion != nil
        event.reference = SequenceNumber(ifVersion ?? 0)
        return event
    }

    // MARK: Writing and asking

    func commit(_ events: [Append]) throws -> [Outcome] {
        try store.writer.commit(events.map { .append($0) })
    }

    func commit(_ mutations: [Mutation]) throws -> [Outcome] { try store.writer.commit(mutations) }

    func apply(_ mutations: [Mutation]) throws {
        try StoreContract.expect(try store.writer.commit(mutations), [])
    }

    func create(_ conversation: Int32, members: [Int32]) throws {
        let outcomes = try commit([creation(conversation, members: members)])
        guard case .stored = outcomes.first else {
            throw StoreContract.Violation(description: "a conversation could not be made: \(outcomes)")
        }
    }

    func page(_ request: PageRequest) throws -> ReadResult {
        try answer(.page(request))
    }

    func page(_ conversation: Int32, after: Int64) throws -> ReadResult {
        let span = PageRequest.Span(ConversationNumber(conversation), after: Position(after), upTo: Position(.max))
        return try page(PageRequest(spans: [span], rows: 1_000, bytes: 1 << 20))
    }

    func history(_ conversation: Int32) throws -> [StoredEvent] {
        try history(conversation, isNewest: true, rows: 1_000).events
    }

    /// All of it as it is shown at a time.
    func history(_ conversation: Int32, asked time: Timestamp) throws -> [StoredEvent] {
        let request = HistoryRequest(
            conversation: ConversationNumber(conversation), reader: UserNumber(1), after: .none,
            before: SequenceNumber(.max), isNewest: true, rows: 1_000, bytes: 1 << 20)
        return try answer(.history(request), at: time).events
    }

    func history(
        _ conversation: Int32, after: Int64 = 0, before: Int64 = .max, isNewest: Bool, rows: Int, bytes: Int = 1 << 20,
        withheld: [Int32] = []
    ) throws -> ReadResult {
        try answer(
            .history(
                HistoryRequest(
                    conversation: ConversationNumber(conversation), reader: UserNumber(1), after: SequenceNumber(after),
                    before: SequenceNumber(before), isNewest: isNewest, rows: rows, bytes: bytes,
                    withheld: withheld.map { UserNumber($0) })))
    }

    func history(_ request: HistoryRequest) throws -> ReadResult { try answer(.history(request)) }

    func latest(_ messages: [(Int32, Int64)]) throws -> [StoredEvent] {
        let asked = messages.map { (conversation: ConversationNumber($0.0), sequence: SequenceNumber($0.1)) }
        return try answer(.latest(LatestRequest(messages: asked))).events
    }

    func feed(after: Position, rows: Int, bytes: Int = 1 << 20) throws -> ReadResult {
        try answer(.feed(FeedRequest(after: after, rows: rows, bytes: bytes)))
    }

    func settings(
        _ user: Int32, _ selection: SettingsRequest.Selection = .all, after: String = "", rows: Int = 10_000,
        bytes: Int = 1 << 24
    ) throws -> ReadResult {
        try answer(
            .settings(SettingsRequest(of: UserNumber(user), selection, after: after, rows: rows, bytes: bytes)))
    }

    func receipts(_ conversation: Int32, _ sequence: Int64, of users: [Int32]) throws -> [ReceiptTimes] {
        try answer(
            .receipts(
                ReceiptsRequest(
                    conversation: ConversationNumber(conversation), sequence: SequenceNumber(sequence),
                    users: users.map { UserNumber($0) }))
        ).receipts
    }

    /// The events that a device of the user has missed, from the log and from the settings.
    func missed(_ user: Int32, after: Int64, rows: Int = 1_000) throws -> ReadResult {
        let number = ConversationNumber(settingsOf: UserNumber(user))
        let span = PageRequest.Span(number, after: Position(after), upTo: Position(.max))
        return try page(PageRequest(spans: [span], rows: rows, bytes: 1 << 20))
    }

    private func answer(_ question: Read.Question, at time: Timestamp = .never) throws -> ReadResult {
        var read = Read(ticket: 42, question)
        read.time = time
        let result = try store.reader.answer(read)
        try StoreContract.expect(result.ticket, 42)
        try StoreContract.expect(result.isFailed, false)
        return result
    }
}

extension StoredEvent {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension StoreContract {
    static func at(_ position: Int64) -> Position { Position(position) }

    static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    /// Throws a `Violation` that says what was expected and where.
    static func expect<Value: Equatable>(_ got: Value, _ wanted: Value, line: UInt = #line) throws {
        guard got == wanted else {
            throw Violation(description: "line \(line): expected \(wanted), got \(got)")
        }
    }
}
