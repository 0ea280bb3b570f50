import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Presence is true, and doesn't flap.
@Suite struct PresenceTests {
    /// Idle users are away at once.
    let relay = RelayHarness(limits: .with { $0.awayMilliseconds = 0 })
    let watcher: HarnessClient
    let group: String

    /// The watcher shares a group with Bob and Carol and watches both; no other user is online.
    init() {
        watcher = relay.connect("watcher")
        group = watcher.makeGroup("bob", "carol")
        _ = watcher.request("watch", ["users": ["bob", "carol"]])
        relay.pause()
        watcher.forget()
    }

    private var bob: [String] { watcher.states(of: "bob") }

    private func connect(_ device: String = "phone", background: Bool = false) -> HarnessClient {
        let client = relay.connect("bob", device, background: background)
        relay.pause()
        return client
    }

    private func set(_ client: HarnessClient, _ state: String) {
        client.tell("ack", ["position": "memory-0"])
        #expect(client.outcome("presence", ["state": "\(state)"]) == "ok")
        relay.pause()
    }

    private var lastSeen: Int64? {
        watcher.request("watch", ["users": ["bob"]])?.list("users").first?.number("lastSeen")
    }

    @Test func aConnectedUserIsOnline() {
        _ = connect()
        #expect(bob == ["online"])
    }

    @Test func byeMakesTheUserOfflineAtOnce() {
        let phone = connect()
        let time = relay.now.wall.milliseconds
        phone.tell("bye")
        relay.advance(50)
        #expect(bob == ["online", "offline"])
        let last = watcher.frames("presence").last?.list("users").first
        #expect(last?.number("lastSeen") == time)
    }

