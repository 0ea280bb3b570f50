import Glibc
import RoostCore
import RoostWire
import Synchronization
import Testing

@testable import RoostStorage

/// The threads deliver in order, finish what they accepted, and refuse what is above their bounds.
@Suite struct ThreadTests {
    /// Collects what a thread delivers and lets the test wait for it.
    private final class Inbox<Item: Sendable>: Sendable {
        private let stream: AsyncStream<Item>
        private let continuation: AsyncStream<Item>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream() }

        func put(_ item: Item) { continuation.yield(item) }

        func take() async throws -> Item {
            for await item in stream { return item }
            throw CancellationError()
        }
    }

    /// Reports which question it begins, and answers when the test allows it.
    private final class SlowReader: LogReader, Sendable {
        let begun = Inbox<UInt64>()
        let gate = WorkQueue<Void>(bound: 100)

        func answer(_ read: Read) throws -> ReadResult {
            begun.put(read.ticket)
            _ = gate.takeAll(.endless)
            if read.ticket == 13 { throw StorageFailure.closed }
            return ReadResult(ticket: read.ticket)
        }
    }

    @Test func commitsAreReportedAndIdlenessIsUsed() async throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .full, .tiny)
        let reports = Inbox<CommitReport>()
        let thread = try CommitThread(log.storeWriter, idleAfter: 0) { reports.put($0) }
        #expect(thread.submit([.append(creation()), .append(message(key: "a"))]))
        let report = try await reports.take()
        #expect(try report.result.get() == [.stored(Position(1), .none), .stored(Position(2), SequenceNumber(1))])
        #expect(report.rows == 2)
        #expect(report.nanoseconds > 0)
        for index in 0..<50 {
            #expect(thread.submit((0..<7).map { .append(message(key: "\(index) \($0)")) }))
            #expect(try await reports.take().rows == 7)
        }
        #expect(thread.submit([.append(message(key: "a")), .alive(Timestamp(milliseconds: 1))]))
        #expect(try await reports.take().rows == 0)
        thread.stop()
        #expect(!thread.submit([]))
        #expect(try log.history(1).count == 351)
        log.close()
    }

    @Test func aFailedCommitIsReported() async throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        let reports = Inbox<CommitReport>()
        let thread = try CommitThread(log.storeWriter, idleAfter: 0) { reports.put($0) }
        #expect(unlink(scratch.path()) == 0)
        thread.submit([.append(creation())])
        let failed = try await reports.take()
        #expect(throws: StorageFailure.self) { try failed.result.get() }
        thread.submit([.append(message())])
        let refused = try await reports.take()
        #expect(throws: StorageFailure.poisoned) { try refused.result.get() }
        thread.stop()
        log.close()
    }

    /// A writer without batches looks after its store. If that fails, the loop is notified at once.
    @Test func idleWorkThatFailsIsReported() async throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        let reports = Inbox<CommitReport>()
        let thread = try CommitThread(log.storeWriter, idleAfter: 0, lookAfter: 1) { reports.put($0) }
        #expect(unlink(scratch.path()) == 0)
        let failed = try await reports.take()
        #expect(throws: StorageFailure.replaced(path: scratch.path())) { try failed.result.get() }
        thread.stop()
        log.close()
    }

    /// One user asks for a lot, with pages and with questions. Another one's question is answered as soon as a thread
    /// is free, however many of the first user's wait.
    @Test func usersTakeTurns() {
        let queue = FairQueue<Int, String>(bound: 100)
        for piece in 1...5 { #expect(queue.add("a\(piece)", to: 1)) }
        for piece in 1...2 { #expect(queue.add("b\(piece)", to: 2)) }
        #expect(queue.add("c1", to: 3))
        var order: [String] = []
        for _ in 0..<8 {
            guard let (lane, work) = queue.take() else { break }
            order.append(work)
            queue.done(with: lane)
        }
        #expect(order == ["a1", "b1", "c1", "a2", "b2", "a3", "a4", "a5"])
        queue.stop()
        #expect(queue.take() == nil)
        #expect(!queue.add("late", to: 1))
    }

    /// The work of a lane is done in order, so while one thread does some of it, the others are for other lanes.
    @Test func aLaneKeepsOneThreadBusy() {
        let queue = FairQueue<Int, String>(bound: 3)
        for piece in 1...2 { #expect(queue.add("a\(piece)", to: 1)) }
        #expect(queue.add("b1", to: 2))
        #expect(!queue.add("b2", to: 2), "the queue is bounded over all lanes")
        #expect(queue.take()?.work == "a1")
        #expect(queue.take()?.work == "b1")
        queue.stop()
        #expect(queue.take() == nil, "what waits behind a1 is left to the thread that does a1")
        queue.done(with: 1)
        #expect(queue.take()?.work == "a2")
    }

    /// While a user's page and question are being read, a stranger's question is, too.
    @Test func oneUserLeavesAThreadToTheOthers() async throws {
        let readers = (0..<ReadPool.threads).map { _ in SlowReader() }
        let answers = Inbox<ReadResult>()
        let pool = try ReadPool(readers) { answers.put($0) }
        let page = Read.Question.page(PageRequest(spans: [], rows: 1, bytes: 1))
        let latest = Read.Question.latest(LatestRequest(messages: []))
        for ticket in UInt64(1)...20 { #expect(pool.submit(Read(ticket: ticket, page, asker: UserNumber(1)))) }
        for ticket in UInt64(21)...40 { #expect(pool.submit(Read(ticket: ticket, latest, asker: UserNumber(1)))) }
        #expect(pool.submit(Read(ticket: 50, latest, asker: UserNumber(2))))
        var begun: Set<UInt64> = []
        for reader in readers { begun.insert(try await reader.begun.take()) }
        #expect(begun == [1, 21, 50])
        for reader in readers { reader.gate.stop() }
        pool.stop()
        var answered: Set<UInt64> = []
        for _ in 0..<41 { answered.insert(try await answers.take().ticket) }
        #expect(answered.count == 41)
    }

    @Test func readsAreBoundedAndAnsweredInOrder() async throws {
        let reader = SlowReader()
        let answers = Inbox<ReadResult>()
        let thread = try ReadPool([reader], bound: 3) { answers.put($0) }
        func ask(_ ticket: UInt64) -> Bool { thread.submit(Read(ticket: ticket, .latest(LatestRequest(messages: [])))) }
        #expect(ask(1))
        // While the first is being read, three may wait, and a fourth is refused.
        #expect(try await reader.begun.take() == 1)
        for ticket in UInt64(11)...13 { #expect(ask(ticket)) }
        #expect(!ask(99))
        for ticket in [UInt64(1), 11, 12, 13] {
            #expect(reader.gate.add(()))
            let answer = try await answers.take()
            #expect(answer.ticket == ticket)
            #expect(answer.isFailed == (ticket == 13))
        }
        #expect(ask(50))
        reader.gate.stop()
        thread.stop()
        #expect(try await answers.take().ticket == 50)
        #expect(!ask(51))
    }

    /// The writer and the reader work at the same time, with merges of a few rows. Every history is complete and every
    /// page is in order.
    @Test(arguments: [Durability.full, .memory])
    func readersSeeWholeHistoriesWhileTheWriterMerges(durability: Durability) async throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), durability, .tiny)
        _ = try log.commit([creation()])
        let reports = Inbox<CommitReport>()
        let answers = Inbox<ReadResult>()
        let commits = try CommitThread(log.storeWriter, idleAfter: 0) { reports.put($0) }
        let reads = try ReadPool(log.readers) { answers.put($0) }
        var sequence: Int64 = 0
        for round in 0..<200 {
            commits.submit((0..<5).map { .append(message(key: "\(round) \($0)")) })
            let history = HistoryRequest(
                conversation: ConversationNumber(1), reader: UserNumber(1), after: .none, before: SequenceNumber(.max),
                isNewest: true, rows: 40, bytes: 1 << 20)
            let span = PageRequest.Span(
                ConversationNumber(1), after: Position(max(1, sequence - 30)), upTo: Position(sequence + 1))
            let backlog = PageRequest.Backlog(messages: 15, changes: 1_000, rows: 10_000)
            let page = PageRequest(
                spans: [span], rows: 20, bytes: 1 << 20, backlog: round % 2 == 0 ? backlog : nil)
            reads.submit(Read(ticket: 1, .history(history)))
            reads.submit(Read(ticket: 2, .page(page)))
            let both = [try await answers.take(), try await answers.take()].sorted { $0.ticket < $1.ticket }
            let (shown, rows) = (both[0], both[1])
            let newest = shown.events.last?.sequence.value ?? 0
            #expect(!shown.isFailed && newest >= sequence && newest <= sequence + 5)
            #expect(shown.events.map(\.sequence.value) == Array(max(1, newest - 39)..<(newest + 1)))
            #expect(!rows.isFailed)
            #expect(zip(rows.events, rows.events.dropFirst()).allSatisfy { $0.position.value + 1 == $1.position.value })
            // The creation is at position 1, so each message is behind its own number.
            let before = rows.gaps.first.map { $0.to.value + 1 } ?? span.after.value
            #expect(rows.events.first?.position == (sequence > 0 ? Position(before + 1) : nil))
            #expect(rows.gaps.isEmpty == (round % 2 == 1 || sequence <= 20))
            #expect(try await reports.take().rows == 5)
            sequence += 5
        }
        commits.stop()
        reads.stop()
        log.close()
    }
}
