import Testing

@testable import RoostServices

/// The effect of a presented refresh token on its session.
struct RefreshFamilyTests {
    private let rules = RefreshFamily.Rules(refreshLife: 1_000_000, accessLife: 4_000, grace: 10_000, renewalsMax: 3)
    private let first: [UInt8] = [1]
    private let second: [UInt8] = [2]

    private func session() -> Session {
        Session(
            sid: "s", user: "u", device: "d", current: first, created: 0, used: 0, expires: 1_000_000,
            accessUntil: 4_000)
    }

    private func renewed(
        age: Int, key: [UInt8]? = nil, _ next: [UInt8], _ session: Session, at now: Int64
    ) throws -> Session {
        guard case .renewed(let session) = take(age: age, key: key, next, session, at: now) else { throw Unexpected() }
        return session
    }

    private func take(
        age: Int?, key: [UInt8]? = nil, _ next: [UInt8], _ session: Session, at now: Int64
    ) -> RefreshFamily.Outcome {
        RefreshFamily.take(age: age, key: key, next: next, of: session, now: now, rules: rules)
    }

    private struct Unexpected: Error {}

    @Test func theNewestIsReplaced() throws {
        let session = try renewed(age: 0, second, session(), at: 100)
        #expect(session.current == second)
        #expect(session.renewals == [100])
        #expect(session.used == 100)
        #expect(session.expires == 1_000_100)
        #expect(session.accessUntil == 4_100)
    }

    @Test func theSameExchangeIsMadeAgainForTenSecondsUnderAnyKey() throws {
        let two = try renewed(age: 0, key: [7], second, session(), at: 100)
        for (key, now) in [(nil, Int64(100)), ([7], 9_000), ([8], 10_099), (nil, -9_800)] as [([UInt8]?, Int64)] {
            let again = try renewed(age: 1, key: key, second, two, at: now)
            #expect(again.current == second && again.renewals == two.renewals && again.exchange == [7])
        }
        for (key, now) in [(nil, Int64(10_100)), ([8], 20_000), (nil, -9_901)] as [([UInt8]?, Int64)] {
            #expect(take(age: 1, key: key, second, two, at: now) == .reused)
        }
    }

    @Test func clientsSomeExchangesBehindCatchUpWithinTheGrace() throws {
        var session = session()
        for now in [Int64(100), 3_000, 6_000, 9_000] { session = try renewed(age: 0, second, session, at: now) }
        #expect(session.renewals == [9_000, 6_000, 3_000])
        #expect(try renewed(age: 3, first, session, at: 12_999).current == second)
        #expect(take(age: 3, first, session, at: 13_000) == .reused)
        #expect(try renewed(age: 2, first, session, at: 13_000).current == second)
        // Its time isn't kept any more.
        #expect(take(age: 4, first, session, at: 9_001) == .reused)
        #expect(take(age: nil, first, session, at: 9_001) == .reused)
    }

    @Test func underItsKeyTheSameExchangeIsMadeAgainUntilItsTokenIsUsed() throws {
        let two = try renewed(age: 0, key: [7], second, session(), at: 100)
        #expect(try renewed(age: 1, key: [7], second, two, at: 900_000).current == second)
        #expect(take(age: 1, key: [8], second, two, at: 900_000) == .reused)
        #expect(take(age: 1, second, two, at: 900_000) == .reused)
        let unkeyed = try renewed(age: 0, second, session(), at: 100)
        #expect(take(age: 1, key: [7], second, unkeyed, at: 900_000) == .reused)
        let used = try renewed(age: 0, key: [8], [3], two, at: 900_001)
        #expect(take(age: 2, key: [7], second, used, at: 900_002) == .reused)
    }

    @Test func theEndIsTheEnd() {
        #expect(take(age: 0, second, session(), at: 1_000_000) == .expired)
        #expect(take(age: 1, key: [7], second, session(), at: 1_000_000) == .expired)
        #expect(take(age: nil, second, session(), at: 1_000_000) == .expired)
    }
}
