import Testing

@testable import RoostServices

/// What a refresh token that comes does to its session.
struct RefreshFamilyTests {
    private let rules = RefreshFamily.Rules(refreshLife: 1_000_000, accessLife: 4_000)
    private let first: [UInt8] = [1]
    private let second: [UInt8] = [2]
    private let third: [UInt8] = [3]
    private let fourth: [UInt8] = [4]

    private func session() -> Session {
        Session(
            sid: "s", user: "u", device: "d", current: first, created: 0, used: 0, expires: 1_000_000,
            accessUntil: 4_000)
    }

    private func renewed(
        _ hash: [UInt8], key: [UInt8]? = nil, _ next: [UInt8], _ session: Session, at now: Int64
    ) throws -> Session {
        guard case .renewed(let session) = take(hash, key: key, next, session, at: now) else { throw Unexpected() }
        return session
    }

    private func take(
        _ hash: [UInt8], key: [UInt8]? = nil, _ next: [UInt8], _ session: Session, at now: Int64
    ) -> RefreshFamily.Outcome {
        RefreshFamily.take(hash, key: key, next: next, of: session, now: now, rules: rules)
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

    @Test func aSecondExchangeIsATheft() throws {
        let two = try renewed(first, second, session(), at: 100)
        #expect(take(first, third, two, at: 100) == .reused)
        #expect(take(first, key: [7], third, two, at: 100) == .reused)
        let keyed = try renewed(first, key: [7], second, session(), at: 100)
        #expect(take(first, third, keyed, at: 100) == .reused)
        #expect(take(first, key: [8], third, keyed, at: 100) == .reused)
    }

    @Test func theSameExchangeIsMadeAgainUntilItsTokenIsUsed() throws {
        var session = try renewed(first, key: [7], second, session(), at: 100)
        for now in [Int64(100), 50, 900_000] { session = try renewed(first, key: [7], third, session, at: now) }
        #expect(session.current == third)
        #expect(session.previous == first)
        // The one that was lost isn't good any more, whoever found it.
        #expect(take(second, key: [7], fourth, session, at: 900_001) == .reused)
        let used = try renewed(third, key: [8], fourth, session, at: 900_001)
        #expect(take(first, key: [7], second, used, at: 900_002) == .reused)
    }

    @Test func theEndIsTheEnd() {
        #expect(take(first, second, session(), at: 1_000_000) == .expired)
        #expect(take(first, key: [7], second, session(), at: 1_000_000) == .expired)
    }
}
