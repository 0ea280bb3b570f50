import RoostWire
import Testing

@testable import RoostCore

/// `Presence` alone: the state that follows from a user's devices, its recipients, and the stored part.
@Suite struct PresenceStateTests {
    let cast = Cast("alice", "bob", "carol")
    let counters = Counters()
    let presence: Presence
    let phone: Device
    let session: Session
    let watcher: Session

    init() {
        var limits = Limits()
        limits.watchedPerSession = 2
        limits.awayMilliseconds = 0
        presence = Presence(.init(limits), counters, at: 0)
        phone = cast.device(of: 0)
        session = cast.session(on: phone, numbered: 1)
        watcher = cast.session(on: cast.device(of: 1), numbered: 2)
        _ = presence.watch([.init(user: cast[0].user, shared: cast.group)], by: watcher)
    }

    private func emptyDirectory() -> Directory {
        Directory(
            Snapshot(), .init(Limits()), Policy(), journal: Journal(.init(Limits()), head: .start), counters: counters,
            random: RandomSource(SystemRandomNumberGenerator()), at: Moment(0), cast.settled())
    }

    /// The news of a tick at this moment.
    private func news(at now: Int64) -> Presence.News {
        _ = presence.tick(at: Moment(now))
        var steps = 1_000
        return presence.announce(&steps, at: Moment(now))
    }

    /// The states that the watcher gets from a tick at this moment.
    private func told(at now: Int64) -> [PresenceState] {
        news(at: now).audience.filter { $0 === watcher }
            .flatMap { presence.takeBatch(of: $0) }.map(\.presence.announced.state)
    }

    private func stored(at now: Int64) -> [String] {
        news(at: now).mutations.compactMap(describe)
    }

    private func describe(_ mutation: Mutation) -> String? {
        if case .alive(let time) = mutation { return "alive \(time.milliseconds)" }
        guard case .presence(let user, let presence) = mutation else { return nil }
        let isHere = presence.isHere ? ", here," : ""
        return "\(user.value) \(presence.state)\(isHere) \(presence.lastSeen.milliseconds)"
    }

    private func end(_ session: Session, mayReturn: Bool, isDraining: Bool = false, at now: Int64) {
        phone.user.remove(session, cast.settled())
        phone.disconnect(at: now)
        presence.forget(session)
        presence.go(session, of: phone, mayReturn: mayReturn, isDraining: isDraining, at: Moment(now))
    }

    @Test func anArrivalIsToldAtTheTick() {
        presence.come(session, of: phone, as: .active, at: Moment(0))
        #expect(told(at: 49).isEmpty)
        #expect(told(at: 50) == [.online])
        #expect(counters.usersOnline == 1)
    }

    @Test func aDropIsToldAfterItsGrace() {
        presence.come(session, of: phone, as: .active, at: Moment(0))
        _ = told(at: 50)
        end(session, mayReturn: true, at: 1_000)
        #expect(told(at: 1_100).isEmpty)
        // The sign of life that notes the drop.
        #expect(told(at: 5_100).isEmpty)
        #expect(told(at: 5_200).isEmpty)
        #expect(told(at: 15_900).isEmpty)
        // The wheel rounds up to a tenth of a second. Then changes are collected for one tick.
        #expect(told(at: 16_200).isEmpty)
        #expect(told(at: 16_250) == [.offline])
    }

    @Test func aReturnWithinTheGraceIsNotTold() {
        presence.come(session, of: phone, as: .active, at: Moment(0))
        _ = told(at: 50)
        end(session, mayReturn: true, at: 1_000)
        let again = cast.session(on: phone, numbered: 3)
        presence.come(again, of: phone, as: .active, at: Moment(5_000))
        #expect(told(at: 6_000).isEmpty)
        #expect(told(at: 16_200).isEmpty)
        #expect(told(at: 17_000).isEmpty)
    }

