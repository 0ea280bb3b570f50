import RoostWire
import Testing

@testable import RoostCore

/// `Audience`: exactly the sessions of the members who are here, in the order of the members.
@Suite struct AudienceTests {
    private let cast = Cast("alice", "bob", "carol")

    private func listeners() -> [UInt64] {
        var ids: [UInt64] = []
        cast.group.audience.forEach { session, _ in ids.append(session.id.value) }
        #expect(cast.group.audienceCount == ids.count)
        return ids
    }

    @Test func itFollowsSessionsAndMembers() {
        #expect(listeners().isEmpty)
        let carol = cast.session(on: cast.device(of: 2), numbered: 1)
        let phone = cast.session(on: cast.device(of: 0), numbered: 2)
        #expect(listeners() == [2, 1])
        let tablet = cast.session(on: cast.device(of: 0, named: "tablet"), numbered: 3)
        #expect(listeners() == [2, 3, 1])
        cast[0].user.remove(phone, cast.settled())
        #expect(listeners() == [3, 1])
        _ = cast.group.dismiss([UserNumber(1)], cast.settled())
        #expect(listeners() == [1])
        withExtendedLifetime((carol, tablet)) {}
    }

    /// A valid result is not searched for again.
    @Test func membersAreSearchedOnlyAfterSomebodyCameOrWent() {
        let session = cast.session(on: cast.device(of: 0), numbered: 1)
        #expect(listeners() == [1])
        let steps = cast.counters.steps
        #expect(listeners() == [1])
        #expect(cast.counters.steps == steps)
        cast[0].user.remove(session, cast.settled())
        #expect(listeners().isEmpty)
        #expect(cast.counters.steps == steps + 1)
    }

    /// Its index is used again for another user.
    @Test func aForgottenUserIsNotHere() {
        let roll = cast.roll
        var user: User? = User(UserNumber(50), name: "x", roll)
        guard let seat = user?.seat else { return }
        let session = cast.session(on: cast.device(of: 0), numbered: 1)
        user?.add(session, cast.settled())
        #expect(roll.presence(of: seat) == .one)
        user = nil
        #expect(roll.presence(of: seat) == .none && roll.first(of: seat) == nil)
        let other = User(UserNumber(51), name: "y", roll)
        #expect(roll.presence(of: other.seat) == .none)
        other.add(session, cast.settled())
        #expect(roll.presence(of: seat) == .one)
    }
}