    /// Two users who have just come get each other's present state, at once and only once.
    @Test func aNewcomerIsNotShownAsOffline() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let carol = relay.connect("carol")
        alice.post("hi", to: "@carol")
        #expect(alice.states(of: "carol") == ["online"])
        #expect(carol.states(of: "alice") == ["online"])
        _ = carol.makeGroup("dave")
        _ = relay.connect("dave")
        _ = carol.request("watch", ["users": ["dave"]])
        relay.advance(100)
        #expect(alice.states(of: "carol") == ["online"])
        #expect(carol.states(of: "alice") == ["online"])
        #expect(carol.states(of: "dave") == ["online"])
    }

    /// A user who comes and goes within a tick was shown to one watcher, who gets the end; the others get the new time.
    @Test func aStateThatWasShownEarlyIsCorrected() {
        let carol = relay.connect("carol")
        relay.pause()
        let phone = relay.connect("bob")
        _ = carol.request("watch", ["users": ["bob"]])
        #expect(carol.states(of: "bob") == ["online"])
        phone.tell("bye")
        relay.advance(100)
        #expect(carol.states(of: "bob") == ["online", "offline"])
        #expect(carol.frames("presence").last?.list("users").first?.number("lastSeen") != nil)
        #expect(bob == ["offline"] && lastSeen != nil)
    }

    @Test func aDroppedUserIsOfflineWhenTheGraceEnds() {
        let phone = connect()
        let time = relay.now.wall.milliseconds
        phone.drop()
        relay.advance(14_999)
        #expect(bob == ["online"])
        relay.advance(1_000)
        #expect(bob == ["online", "offline"])
        #expect(lastSeen == time)
    }

    @Test func aReturnWithinTheGraceIsNotShown() {
        connect().drop()
        relay.advance(14_000)
        _ = connect()
        relay.advance(20_000)
        #expect(bob == ["online"])
    }

    @Test func everyDropHasTheWholeGrace() {
        connect().drop()
        relay.advance(10_000)
        connect().drop()
        relay.advance(14_000)
        #expect(bob == ["online"])
        relay.advance(2_000)
        #expect(bob == ["online", "offline"])
    }

    @Test func aTakeoverIsNotSeen() {
        _ = connect()
        _ = connect()
        relay.advance(20_000)
        #expect(bob == ["online"])
    }

    @Test func aBackgroundFetchMakesNobodyOnline() {
        let fetch = connect(background: true)
        fetch.drop()
        relay.advance(20_000)
        #expect(bob.isEmpty)
        #expect(lastSeen == nil)
    }

    @Test func theMostPresentDeviceWins() {
        let phone = connect("phone")
        let tablet = connect("tablet")
        set(phone, "idle")
        #expect(bob == ["online"])
        set(tablet, "idle")
        #expect(bob == ["online", "away"])
        set(phone, "active")
        #expect(bob == ["online", "away", "online"])
        phone.tell("bye")
        relay.pause()
        #expect(bob == ["online", "away", "online", "away"])
        tablet.tell("bye")
        relay.pause()
        #expect(bob == ["online", "away", "online", "away", "offline"])
    }

    @Test func anIdleDeviceThatDropsIsAwayForTheGrace() {
        let phone = connect()
        set(phone, "idle")
        phone.drop()
        relay.advance(10_000)
        #expect(bob == ["online", "away"])
        relay.advance(6_000)
        #expect(bob == ["online", "away", "offline"])
    }

    @Test func goingToTheBackgroundIsLeaving() {
        let phone = connect()
        let time = relay.now.wall.milliseconds
        set(phone, "background")
        #expect(bob == ["online", "offline"])
        #expect(lastSeen == time)
    }

    @Test func changesWithinATickMakeOneEventOrNone() {
        let phone = connect()
        for state in ["idle", "active", "idle", "active"] {
            phone.tell("presence", ["id": 1, "state": "\(state)"])
        }
        relay.pause()
        #expect(bob == ["online"])
    }

    @Test func changesOfATickComeInOneEvent() {
        _ = relay.connect("bob")
        _ = relay.connect("carol")
        relay.pause()
        #expect(watcher.frames("presence").count == 1)
        #expect(watcher.states(of: "carol") == ["online"])
    }

    // MARK: The process ends

    private func found(by watcher: HarnessClient) -> (state: String?, lastSeen: Int64?) {
        let bob = watcher.request("watch", ["users": ["bob"]])?.list("users").first
        return (bob?.text("state"), bob?.number("lastSeen"))
    }

    @Test func aUserWhoReturnsAfterACrashWasNeverGone() {
        _ = connect()
        relay.advance(12_000)
        relay.crash()
        let again = relay.connect("watcher")
        #expect(found(by: again).state == "online")
        relay.advance(14_000)
        _ = connect()
        relay.advance(60_000)
        #expect(again.states(of: "bob") == ["online"])
    }

    @Test func afterACrashNobodyIsAGhostForLong() {
        let phone = connect()
        relay.advance(12_000)
        let crashed = relay.now.wall.milliseconds
        relay.crash()
        #expect(!phone.isOpen)
        let again = relay.connect("watcher")
        #expect(found(by: again).state == "online")
        relay.advance(14_900)
        #expect(again.frames("presence").isEmpty)
        relay.advance(1_000)
        #expect(again.states(of: "bob").last == "offline")
        // The relay notes every five seconds that it is alive.
        let seen = found(by: again).lastSeen ?? 0
        #expect(seen <= crashed && seen > crashed - 5_300)
    }

    /// A crash within the grace of the last start: what the first start found still holds.
    @Test func aGhostOutlivesAnotherCrash() {
        _ = connect()
        relay.advance(12_000)
        let crashed = relay.now.wall.milliseconds
        relay.crash()
        relay.advance(12_000)
        relay.crash()
        let again = relay.connect("watcher")
        #expect(found(by: again).state == "online")
        relay.advance(16_000)
        #expect(found(by: again).state == "offline")
        #expect(found(by: again).lastSeen ?? .max <= crashed)
    }

    @Test func aUserWhoHadDroppedBeforeTheCrashWasSeenAtTheDrop() {
        connect().drop()
        let dropped = relay.now.wall.milliseconds
        relay.advance(12_000)
        relay.crash()
        relay.advance(16_000)
        #expect(found(by: relay.connect("watcher")).lastSeen == dropped)
    }

    @Test func aRelayThatWasDownForLongFindsNobodyOnline() {
        _ = connect()
        relay.sleep(Limits().downMilliseconds + 6_000)
        #expect(found(by: relay.connect("watcher")).state == "offline")
    }

    @Test func aUserWhoCameJustBeforeTheCrashWasSeenThen() {
        relay.advance(1_000)
        let came = relay.now.wall.milliseconds
        _ = connect()
        relay.crash()
        relay.advance(16_000)
        #expect(found(by: relay.connect("watcher")).lastSeen ?? 0 >= came)
    }

    @Test func lastSeenOutlivesARestart() {
        let phone = connect()
        let time = relay.now.wall.milliseconds
        phone.tell("bye")
        relay.pause()
        relay.sleep(60_000)
        let seen = relay.connect("watcher").request("watch", ["users": ["bob"]])?.list("users").first?.number(
            "lastSeen")
        #expect(seen == time)
    }

    private func drain() {
        relay.relay.beginDrain(spreadMilliseconds: 1, at: relay.now)
        relay.settle()
        relay.relay.closeAll(at: relay.now)
        relay.settle()
    }

    @Test func aDrainTellsNobodyThatOthersLeave() {
        let phone = connect()
        relay.relay.beginDrain(spreadMilliseconds: 1, at: relay.now)
        phone.drop()
        relay.advance(20_000)
        #expect(bob == ["online"])
    }

    @Test func aRestartIsNotSeen() {
        let phone = connect()
        set(phone, "idle")
        drain()
        relay.sleep(60_000)
        let again = relay.connect("watcher")
        #expect(found(by: again).state == "away")
        relay.advance(16_000)
        #expect(again.states(of: "bob") == ["away", "offline"])
    }

    @Test func aStopStoresWhenEverybodyWasThere() {
        _ = connect()
        relay.advance(3_000)
        let time = relay.now.wall.milliseconds
        drain()
        relay.sleep(60_000)
        relay.advance(16_000)
        #expect(found(by: relay.connect("watcher")).lastSeen == time)
    }

    @Test func aGoodbyeDuringADrainCounts() {
        let phone = connect()
        relay.relay.beginDrain(spreadMilliseconds: 1, at: relay.now)
        phone.tell("bye")
        relay.pause()
        relay.crash()
        #expect(found(by: relay.connect("watcher")).state == "offline")
    }
}
