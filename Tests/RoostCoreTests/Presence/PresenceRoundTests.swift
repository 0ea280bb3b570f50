import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Many users who come at once, and many watchers of one: a turn does a part of it, and in the end all have the right
/// state.
@Suite struct PresenceRoundTests {
    private static let steps = 4
    private let relay = RelayHarness(
        limits: .with {
            $0.stepsPerTurn = PresenceRoundTests.steps
            $0.awayMilliseconds = 0
        })
    private let names = (0..<9).map { "u\($0)" }
    private let watcher: HarnessClient

    init() {
        watcher = relay.connect("watcher")
        _ = watcher.makeGroup(names)
    }

    /// The tick comes; turns follow only when the test makes them.
    private func tick() -> Moment {
        let later = Moment(monotonic: relay.now.monotonic + 50, wall: relay.now.wall)
        relay.relay.tick(at: later)
        return later
    }

    @Test func aCrowdIsToldInPartsAndEachOnce() {
        _ = watcher.request("watch", ["users": .list(names)])
        watcher.forget()
        for name in names { _ = relay.connect(name) }
        let later = tick()
        var turns = 0
        while !relay.relay.chores.isEmpty, turns < 100 {
            let before = relay.relay.counters.steps
            relay.relay.doWork(at: later)
            // The last one may take a step more than there is.
            #expect(relay.relay.counters.steps - before <= Self.steps + 1)
            turns += 1
        }
        // Two steps for each user who came, one for each watcher: 27, by turns 5 and 4.
        #expect(turns == 6)
        relay.settle()
        for name in names { #expect(watcher.states(of: name) == ["online"]) }
        #expect(relay.relay.counters.usersOnline == names.count + 1)
    }

    /// Some have been announced and some not when they change again, or leave.
    @Test func changesMeanwhileAreSentInTheEnd() {
        _ = watcher.request("watch", ["users": .list(names)])
        watcher.forget()
        let clients = names.map { relay.connect($0) }
        let later = tick()
        relay.relay.doWork(at: later)
        #expect(!relay.relay.chores.isEmpty)
        clients[0].say(#"{"type":"presence","id":1,"state":"idle"}"#)
        clients[8].say(#"{"type":"bye","id":1}"#)
        relay.pause()
        #expect(watcher.states(of: "u0") == ["online", "away"])
        #expect(watcher.states(of: "u4") == ["online"])
        #expect(watcher.states(of: "u8").last != "online")
    }

    /// Bob has many watchers, and some end their watch when he has come but they haven't got it yet.
    @Test func watchersWhoLeaveMeanwhileGetNothing() {
        let others = names.map { relay.connect($0) }
        _ = watcher.makeGroup(names + ["bob"])
        for other in others {
            #expect(other.outcome("watch", ["users": ["bob"]]) == "ok")
            other.forget()
        }
        relay.pause()
        _ = relay.connect("bob")
        let later = tick()
        relay.relay.doWork(at: later)
        #expect(!relay.relay.chores.isEmpty)
        for other in others { other.say(#"{"type":"unwatch","id":2,"users":["bob"]}"#) }
        relay.settle()
        let told = others.filter { $0.states(of: "bob") == ["online"] }.count
        #expect(told == Self.steps)
        #expect(others.allSatisfy { $0.states(of: "bob").count <= 1 })
    }
}
