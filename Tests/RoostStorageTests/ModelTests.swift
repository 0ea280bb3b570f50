import RoostCore
import RoostTestKit
import RoostWire
import Testing

@testable import RoostStorage

/// Thousands of random batches and questions, answered by this store and by the simple one of the test kit, which keeps
/// everything in arrays. In between the store merges, removes erased rows, and is closed and opened, with bounds of a
/// few rows.
@Suite struct ModelTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func agreesWithTheLogInMemory(seed: UInt64) throws {
        let scratch = try Scratch()
        let durability: Durability = seed == 4 ? .memory : .normal
        let crowded: SQLiteLog.Hash = { _, key in UInt64(key.last ?? 0) % 5 }
        let hash = seed == 2 ? crowded : nil
        let bounds = StorageBounds.tiny
        var log = try SQLiteLog(scratch.path(), durability, bounds, reactionsPerUser: 3, hash: hash)
        defer { log.close() }
        let model = MemoryLog(reactionsPerUser: 3)
        var script = Script(seed: seed)
        for step in 0..<2_500 {
            let batch = script.batch()
            let wanted = model.commit(batch)
            #expect(try log.writer.commit(batch) == wanted, "seed \(seed), step \(step)")
            script.note(batch, wanted, head: model.load().head)
            if script.chance(30) { _ = try log.writer.maintain() }
            if script.chance(2) { try log.writer.maintainAll() }
            if durability != .memory, script.chance(2) {
                log.close()
                log = try SQLiteLog(scratch.path(), durability, bounds, reactionsPerUser: 3, hash: hash)
            }
            try compare(script.page(), spans: seed > 2 ? 2 : 256, log, model, "seed \(seed), step \(step)")
            try compare(script.history(), log, model, "seed \(seed), step \(step)")
        }
        let snapshot = try log.load()
        let wanted = model.load()
        #expect(snapshot.head == wanted.head)
        #expect(snapshot.conversations.map(\.number) == wanted.conversations.map(\.number))
        #expect(snapshot.conversations.map(\.lastSequence) == wanted.conversations.map(\.lastSequence))
        #expect(snapshot.conversations.map(\.lastPosition) == wanted.conversations.map(\.lastPosition))
        #expect(snapshot.conversations.map(\.lastTime) == wanted.conversations.map(\.lastTime))
        #expect(script.stored > 3_000)
    }

    /// Follows the pages of a backlog to their end, in the store and in the model.
    private func compare(
        _ request: PageRequest, spans: Int, _ log: SQLiteLog, _ model: MemoryLog, _ place: Comment
    ) throws {
        let got = try follow(request, spans, place) { try log.reader.answer(Read(ticket: 1, .page($0))) }
        let wanted = try follow(request, spans, place) { model.answer(Read(ticket: 1, .page($0))) }
        #expect(sorted(got.gaps) == sorted(wanted.gaps), place)
        #expect(got.events == wanted.events, place)
    }

    /// The store reports a gap when it first looks into the span.
    private func sorted(_ gaps: [Gap]) -> [Gap] {
        gaps.sorted { ($0.place, $0.conversation.value) < ($1.place, $1.conversation.value) }
    }

    private func follow(
        _ request: PageRequest, _ most: Int, _ place: Comment, _ answer: (PageRequest) throws -> ReadResult
    ) throws -> (events: [Line], gaps: [Gap]) {
        var (events, gaps): ([Line], [Gap]) = ([], [])
        var queue = SpanQueue()
        for span in request.spans { queue.add(span) }
        var last = Position.start
        while !queue.isEmpty {
            var request = request
            (request.spans, request.horizon) = queue.take(most, after: last)
            let page = try answer(request)
            events += page.events.map { Line($0) }
            gaps += page.gaps
            #expect(page.events.count <= request.rows && page.hasMore == !page.spans.isEmpty, place)
            // A page without rows has found out where some spans begin.
            guard page.reached > last || page.spans != request.spans else {
                Issue.record("a page leads nowhere: \(place)")
                return (events, gaps)
            }
            last = max(last, page.reached)
            for span in page.spans { queue.add(span) }
        }
        return (events, gaps)
    }

    private func compare(_ request: HistoryRequest, _ log: SQLiteLog, _ model: MemoryLog, _ place: Comment) throws {
        let got = try log.reader.answer(Read(ticket: 1, .history(request)))
        let wanted = model.answer(Read(ticket: 1, .history(request)))
        #expect(got.hasMore == wanted.hasMore, place)
        #expect(got.events.map { Line($0) } == wanted.events.map { Line($0) }, place)
        for (event, other) in zip(got.events, wanted.events) where other.deletedAt == .never {
            let sorted = other.reactions.sorted { ($1.count, $0.reaction) < ($0.count, $1.reaction) }
            #expect(event.reactions == sorted, place)
        }
        let latest = LatestRequest(messages: [(request.conversation, request.before)])
        let one = try log.reader.answer(Read(ticket: 1, .latest(latest)))
        #expect(one.events.map { Line($0) } == model.answer(Read(ticket: 1, .latest(latest))).events.map { Line($0) })
    }
}

