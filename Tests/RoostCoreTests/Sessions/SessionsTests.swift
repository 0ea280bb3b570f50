import RoostWire
import Testing

@testable import RoostCore

/// Connections alone: which commands are allowed when, and what happens as time passes.
@Suite struct SessionsTests {
    private let sessions: Sessions
    private let user = User(UserNumber(1), name: "alice", Roll(Counters()))
    private let device: Device

    init() {
        var limits = Limits()
        limits.helloMilliseconds = 1_000
        limits.pingMilliseconds = 5_000
        limits.pongMilliseconds = 2_000
        limits.refreshGraceMilliseconds = 3_000
        limits.malformedMax = 2
        limits.verificationsAtOnce = 1
        sessions = Sessions(.init(limits), at: 0)
        device = Device(DeviceNumber(1), of: user, name: "phone", cursor: .start, isNew: false, at: 0)
    }

    private func code(_ body: () throws(Refusal) -> Void) -> ErrorCode? {
        do throws(Refusal) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    private func admit(_ command: Command, _ session: Session, at time: Int64 = 0) -> ErrorCode? {
        code { () throws(Refusal) in
            sessions.noteWellFormed(session)
            try sessions.authorize(command, of: session, at: Moment(time))
        }
    }

    private func ready(until endsAt: Int64 = .max) -> Session {
        let session = sessions.open(at: Moment(0))
        session.begin(as: user, on: device)
        sessions.renew(session, until: endsAt)
        return session
    }

    /// The events until that time, in order.
    private func dues(until end: Int64) -> [String] {
        var dues: [String] = []
        while let next = sessions.nextDeadline, next <= end {
            sessions.tick(at: next) { session, due in
                switch due {
                case .ping: dues.append("ping at \(next)")
                case .close(let code):
                    dues.append("\(code) at \(next)")
                    session.end(by: code)
                }
            }
        }
        return dues
    }

    @Test func beforeHelloNothingElseIsTaken() {
        let session = sessions.open(at: Moment(0))
        #expect(admit(.ping, session) == .notReady)
        #expect(admit(.bye, session) == nil)
    }

    @Test func withAnExpiredTokenOnlyWhatMendsItIsTaken() {
        let session = ready(until: 500)
        #expect(admit(.ack(.start), session, at: 499) == nil)
        #expect(admit(.ack(.start), session, at: 500) == .tokenExpired)
        #expect(admit(.ping, session, at: 500) == nil)
    }

    @Test func malformedCommandsInARowAreTooMany() {
        let session = ready()
        let refusal = Refusal(.badJSON, "x")
        #expect(!sessions.isMalformedTooOften(refusal, session))
        #expect(admit(.ping, session) == nil)
        #expect(!sessions.isMalformedTooOften(refusal, session))
        #expect(!sessions.isMalformedTooOften(Refusal(.notFound, "x"), session))
        #expect(sessions.isMalformedTooOften(refusal, session))
    }

    @Test func sessionsWithoutHelloAreClosed() {
        _ = sessions.open(at: Moment(0))
        #expect(dues(until: 60_000) == ["\(CloseCode.helloTimeout) at 1100"])
    }

    @Test func silentSessionsArePingedAndThenClosed() {
        _ = ready()
        #expect(dues(until: 60_000) == ["ping at 5100", "\(CloseCode.pingTimeout) at 7200"])
    }

    @Test func answeringSessionsArePingedAgainAndNotClosed() {
        let session = ready()
        #expect(dues(until: 5_500) == ["ping at 5100"])
        sessions.heard(session, at: Moment(5_500))
        #expect(dues(until: 11_000) == ["ping at 10600"])
    }

    @Test func anExpiredTokenClosesAfterTheGrace() {
        let session = ready(until: 1_000)
        sessions.heard(session, at: Moment(0))
        #expect(dues(until: 4_500) == ["\(CloseCode.tokenExpired) at 4100"])
    }

    @Test func aSessionHasOneTimerHoweverOftenItsDeadlineMoves() {
        let session = ready()
        for end in 0..<50 { sessions.renew(session, until: 100_000 - Int64(end)) }
        #expect(sessions.timerCount <= 2)
    }

    @Test func tokensAreCheckedAFewAtATime() {
        let (one, other) = (sessions.open(at: Moment(0)), sessions.open(at: Moment(0)))
        for session in [one, other] { #expect(say(hello: "t", session) == nil) }
        #expect(sessions.takeVerifications().map(\.session) == [one.id])
        #expect(sessions.takeVerifications().isEmpty)
        _ = sessions.checked(one.id, .failure(Refusal(.unauthorized, "x")), at: Moment(0))
        #expect(sessions.takeVerifications().map(\.session) == [other.id])
    }

    @Test func aSecondRefreshHasToWait() {
        let session = ready()
        #expect(say(hello: "t", session, isRefresh: true) == nil)
        #expect(say(hello: "t", session, isRefresh: true) == .conflict)
    }

    @Test func aTokenThatHasEndedIsRejectedWithACode() {
        let session = sessions.open(at: Moment(0))
        #expect(say(hello: "t", session) == nil)
        let grant = Grant(user: "alice", device: nil, expires: Timestamp(milliseconds: 10))
        guard case .rejected(let rejected) = sessions.checked(session.id, .success(grant), at: Moment(10)) else {
            Issue.record("it was taken")
            return
        }
        #expect(rejected.code == .tokenExpired && rejected.refusal.code == .tokenExpired)
    }

    @Test func aTokenForASessionThatIsGoneIsPassedOver() throws {
        let session = sessions.open(at: Moment(0))
        #expect(say(hello: "t", session) == nil)
        sessions.remove(session)
        let grant = Grant(user: "alice", device: nil, expires: Timestamp(milliseconds: 10))
        guard case .nobody = sessions.checked(session.id, .success(grant), at: Moment(0)) else {
            Issue.record("somebody waited for it")
            return
        }
    }

    private func say(hello token: String, _ session: Session, isRefresh: Bool = false) -> ErrorCode? {
        Array(token.utf8).withUnsafeBytes { bytes in
            code { () throws(Refusal) in
                try sessions.verify(Text(bytes), .init(isRefresh: isRefresh), of: session)
            }
        }
    }
}
