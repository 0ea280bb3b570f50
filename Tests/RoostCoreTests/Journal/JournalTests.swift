import RoostWire
import Testing

@testable import RoostCore

/// The journal alone: which events gather, which wait for an outcome, and when it is full.
@Suite struct JournalTests {
    private let conversation = ConversationNumber(1)

    private func journal(events: Int = 8, bytes: Int = 100) -> Journal {
        var limits = Limits()
        limits.pendingEvents = events
        limits.pendingBytes = bytes
        return Journal(.init(limits), head: .start)
    }

    private func append(_ body: String = "b") -> Append {
        var append = Append(.message, in: conversation, by: UserNumber(1), device: "phone", at: .never)
        append.body = Array(body.utf8)
        return append
    }

    @Test func aBatchGathersWhileTheWriterIsBusy() throws {
        let journal = journal()
        #expect(journal.takeBatch(at: 0) == nil)
        journal.submit(append(), nil, nil)
        #expect(try #require(journal.takeBatch(at: 0)).count == 1)
        journal.submit(append(), nil, nil)
        journal.store(.alive(.never))
        #expect(journal.takeBatch(at: 0) == nil)
        journal.batchIsDurable(outcomes: 1)
        _ = journal.nextSettled()
        #expect(try #require(journal.takeBatch(at: 0)).count == 2)
    }

    @Test func eventsAreSettledInTheOrderInWhichTheyWereSubmitted() {
        let journal = journal()
        for body in ["one", "two", "three"] { journal.submit(append(body), nil, nil) }
        _ = journal.takeBatch(at: 0)
        journal.batchIsDurable(outcomes: 3)
        let bodies = (0..<3).map { _ in String(decoding: journal.nextSettled().event.body, as: UTF8.self) }
        #expect(bodies == ["one", "two", "three"])
        #expect(journal.isEmpty)
    }

    @Test func moreEventsThanMayWaitAreRefused() {
        let journal = journal(events: 2)
        for _ in 0..<2 {
            #expect(throws: Never.self) { try journal.reserve(1) }
            journal.submit(append(), nil, nil)
        }
        #expect(code { () throws(Refusal) in try journal.reserve(1) } == .busy)
        _ = journal.takeBatch(at: 0)
        #expect(code { () throws(Refusal) in try journal.reserve(1) } == .busy)
        journal.batchIsDurable(outcomes: 2)
        _ = journal.nextSettled()
        #expect(throws: Never.self) { try journal.reserve(1) }
    }

    @Test func moreBytesThanMayWaitAreRefused() {
        let journal = journal(bytes: 10)
        journal.submit(append("12345678"), nil, nil)
        #expect(throws: Never.self) { try journal.reserve(2) }
        #expect(code { () throws(Refusal) in try journal.reserve(3) } == .busy)
    }

    /// A program that keeps a lock on the store, or a hanging disk, holds up a commit for as long as it likes.
    @Test func nothingIsTakenWhileACommitTakesTooLong() throws {
        let journal = journal()
        journal.submit(append(), nil, nil)
        #expect(journal.nextDeadline == .max)
        _ = journal.takeBatch(at: 1_000)
        #expect(journal.nextDeadline == 3_000)
        journal.tick(at: 2_999)
        #expect(throws: Never.self) { try journal.reserve(1) }
        journal.tick(at: 3_000)
        #expect(journal.isStalled && journal.nextDeadline == .max)
        #expect(code { () throws(Refusal) in try journal.reserve(1) } == .busy)
        journal.batchIsDurable(outcomes: 1)
        #expect(throws: Never.self) { try journal.reserve(1) }
    }

    private func presence(_ isOnline: Bool, _ lastSeen: Timestamp) -> StoredPresence {
        StoredPresence(isOnline ? .online : .offline, isHere: isOnline, lastSeen: lastSeen)
    }

    @Test func onlyTheNewestStatesWaitAndGoLast() throws {
        let journal = journal()
        let (alice, bob) = (UserNumber(1), UserNumber(2))
        for milliseconds in 1...3 as ClosedRange<Int64> {
            let time = Timestamp(milliseconds: milliseconds)
            journal.store(.presence(alice, presence(milliseconds == 2, time)))
            journal.store(.alive(time))
            journal.store(.presence(bob, presence(milliseconds != 2, time)))
        }
        journal.store(.user(bob, name: "bob"))
        #expect(journal.gathered == 4 && !journal.isEmpty)
        let batch = try #require(journal.takeBatch(at: 0))
        guard batch.count == 4, case .user = batch[0], case .presence(alice, let aliceIs) = batch[1],
            case .alive(let aliveAt) = batch[2], case .presence(bob, let bobIs) = batch[3]
        else {
            Issue.record("the batch is \(batch)")
            return
        }
        let newest = Timestamp(milliseconds: 3)
        #expect(aliveAt == newest && aliceIs == presence(false, newest) && bobIs == presence(true, newest))
        journal.batchIsDurable(outcomes: 0)
        #expect(journal.isEmpty && journal.takeBatch(at: 0) == nil)
        journal.store(.presence(alice, presence(true, newest)))
        #expect(journal.takeBatch(at: 0)?.count == 1)
    }

    @Test func mutationsStoredFirstComeBeforeTheBatch() throws {
        let journal = journal()
        journal.submit(append(), nil, nil)
        journal.storeFirst([.watermark(conversation, UserNumber(1), Watermark())])
        let batch = try #require(journal.takeBatch(at: 0))
        guard case .watermark = batch[0], case .append = batch[1] else {
            Issue.record("the watermark isn't first")
            return
        }
    }

    @Test func afterAFailureNothingIsTakenAndEverythingIsGivenBack() {
        let journal = journal()
        journal.submit(append("one"), nil, nil)
        _ = journal.takeBatch(at: 0)
        journal.submit(append("two"), nil, nil)
        #expect(journal.fail().count == 2)
        #expect(journal.isEmpty && journal.isFailed)
        journal.store(.alive(.never))
        #expect(journal.takeBatch(at: 0) == nil)
        #expect(code { () throws(Refusal) in try journal.reserve(0) } == .unavailable)
    }

    @Test func aDrainTakesNothingNewAndLetsTheRestGo() {
        let journal = journal()
        journal.submit(append(), nil, nil)
        journal.beginDrain()
        #expect(code { () throws(Refusal) in try journal.reserve(0) } == .unavailable)
        #expect(journal.takeBatch(at: 0)?.count == 1)
    }

    @Test func theHeadOnlyRises() {
        let journal = journal()
        journal.reached(Position(5))
        journal.reached(Position(3))
        #expect(journal.head == Position(5))
    }

    private func code(_ body: () throws(Refusal) -> Void) -> ErrorCode? {
        do throws(Refusal) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }
}
