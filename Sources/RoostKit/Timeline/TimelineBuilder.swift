import RoostStore
import RoostWire

/// Makes the rows of a timeline from what is stored and what waits. Pure.
struct TimelineBuilder {
    /// The user of this device.
    var user: String
    /// The conversation; nil if nothing is known of it yet.
    var conversation: LocalConversation?
    var watermarks: [LocalWatermark]
    /// Waiting items for this conversation, in order.
    let waiting: [OutboxItem]
    /// Why all of it waits, if it does.
    let parked: OutboxItem.Failure?
    // Waiting changes, by the message that they are about.
    private let changes: [OutboxItem.Target: [OutboxItem]]

    init(
        user: String, conversation: LocalConversation? = nil, watermarks: [LocalWatermark] = [],
        waiting: [OutboxItem], parked: OutboxItem.Failure?
    ) {
        self.user = user
        self.conversation = conversation
        self.watermarks = watermarks
        self.waiting = waiting
        self.parked = parked
        var changes: [OutboxItem.Target: [OutboxItem]] = [:]
        for item in waiting where !item.isMessage {
            if let target = item.target { changes[target, default: []].append(item) }
        }
        self.changes = changes
    }

    /// Takes what the store has of a conversation, and what waits for it by its id and as `@name`.
    init(
        _ destination: String, _ conversation: LocalConversation?, in store: LocalStore
    ) throws(LocalFailure) {
        let names = Set([destination, conversation?.id ?? destination])
        self.init(
            user: store.identity.user ?? "", conversation: conversation,
            watermarks: try conversation.map { (one) throws(LocalFailure) in try store.watermarks(of: one.id) } ?? [],
            waiting: store.outbox.items.filter { names.contains($0.destination) },
            parked: names.compactMap { store.outbox.parked[$0] }.first)
    }

    /// The rows, oldest first.
    /// - Parameters:
    ///   - messages: stored messages, oldest first.
    ///   - isAtEnd: whether they reach to the newest one, so that what waits follows.
    func items(_ messages: [LocalMessage], isAtEnd: Bool) -> [TimelineItem] {
        var items: [TimelineItem] = []
        items.reserveCapacity(messages.count + waiting.count)
        var last: SequenceNumber?
        for message in messages {
            if let gap = gap(after: last, before: message.sequence) { items.append(gap) }
            // Withheld messages in a direct conversation aren't drawn.
            if conversation?.leavesOut(message) != true { items.append(.message(row(message))) }
            last = message.sequence
        }
        guard isAtEnd else { return items }
        // Messages that the relay has announced, and this device doesn't have.
        let end = SequenceNumber((conversation?.sequence.value ?? 0) + 1)
        let start = last ?? conversation.map { SequenceNumber($0.first.value - 1) }
        if let gap = gap(after: start, before: end) { items.append(gap) }
        for item in waiting where item.isMessage { items.append(.message(row(item))) }
        return items
    }

    private func gap(after last: SequenceNumber?, before next: SequenceNumber) -> TimelineItem? {
        guard let last, last.value + 1 < next.value else { return nil }
        return .gap(from: SequenceNumber(last.value + 1), to: SequenceNumber(next.value - 1))
    }

    /// The row of a stored message.
    func row(_ message: LocalMessage) -> TimelineMessage {
        let isOwn = message.from == user
        let key = isOwn ? message.key : nil
        var row = TimelineMessage(
            id: key.map { .key($0) } ?? .sequence(message.sequence), sequence: message.sequence, from: message.from,
            isOwn: isOwn, time: message.time.date, kind: message.kind, body: message.body, replyTo: message.replyTo,
            editedAt: message.editedAt?.date, isDeleted: message.deletedAt != nil, reactions: message.reactions,
            state: isOwn ? state(of: message.sequence) : nil, isChanging: false, isHidden: message.isHidden,
            mentions: message.mentions, expires: message.expires?.date, thread: message.thread,
            replies: message.replies,
            origin: message.origin)
        row.version = message.version
        for item in changes[.stored(message.sequence)] ?? [] { apply(item, to: &row) }
        return row
    }

    /// The row of a message that waits.
    func row(_ item: OutboxItem) -> TimelineMessage {
        var row = TimelineMessage(
            id: .key(item.key), from: user, isOwn: true, kind: "text", isDeleted: false, reactions: [],
            state: .sending, isChanging: false, outboxItem: item.id)
        if case .send(let kind, let body, let replyTo) = item.action {
            row.kind = kind ?? "text"
            row.body = MessageBody(json: body)
            if case .stored(let sequence) = replyTo { row.replyTo = sequence }
            row.mentions = item.mentions
            (row.thread, row.origin) = (item.thread, item.forward?.origin)
        }
        if let failure = item.failure ?? parked { row.state = .failed(SendFailure(failure)) }
        for child in changes[.unsent(item.id)] ?? [] { apply(child, to: &row) }
        return row
    }

    // The user's action is shown as done before the relay knows it.
    private func apply(_ item: OutboxItem, to row: inout TimelineMessage) {
        if let failure = item.failure {
            row.failedChange = FailedChange(
                outboxItem: item.id, failure: SendFailure(failure, namesVersion: item.ifVersion != nil))
            return
        }
        switch item.action {
        case .edit(_, let body):
            row.body = MessageBody(json: body)
            row.mentions = item.mentions
        case .delete:
            row.body = nil
            row.isDeleted = true
            row.reactions = []
        case .react(_, let reaction, let isOn): row.reactions.setMine(reaction, isOn: isOn)
        case .send, .read: return
        }
        row.isChanging = true
    }

    /// The state of a stored message of the user. Members who have left since count too, so that it never falls.
    func state(of sequence: SequenceNumber) -> MessageState {
        let delivered = watermarks.count { $0.delivered >= sequence }
        let read = watermarks.count { $0.read >= sequence }
        let others = max((conversation?.count ?? 1) - 1, delivered)
        if read > 0 { return .read(count: read, others: others) }
        return delivered > 0 ? .delivered(count: delivered, others: others) : .sent
    }
}