/// The part of a row that is compared. An edit's `deletedAt` is left out, because only this store sets it.
private struct Line: Equatable, CustomStringConvertible {
    var description: String

    init(_ event: StoredEvent) {
        let deleted = event.kind == .edit ? 0 : event.deletedAt.milliseconds
        description = """
            \(event.position.value) c\(event.conversation.value) \(event.kind) s\(event.sequence.value) \
            u\(event.sender.value) \(event.device) \(event.key) \(event.label) r\(event.reference.value) \
            \(String(decoding: event.body, as: UTF8.self)) \(event.flag) \(event.time.milliseconds) \
            \(event.editedAt.milliseconds) \(deleted)
            """
    }
}

/// A random course of events: a few conversations that come and go, a few users, keys that are used again.
private struct Script {
    private var random: SeededGenerator
    private var last: [Int32: Int64] = [:]
    private var nextConversation: Int32 = 1
    private var head: Int64 = 0
    private var clock: Int64 = 0
    private(set) var stored = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func batch() -> [Mutation] {
        (0..<(1 + below(6))).map { _ in .append(event()) }
    }

    mutating func note(_ batch: [Mutation], _ outcomes: [Outcome], head: Position) {
        for (mutation, outcome) in zip(batch, outcomes) {
            guard case .append(let event) = mutation, case .stored(_, let sequence, _) = outcome else { continue }
            stored += 1
            if case .erase = event.change {
                last[event.conversation.value] = nil
            } else if event.kind == .message || event.kind == .conversation {
                last[event.conversation.value] = sequence.value
            }
        }
        self.head = head.value
    }

    mutating func page() -> PageRequest {
        let spans = (0..<(1 + below(4))).map { _ -> PageRequest.Span in
            let after = Int64(below(Int(head) + 1))
            let upTo = chance(70) ? head : after + Int64(below(30))
            let since = chance(70) ? 0 : Int64(below(40))
            return PageRequest.Span(
                conversation(), after: Position(after), upTo: Position(upTo), since: SequenceNumber(since))
        }
        // A page asks for each conversation only once.
        var asked: Set<ConversationNumber> = []
        return PageRequest(
            spans: spans.filter { asked.insert($0.conversation).inserted }, rows: 1 + below(8), bytes: 1 << 40,
            backlog: chance(50) ? .init(messages: below(30), changes: below(20), rows: 1_000_000) : nil)
    }

    mutating func history() -> HistoryRequest {
        let conversation = conversation()
        let last = Int(last[conversation.value] ?? 3)
        return HistoryRequest(
            conversation: conversation, reader: user(), after: SequenceNumber(Int64(below(last + 2))),
            before: SequenceNumber(chance(50) ? .max : Int64(below(last + 3))), isNewest: chance(50),
            rows: 1 + below(8),
            bytes: 1 << 40)
    }

    private mutating func event() -> Append {
        clock += 1
        var event = Append(
            .message, in: conversation(), by: user(), device: "d\(below(3))", at: Timestamp(milliseconds: clock))
        if chance(60) { event.key = "k\(below(6_000))" }
        let sequence = Int64(below(Int(last[event.conversation.value] ?? 0) + 3)) - (chance(3) ? 5 : 0)
        switch below(100) {
        case ..<50:
            event.label = chance(80) ? "text" : "image"
            event.body = Array("\"\(clock)\"".utf8)
            if chance(20) { event.reference = SequenceNumber(sequence) }
        case ..<62:
            event.kind = .edit
            event.reference = SequenceNumber(sequence)
            event.body = Array("\"e\(clock)\"".utf8)
            event.flag = chance(90)
        case ..<70:
            event.kind = .delete
            event.reference = SequenceNumber(sequence)
            event.flag = chance(20)
        case ..<90:
            event.kind = .react
            event.reference = SequenceNumber(sequence)
            event.label = "r\(below(5))"
            event.flag = chance(30)
        case ..<96 where last.count < 4:
            event.kind = .conversation
            event.conversation = ConversationNumber(nextConversation)
            event.change = .create(id: "c\(nextConversation)", kind: .group, name: "", members: [])
            nextConversation += 1
        case ..<97:
            event.kind = .conversation
            event.change = chance(15) ? .erase : .rename("n")
        default:
            event.kind = .conversation
        }
        return event
    }

    private mutating func conversation() -> ConversationNumber {
        let live = last.keys.sorted()
        if !live.isEmpty, chance(95) { return ConversationNumber(live[below(live.count)]) }
        return ConversationNumber(max(1, nextConversation - 1 - Int32(below(5))))
    }

    private mutating func user() -> UserNumber { UserNumber(Int32(1 + below(3))) }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &random) }
}
