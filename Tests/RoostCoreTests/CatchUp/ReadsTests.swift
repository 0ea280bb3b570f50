import RoostWire
import Testing

@testable import RoostCore

/// Questions to the log, and how many of them clients may have under way at once.
@Suite struct ReadsTests {
    private let cast = Cast("alice", "bob")
    private let reads: Reads
    private let alice: Session
    private let bob: Session

    init() {
        var limits = Limits()
        limits.readsPerSession = 2
        limits.readsMax = 3
        reads = Reads(.init(limits))
        alice = cast.session(on: cast.device(of: 0), numbered: 1)
        bob = cast.session(on: cast.device(of: 1), numbered: 2)
    }

    private let question = Read.Question.latest(LatestRequest(messages: []))

    private func ask(_ session: Session) {
        reads.ask(question, for: .history(Asker(session: session, user: cast[0].user, id: nil), cast.group))
    }

    private func refusal(_ session: Session) -> ErrorCode? {
        do throws(Refusal) {
            try reads.check(session)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func aQuestionIsTakenOnceAndAnsweredOnce() throws {
        ask(alice)
        let ticket = try #require(reads.take(at: .never).first?.ticket)
        #expect(reads.take(at: .never).isEmpty)
        var result = ReadResult(ticket: ticket)
        #expect(reads.answered(&result) { _ in false }?.session === alice)
        #expect(reads.answered(&result) { _ in false } == nil)
    }

    @Test func aSessionMayHaveOnlySoManyUnderWay() throws {
        ask(alice)
        #expect(refusal(alice) == nil)
        ask(alice)
        #expect(refusal(alice) == .rateLimited)
        #expect(refusal(bob) == nil)
        var result = ReadResult(ticket: try #require(reads.take(at: .never).first?.ticket))
        _ = reads.answered(&result) { _ in false }
        #expect(refusal(alice) == nil)
    }

    @Test func allTogetherMayHaveOnlySoManyUnderWay() {
        ask(alice)
        ask(alice)
        ask(bob)
        #expect(refusal(bob) == .busy)
    }

    @Test func pagesOfCatchUpAreNotCounted() {
        for _ in 0..<5 {
            let request = PageRequest(spans: [], rows: 1, bytes: 1)
            reads.ask(.page(request), for: .page(CatchUpPage(request)))
        }
        #expect(refusal(alice) == nil)
    }
}
