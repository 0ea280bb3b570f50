import RoostWire
import Testing

@testable import RoostCore

/// `Presence` alone: the state that follows from a user's devices, who is told, and what is stored.
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
        presence = Presence(.init(limits), counters, at: 0)
        phone = cast.device(of: 0)
        session = cast.session(on: phone, numbered: 1)
        watcher = cast.session(on: cast.device(of: 1), numbered: 2)
        _ = presence.watch([.init(user: cast[0].user, shared: cast.group)], by: watcher)
    }

    private func emptyDirectory() -> Directory {
        Directory(
            Snapshot(), .init(Limits()), journal: Journal(.init(Limits()), head: .start), counters: counters,
            random: RandomSource(SystemRandomNumberGenerator()), at: Moment(0), cast.settled())
    }

    /// What follows from a tick at this moment.
    private func news(at now: Int64, isDraining: Bool) -> Presence.News {
        _ = presence.tick(at: Moment(now))
        var steps = 1_000
        return presence.announce(&steps, isDraining: isDraining, at: Moment(now))
    }

    /// What a tick at this moment tells the watcher.
    private func told(at now: Int64, isDraining: Bool = false) -> [PresenceState] {
        news(at: now, isDraining: isDraining).audience.filter { $0 === watcher }
            .flatMap { presence.takeBatch(of: $0) }.map(\.presence.announced)
    }

    private func stored(at now: Int64, isDraining: Bool = false) -> [String] {
        news(at: now, isDraining: isDraining).mutations.compactMap(describe)
    }

    private func describe(_ mutation: Mutation) -> String? {
        guard case .presence(let user, let isOnline, let lastSeen) = mutation else { return nil }
        return "\(user.value) \(isOnline ? "online" : "offline") \(lastSeen.milliseconds)"
    }

    private func end(_ session: Session, mayReturn: Bool, at now: Int64) {
        phone.user.remove(session, cast.settled())
        phone.disconnect(at: now)
        presence.forget(session)
        presence.go(session, of: phone, mayReturn: mayReturn, at: Moment(now))
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
        #expect(stored(at: 50) == ["1 online 50"])
        presence.set(.active, of: session, cast[0].user, at: Moment(100))
        #expect(stored(at: 150).isEmpty)
        end(session, mayReturn: false, at: 200)
        #expect(stored(at: 250) == ["1 offline 200"])
    }

    @Test func afterACrashUsersWereLastSeenWhenTheRelayWasLastAlive() {
        let ghost = User(UserNumber(9), name: "ghost", lastSeen: Timestamp(milliseconds: 5), isOnline: true, cast.roll)
        let mutations = presence.settle([ghost, cast[2].user], lastAlive: Timestamp(milliseconds: 70))
        #expect(mutations.compactMap(describe) == ["9 offline 70"])
        #expect(ghost.presence.lastSeen == Timestamp(milliseconds: 70))
    }

    @Test func departuresAreNotToldWhileDraining() {
        presence.come(session, of: phone, as: .active, at: Moment(0))
        _ = told(at: 50)
        let stored = presence.closeDown([cast[0].user], at: Moment(60))
        #expect(stored.compactMap(describe) == ["1 offline 60"])
        end(session, mayReturn: false, at: 100)
        #expect(told(at: 200, isDraining: true).isEmpty)
        #expect(cast[0].user.presence.announced == .offline)
    }
}
