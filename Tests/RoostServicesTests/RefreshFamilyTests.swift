import Testing

@testable import RoostServices

/// What a refresh token that comes does to its session.
struct RefreshFamilyTests {
    private let rules = RefreshFamily.Rules(grace: 10_000, refreshLife: 1_000_000, accessLife: 4_000)
    private let first: [UInt8] = [1]
    private let second: [UInt8] = [2]
    private let third: [UInt8] = [3]
    private let fourth: [UInt8] = [4]

    private func session() -> Session {
        Session(
            sid: "s", user: "u", device: "d", current: first, created: 0, used: 0, expires: 1_000_000,
            accessUntil: 4_000)
    }

    private func renewed(_ hash: [UInt8], _ next: [UInt8], _ session: Session, at now: Int64) throws -> Session {
        guard case .renewed(let session) = take(hash, next, session, at: now) else { throw Unexpected() }
        return session
    }

    private func take(_ hash: [UInt8], _ next: [UInt8], _ session: Session, at now: Int64) -> RefreshFamily.Outcome {
        RefreshFamily.take(hash, next: next, of: session, now: now, rules: rules)
    }

    private struct Unexpected: Error {}

    @Test func theNewestIsReplaced() throws {
        let session = try renewed(first, second, session(), at: 100)
        #expect(session.current == second)
        #expect(session.previous == first)
        #expect(session.used == 100)
        #expect(session.expires == 1_000_100)
        #expect(session.accessUntil == 4_100)
    }

    @Test func anOldOneEndsTheFamily() throws {
        let two = try renewed(first, second, session(), at: 100)
        let three = try renewed(second, third, two, at: 200)
        #expect(take(first, fourth, three, at: 201) == .reused)
        #expect(take([9], fourth, three, at: 201) == .reused)
    }

    @Test func theOneBeforeIsTakenOnceIfItsAnswerWasLost() throws {
        let two = try renewed(first, second, session(), at: 100)
        let again = try renewed(first, third, two, at: 10_100)
        #expect(again.current == third)
        #expect(take(first, fourth, again, at: 10_101) == .reused)
        // The one that was lost isn't good any more, whoever found it.
        #expect(take(second, fourth, again, at: 10_101) == .reused)
        #expect(try renewed(third, fourth, again, at: 10_101).current == fourth)
    }

    @Test func theOneBeforeIsTakenForTenSecondsOnly() throws {
        let two = try renewed(first, second, session(), at: 100)
        #expect(take(first, third, two, at: 10_101) == .reused)
        // A clock that was set back says nothing about how long ago it was.
        #expect(take(first, third, two, at: 99) == .reused)
    }

    @Test func aUsedSuccessorEndsTheGrace() throws {
        let two = try renewed(first, second, session(), at: 100)
        let three = try renewed(second, third, two, at: 101)
        #expect(take(first, fourth, three, at: 102) == .reused)
    }

    @Test func theEndIsTheEnd() {
        #expect(take(first, second, session(), at: 1_000_000) == .expired)
    }
}
