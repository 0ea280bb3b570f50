import RoostFraming
import RoostWire
import Testing

@testable import RoostCore

/// The sessions that the host visits, in which order, and how many in one turn.
@Suite struct DirectEdgeTests {
    private let edge = DirectEdge(calmBytes: 100, visitsMin: 4, crowdVisitsMin: 2)
    private let cast = Cast("alice", "bob", "carol")

    private func sessions(_ count: Int) -> [Session] {
        (0..<count).map { cast.session(on: cast.device(of: 0, named: "d\($0)"), numbered: UInt64($0 + 1)) }
    }

    private func frame(bytes: Int) -> Frame {
        let builder = FrameBuilder()
        builder.begin("x")
        builder.member("pad", String(repeating: "x", count: bytes))
        return builder.finish()
    }

    @Test func sessionsAreVisitedOnceEachInTheOrderInWhichTheyWereTouched() {
        let some = sessions(3)
        for index in [2, 0, 2, 1, 0] { edge.touch(some[index]) }
        var share = VisitShare(near: 9, crowd: 0)
        #expect((0..<3).map { _ in edge.next(in: &share)?.id } == [some[2].id, some[0].id, some[1].id])
        #expect(edge.next(in: &share) == nil && edge.isEmpty && share.near == 6)
    }

    /// Others come before a crowd, but can't keep it waiting for ever.
    @Test func aCrowdComesLastAndGetsItsShare() {
        let some = sessions(9)
        let frame = frame(bytes: 1)
        let held = Unmanaged.passUnretained(frame)
        for session in some[..<6] { edge.add(session, to: held, bytes: frame.count, isCrowd: true) }
        edge.end(held, sessions: 6)
        for session in some[5...] { edge.touch(session) }
        var share = VisitShare(near: 3, crowd: 2)
        var visited: [SessionID] = []
        while let session = edge.next(in: &share) { visited.append(session.id) }
        #expect(visited == (some[5..<8] + some[..<2]).map(\.id))
        share = edge.takeShare()
        #expect(share == VisitShare(near: 4, crowd: 2, patient: 2))
        visited = []
        while let session = edge.next(in: &share) { visited.append(session.id) }
        // The rest of the others' share isn't for the crowd.
        #expect(visited == (some[8...] + some[2..<4]).map(\.id) && !edge.isEmpty)
    }

    /// Otherwise a turn in which much arrives would be twice as long.
    @Test func visitsAddedByArrivalsAreForOthersFirst() {
        let some = sessions(12)
        let frame = frame(bytes: 1)
        let held = Unmanaged.passUnretained(frame)
        for session in some[..<7] { edge.add(session, to: held, bytes: frame.count, isCrowd: true) }
        edge.end(held, sessions: 7)
        for session in some[7...] { edge.touch(session) }
        edge.noteArrivals(8)
        var share = edge.takeShare()
        var visited: [SessionID] = []
        while let session = edge.next(in: &share) { visited.append(session.id) }
        #expect(visited == (some[7...] + some[..<3]).map(\.id))
    }

    @Test func newsOfOthersComesLastAndGetsAShareToo() {
        let some = sessions(9)
        let frame = frame(bytes: 1)
        let held = Unmanaged.passUnretained(frame)
        for session in some { edge.writePatiently(frame, to: session) }
        // A session that gets something else as well takes all of it at once.
        for session in some[..<2] { edge.touch(session) }
        for session in some[2..<6] { edge.add(session, to: held, bytes: frame.count, isCrowd: true) }
        edge.end(held, sessions: 4)
        var turns: [[SessionID]] = []
        while !edge.isEmpty, turns.count < 9 {
            var share = edge.takeShare()
            var visited: [SessionID] = []
            while let session = edge.next(in: &share) { visited.append(session.id) }
            turns.append(visited)
        }
        // Two of the crowd wait in the first turn, so only one of the patient is visited.
        #expect(turns[0] == (some[..<4] + some[6..<7]).map(\.id))
        #expect(turns[1] == (some[4..<6] + some[7...]).map(\.id))
    }

    @Test func aTurnVisitsAtLeastSoManyAndOneMoreForEachArrival() {
        #expect(edge.takeShare() == VisitShare(near: 4, crowd: 2, patient: 2))
        edge.noteArrivals(3)
        #expect(edge.takeShare() == VisitShare(near: 4, crowd: 3, patient: 2))
        edge.noteArrivals(9)
        #expect(edge.takeShare() == VisitShare(near: 9, crowd: 9, patient: 2))
        #expect(edge.takeShare() == VisitShare(near: 4, crowd: 2, patient: 2))
    }

    @Test func aSessionWithAnEmptyOutboxBeforeTheTurnIsNotSlow() {
        let session = sessions(1)[0]
        edge.write(frame(bytes: 200), to: session)
        #expect(!edge.isSlow(session))
        var share = VisitShare(near: 1, crowd: 0)
        _ = edge.next(in: &share)
        #expect(edge.isSlow(session))
        edge.write(frame(bytes: 1), to: session)
        #expect(edge.isSlow(session))
    }

    @Test func aLongOutboxOfAFastReaderLetsTheNextTurnVisitAll() {
        let session = sessions(1)[0]
        let frame = frame(bytes: 200)
        let held = Unmanaged.passUnretained(frame)
        edge.add(session, to: held, bytes: frame.count, isCrowd: false)
        edge.end(held, sessions: 1)
        #expect(edge.takeShare() == .all)
        #expect(edge.takeShare().near == 4)
        #expect(edge.backlog(of: session) == frame.count)
    }

    @Test func allSessionsShareOneFrame() {
        let some = sessions(3)
        let frame = frame(bytes: 10)
        let held = Unmanaged.passUnretained(frame)
        for session in some { edge.add(session, to: held, bytes: frame.count, isCrowd: false) }
        edge.end(held, sessions: some.count)
        for session in some { #expect(session.outbox.pop() === frame) }
    }
}
