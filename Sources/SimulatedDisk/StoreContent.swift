import RoostCore
import RoostWire

/// Everything a store can be asked for, as lines of text: two stores with the same lines have the same content. Lines
/// are sorted where no order is promised.
struct StoreContent: Equatable {
    private var lines: [String] = []
    /// Users who were deleted: the store removes device and key from the rows of theirs at leisure.
    private let deleted: Set<UserNumber>

    /// - Parameter answer: answers a question to the store.
    init(_ snapshot: Snapshot, answer: (Read) throws -> ReadResult) throws {
        deleted = Set(snapshot.profiles.filter(\.profile.isDeleted).map(\.user))
        lines.append("head \(snapshot.head.value), alive at \(snapshot.aliveAt.milliseconds)")
        lines += snapshot.users.map {
            "user \($0.number.value) \($0.name) \($0.presence) \($0.status) \($0.privacy)"
        }.sorted()
        lines += snapshot.profiles.map { "profile of \($0.user.value): \($0.profile)" }
        lines += snapshot.revocations.map { "revoked \($0.user.value) \($0.device ?? "") \($0.time.milliseconds)" }
        lines += snapshot.endedSignIns.map { "sign-in \($0.name) ended \($0.until.milliseconds)" }
        lines += snapshot.reports.map { "report \($0)" }
        lines += snapshot.feedCursors.map { "feed of \($0.consumer) at \($0.position.value)" }
        lines += snapshot.exceptions.map { "exception \($0.user.value) \($0.other.value) \($0.kind)" }.sorted()
        lines += snapshot.contacts.map { "contact \($0.pair.low.value) \($0.pair.high.value) \($0.stored)" }
        lines += snapshot.prospects.map { "prospect \($0.user.value) \($0.id) \($0.stored)" }
        lines += snapshot.invites.map { "invite \($0.user.value) \($0.id) \($0.stored)" }
        lines += snapshot.settings.flatMap { settings in
            settings.mutes.map { "mute \(settings.user.value) \($0.key) \(String(decoding: $0.value, as: UTF8.self))" }
        }
        lines += snapshot.devices.map {
            "device \($0.number.value) \($0.user.value) \($0.name) \($0.cursor.value) \($0.ended.map { "\($0)" } ?? "")"
        }.sorted()
        let members = Dictionary(grouping: snapshot.members, by: \.conversation)
        for conversation in snapshot.conversations.sorted(by: { $0.number.value < $1.number.value }) {
            lines.append(
                "conversation \(conversation.number.value) \(conversation.id) \(conversation.kind) "
                    + "\(conversation.name) \(conversation.lastSequence.value) \(conversation.lastPosition.value) "
                    + "\(conversation.expiry) \(conversation.slow) \(conversation.joining) \(conversation.gone.text) "
                    + "\(conversation.pins) \(conversation.restrictions) "
                    + "\(conversation.request.map { "\($0.receiver.value) \($0.isDropped)" } ?? "") "
                    + "\(conversation.veil.map { "\($0)" } ?? "")")
            for member in members[conversation.number] ?? [] { lines.append(StoreContent.line(member)) }
            try addEvents(of: conversation.number, answer)
        }
    }

    private mutating func addEvents(
        of conversation: ConversationNumber, _ answer: (Read) throws -> ReadResult
    ) throws {
        let span = PageRequest.Span(conversation, after: .start, upTo: Position(.max))
        let page = PageRequest(spans: [span], rows: 1_000_000, bytes: 1 << 30)
        let events = try answer(Read(ticket: 0, .page(page)))
        lines += events.events.map(line)
        lines += events.pinned.sorted { $0.key < $1.key }.map { "\($0.key.value) pins what \($0.value.value) wrote" }
        let history = HistoryRequest(
            conversation: conversation, reader: UserNumber(1), after: .none, before: SequenceNumber(.max),
            isNewest: true, rows: 1_000_000, bytes: 1 << 30)
        lines += try answer(Read(ticket: 0, .history(history))).events.map { event in
            let given = event.reactions.map { "\($0.reaction) \($0.count) \($0.isMine)" }.sorted()
            return "reactions to \(event.sequence.value): \(given)"
        }
    }

    private static func line(_ member: Snapshot.Member) -> String {
        // A former member's watermarks mean nothing: they begin anew with a return.
        let mark = member.role == nil ? Watermark() : member.watermark
        return "member \(member.user.value) \(member.role.map { "\($0.word)" } ?? "-") \(member.since.value) "
            + "\(member.joinedAt.value) \(member.leftAt.value) \(mark.delivered.value) \(mark.read.value) "
            + mark.own.text + " " + mark.marked.text + member.mentions.map { "@\($0.sequence.value)" }.joined()
    }

    private func line(_ event: StoredEvent) -> String {
        let traces = deleted.contains(event.sender) ? "" : "\(event.device) \(event.key)"
        return "\(event.position.value) \(event.kind) \(event.sequence.value) by \(event.sender.value) \(traces) "
            + "\(event.label) \(event.reference.value) \(event.flag) \(event.time.milliseconds) "
            + (event.kind == .message ? "\(event.editedAt.milliseconds) \(event.deletedAt.milliseconds) " : "")
            + String(decoding: event.body, as: UTF8.self)
            + String(decoding: event.extras?.json ?? [], as: UTF8.self)
    }

    /// The first line in which the two differ.
    func difference(from wanted: StoreContent) -> String {
        for (index, line) in wanted.lines.enumerated() where index >= lines.count || lines[index] != line {
            return "\"\(line)\" became \"\(index < lines.count ? lines[index] : "nothing")\""
        }
        return "\"\(lines[min(wanted.lines.count, lines.count - 1)])\" is too much"
    }
}
