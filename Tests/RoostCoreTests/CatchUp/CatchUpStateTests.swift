import RoostFraming
import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Catch-up alone: which pages sessions ask for, who shares a page, and when a session is live.
@Suite struct CatchUpStateTests {
    private let journal: Journal
    private let delivery: Delivery
    private let directory: Directory
    private let reads: Reads
    private let catchUp: CatchUp
    private let counters = Counters()
    private let group: Conversation

    init() throws {
        var limits = Limits()
        limits.pagesAtOnce = 1
        limits.pageBytesPerTurn = 1
        var snapshot = Snapshot()
        snapshot.head = Position(10)
        var conversation = Snapshot.Conversation(ConversationNumber(1), id: "group", kind: .group, name: "Group")
        conversation.lastSequence = SequenceNumber(10)
        conversation.lastPosition = Position(10)
        snapshot.conversations = [conversation]
        for number in 1...3 as ClosedRange<Int32> {
            snapshot.users.append(.init(UserNumber(number), name: "user\(number)"))
            snapshot.members.append(.init(ConversationNumber(1), UserNumber(number), role: .member))
        }
        let builder = FrameBuilder()
        journal = Journal(.init(limits), head: snapshot.head)
        let window = EventWindow.none(head: snapshot.head)
        delivery = Delivery(.init(limits), window, builder: builder, counters: counters)
        reads = Reads(.init(limits))
        directory = Directory(
            snapshot, .init(limits), Policy(), journal: journal, counters: counters,
            random: RandomSource(SystemRandomNumberGenerator()), at: Moment(0), delivery.settle())
        let newest = WindowCatchUp(
            .init(limits), window, directory, delivery, EventFrames(builder: builder), counters)
        catchUp = CatchUp(
            .init(limits), directory, journal, reads, Chores(.init(limits), Prices(.init(limits)), counters),
            Arrivals(.init(limits)), delivery, newest, builder: builder, counters: counters, at: 0)
        group = try #require(directory.conversation(ConversationNumber(1)))
    }

    /// A session of the user that has everything up to `cursor`, and begins to catch up.
    private func begin(_ number: Int32, at cursor: Int64 = 0) -> Session {
        let user = group.members[Int(number) - 1].user
        let device = Device(
            DeviceNumber(number), of: user, name: "phone", cursor: Position(cursor), isNew: false, at: 0)
        user.add(device)
        let session = Session(SessionID(UInt64(number)), .init(.init(Limits()), at: 0))
        session.begin(as: user, on: device)
        device.connect(session, at: Moment(0))
        user.add(session, delivery.settle())
        catchUp.begin(session, at: Moment(0))
        return session
    }

    private func message(_ number: Int64) -> StoredEvent {
        var append = Append(.message, in: group.number, by: UserNumber(1), device: "phone", at: .never)
        append.label = "text"
        append.body = Array("\"m\(number)\"".utf8)
        return StoredEvent(append, position: Position(number), sequence: SequenceNumber(number))
    }

    /// Answers the only question under way.
    private func answer(_ numbers: ClosedRange<Int64>, hasMore: Bool = false, isFailed: Bool = false) {
        guard let read = reads.take(at: .never).first else { return }
        let events = isFailed ? [] : numbers.map(message)
        var result = ReadResult(ticket: read.ticket, events: events, hasMore: hasMore, isFailed: isFailed)
        if hasMore, case .page(var request) = read.question {
            request.spans[0].after = Position(numbers.upperBound)
            result.spans = request.spans
        }
        guard case .page(let page) = reads.answered(&result, isStale: { _ in false }) else { return }
        catchUp.take(result, for: page)
    }

    private func handOut() { while catchUp.hasWork { catchUp.handOut(at: Moment(0)) } }

    private func sequences(_ session: Session) -> [Int64] {
        var all: [Int64] = []
        while let frame = session.outbox.pop() {
            for message in frame.messages() {
                if let number = JSONValue(parsing: message.payload)?["sequence"]?.integer { all.append(number) }
            }
        }
        return all
    }

    @Test func aSessionThatMissedNothingIsLiveAtOnce() {
        let session = begin(1, at: 10)
        #expect(session.feed.state == .live)
        #expect(reads.take(at: .never).isEmpty)
    }

    @Test func aSessionIsLiveAfterTheLastPageOfItsRound() {
        let session = begin(1)
        #expect(session.feed.state == .waiting)
        answer(1...6, hasMore: true)
        handOut()
        #expect(sequences(session) == Array(1...6))
        #expect(session.feed.state == .behind && session.wantsDrained)
        catchUp.goOn(session, at: Moment(0))
        answer(7...10)
        handOut()
        #expect(sequences(session) == Array(7...10))
        #expect(session.feed.state == .live && session.feed.sentPosition == Position(10))
    }

    @Test func eventsThatCameMeanwhileBeginAnotherRound() {
        let session = begin(1)
        group.reach(SequenceNumber(11), Position(11), .never)
        journal.reached(Position(11))
        delivery.window.add(.empty, of: message(11), in: group)
        answer(1...10)
        handOut()
        #expect(session.feed.state == .behind)
        catchUp.goOn(session, at: Moment(0))
        answer(11...11)
        handOut()
        #expect(sequences(session) == Array(1...11))
        #expect(session.feed.state == .live)
    }

    @Test func sessionsThatMissedTheSameShareAPage() {
        let sessions = [begin(1), begin(2), begin(3)]
        answer(1...10)
        #expect(reads.take(at: .never).isEmpty)
        handOut()
        #expect(sessions.allSatisfy { $0.feed.state == .live })
        #expect(counters.pages == 3)
    }

    @Test func furtherPagesWaitInLine() {
        let first = begin(1)
        let second = begin(2, at: 3)
        answer(1...10)
        #expect(reads.take(at: .never).isEmpty)
        handOut()
        answer(4...10)
        handOut()
        #expect(first.feed.state == .live && second.feed.state == .live)
        #expect(sequences(second) == Array(4...10))
    }

    @Test func aTurnHandsOutOnlySoManyPages() {
        let sessions = [begin(1), begin(2)]
        answer(1...10)
        catchUp.handOut(at: Moment(0))
        #expect(sessions.filter { $0.outbox.isEmpty }.count == 1)
        #expect(catchUp.hasWork)
    }

    @Test func aPageThatCannotBeReadClosesTheSessionsThatWaitForIt() {
        let session = begin(1)
        answer(1...1, isFailed: true)
        handOut()
        #expect(session.closing == .overloaded)
        #expect(delivery.takeEnded() === session)
    }

    @Test func anEditMakesASharedPageStale() {
        _ = begin(1)
        answer(1...10)
        handOut()
        var edit = message(11)
        edit.kind = .edit
        catchUp.forgetPages(changedBy: edit, nil)
        _ = begin(2)
        #expect(reads.take(at: .never).count == 1)
    }

    @Test func aPageThatNobodyAsksForIsForgottenAfterAWhile() {
        _ = begin(1)
        answer(1...10)
        handOut()
        catchUp.tick(at: Moment(catchUp.nextDeadline))
        _ = begin(2)
        #expect(reads.take(at: .never).isEmpty)
        handOut()
        catchUp.tick(at: Moment(catchUp.nextDeadline))
        catchUp.tick(at: Moment(catchUp.nextDeadline))
        _ = begin(3)
        #expect(reads.take(at: .never).count == 1)
    }

    @Test func anEndedSessionIsSkipped() {
        let session = begin(1)
        session.end(.cut)
        catchUp.forget(session)
        answer(1...10)
        handOut()
        #expect(session.outbox.count == 0)
    }
}