    /// Each change would have left a timer for the next five minutes.
    @Test func aUserHasOneTimerForIdleDevices() {
        var limits = Limits()
        limits.awayMilliseconds = 10_000
        let presence = Presence(.init(limits), counters, at: 0)
        presence.come(session, of: phone, as: .active, at: Moment(0))
        for _ in 0..<1_000 {
            presence.set(.idle, of: session, phone.user, at: Moment(1_000))
            presence.set(.active, of: session, phone.user, at: Moment(1_000))
        }
        presence.set(.idle, of: session, phone.user, at: Moment(5_000))
        #expect(presence.timerCount == 1)
        for now in [5_100, 11_200, 11_300, 14_900] as [Int64] {
            _ = presence.tick(at: Moment(now))
            var steps = 10
            _ = presence.announce(&steps, at: Moment(now))
        }
        #expect(phone.user.presence.announced.state == .online && presence.timerCount == 1)
        for now in [15_200, 15_300] as [Int64] {
            _ = presence.tick(at: Moment(now))
            var steps = 10
            _ = presence.announce(&steps, at: Moment(now))
        }
        #expect(phone.user.presence.announced.state == .away && presence.timerCount == 0)
    }

    @Test func theMostPresentDeviceWins() {
        let tablet = cast.device(of: 0, named: "tablet")
        presence.come(session, of: phone, as: .background, at: Moment(0))
        #expect(told(at: 50).isEmpty)
        let other = cast.session(on: tablet, numbered: 3)
        presence.come(other, of: tablet, as: .active, at: Moment(100))
        presence.set(.idle, of: other, cast[0].user, at: Moment(110))
        #expect(told(at: 200) == [.away])
    }

    @Test func watchingIsBoundedAndAllOrNothing() {
        let users = (1...3).map { User(UserNumber(Int32(10 + $0)), name: "user-\($0)", cast.roll) }
        let watches = users.map { Presence.Watch(user: $0, shared: cast.group) }
        #expect(!presence.watch(watches, by: session))
        #expect(session.presence.watching.isEmpty)
        #expect(presence.watch(Array(watches.prefix(2)), by: session))
        #expect(presence.watch(Array(watches.prefix(2)), by: session))
        presence.unwatch(users[0], by: session)
        #expect(users[0].presence.watchers.isEmpty)
        #expect(presence.watch([watches[2]], by: session))
    }

    @Test func watchesEndWithTheLastSharedConversation() {
        let alice = cast[0].user
        #expect(presence.isTold(watcher, of: alice.number))
        _ = cast.group.dismiss([alice.number], cast.settled())
        alice.leave(cast.group.number, Departure(joinedAt: .start, leftAt: .start, since: .none))
        var steps = 10
        #expect(presence.review(alice, emptyDirectory())?.work(&steps) == true)
        #expect(!presence.isTold(watcher, of: alice.number))
        #expect(alice.presence.watchers.isEmpty)
    }

    @Test func onlyWhatChangesIsStored() {
        presence.come(session, of: phone, as: .active, at: Moment(0))
        #expect(stored(at: 50) == ["1 online, here, 50"])
        presence.set(.active, of: session, cast[0].user, at: Moment(100))
        #expect(stored(at: 150).isEmpty)
        end(session, mayReturn: false, at: 200)
        #expect(stored(at: 250) == ["1 offline 200"])
    }

    /// A user as stored, and what a start at 300,000 ms makes of it.
    private func start(_ stored: StoredPresence, lastAlive: Int64) -> (user: User, stored: [String]) {
        let user = User(UserNumber(9), name: "ghost", presence: stored, cast.roll)
        let alive = Timestamp(milliseconds: lastAlive)
        let mutations = presence.settle([user, cast[2].user], lastAlive: alive, at: Moment(300_000))
        return (user, mutations.compactMap(describe))
    }

    private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    @Test func afterAStartUsersAreShownAsBeforeForTheGrace() {
        let (ghost, stored) = start(.init(.away, isHere: true, lastSeen: time(5)), lastAlive: 290_000)
        #expect(stored == ["9 away 290000"])
        #expect(ghost.presence.announced.state == .away && counters.usersAway == 1)
        _ = presence.watch([.init(user: ghost, shared: cast.group)], by: watcher)
        #expect(told(at: 314_999).isEmpty)
        #expect(told(at: 315_100).isEmpty)
        #expect(told(at: 315_200) == [.offline])
        #expect(ghost.presence.lastSeen == time(290_000) && counters.usersAway == 0)
    }

    @Test func usersWhoDroppedBeforeTheStartWereSeenThen() {
        let (ghost, stored) = start(.init(.online, lastSeen: time(285_000)), lastAlive: 290_000)
        #expect(stored == ["9 online 285000"])
        #expect(ghost.presence.lastSeen == time(285_000))
    }

    @Test(arguments: [(0, PresenceState.online), (-1, .offline)] as [(Int64, PresenceState)])
    func usersNotSeenForTooLongAreOffline(lastAlive: Int64, state: PresenceState) {
        let (ghost, stored) = start(.init(.online, isHere: true, lastSeen: time(-5)), lastAlive: lastAlive)
        #expect(ghost.presence.announced.state == state)
        #expect(stored == ["9 \(state) \(lastAlive)"])
    }

    @Test func aGhostEndsWithTheGoodbyeOfItsUser() {
        let user = cast[0].user
        user.presence = Presence.Person(.init(.online, isHere: true, lastSeen: time(5)))
        _ = presence.settle([user], lastAlive: time(10), at: Moment(20))
        presence.come(session, of: phone, as: .active, at: Moment(30))
        #expect(told(at: 80).isEmpty)
        end(session, mayReturn: false, at: 100)
        #expect(stored(at: 150) == ["1 offline 100"])
    }

    /// A ghost's user came and dropped within a tick, and the visit was forgotten.
    @Test func aShortVisitOfAGhostIsStoredWithTheNextSignOfLife() {
        let user = cast[0].user
        user.presence = Presence.Person(.init(.online, isHere: true, lastSeen: time(-20)))
        _ = presence.settle([user], lastAlive: time(-10), at: Moment(20))
        _ = stored(at: 25)
        presence.come(session, of: phone, as: .active, at: Moment(30))
        end(session, mayReturn: true, at: 40)
        #expect(stored(at: 100).isEmpty)
        // The sign of life, and the tick after it.
        #expect(stored(at: 5_050).isEmpty)
        #expect(stored(at: 5_150) == ["1 online 40"])
    }

    @Test func aDropIsStoredWithTheNextSignOfLife() {
        presence.come(session, of: phone, as: .active, at: Moment(10))
        #expect(stored(at: 60) == ["1 online, here, 60"])
        end(session, mayReturn: true, at: 4_000)
        #expect(stored(at: 5_000).isEmpty)
        #expect(stored(at: 5_060).isEmpty)
        #expect(stored(at: 5_110) == ["1 online 4000"])
        let again = cast.session(on: phone, numbered: 3)
        presence.come(again, of: phone, as: .active, at: Moment(6_000))
        #expect(stored(at: 6_050) == ["1 online, here, 6050"])
    }

    @Test func aQuickReturnIsNotStored() {
        presence.come(session, of: phone, as: .active, at: Moment(10))
        _ = stored(at: 60)
        end(session, mayReturn: true, at: 4_000)
        let again = cast.session(on: phone, numbered: 3)
        presence.come(again, of: phone, as: .active, at: Moment(4_500))
        #expect(stored(at: 5_100).isEmpty)
    }

    @Test func aStopStoresDropsAndALastSignOfLife() {
        presence.come(session, of: phone, as: .active, at: Moment(0))
        _ = told(at: 50)
        #expect(presence.closeDown(at: Moment(60)).compactMap(describe) == ["alive 60"])
        end(session, mayReturn: true, isDraining: true, at: 100)
        #expect(presence.closeDown(at: Moment(200)).compactMap(describe) == ["1 online 100", "alive 200"])
        // The grace begins with the next start.
        #expect(told(at: 1_000_000).isEmpty)
        #expect(cast[0].user.presence.announced.state == .online)
    }
}
