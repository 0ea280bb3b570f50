import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// A user's chosen status comes before the state of the devices, and an invisible user looks like an offline one.
@Suite struct StatusTests {
    /// Clients may be silent for long.
    let relay = RelayHarness(limits: .with { $0.pingMilliseconds = 1_000_000 })
    let watcher: HarnessClient
    let group: String
    let phone: HarnessClient

    /// The watcher shares a group with Bob and watches him. Bob is online.
    init() {
        watcher = relay.connect("watcher")
        group = watcher.makeGroup("bob")
        phone = relay.connect("bob")
        relay.pause()
        _ = watcher.request("watch", ["users": ["bob"]])
        relay.pause()
        watcher.forget()
    }

    /// Each state that the watcher was shown, with the text.
    private var shown: [String] { watcher.frames("presence").flatMap { $0.list("users") }.map(describe) }

    private func describe(_ user: JSONValue) -> String {
        [user.text("state"), user.text("text")].compactMap { $0 }.joined(separator: ": ")
    }

    private func found(by watcher: HarnessClient) -> (shown: String, lastSeen: Int64?) {
        let bob = watcher.request("watch", ["users": ["bob"]])?.list("users").first
        return (bob.map(describe) ?? "", bob?.number("lastSeen"))
    }

    private func want(_ state: String? = nil, text: String? = nil) {
        let members = [("state", state), ("text", text)].compactMap { name, value in
            value.map { ",\"\(name)\":\"\($0)\"" }
        }
        phone.send(#"{"type":"status","id":1\#(members.joined())}"#)
        #expect(phone.frames("ok").last?.number("re") == 1 && phone.codes.isEmpty)
        relay.pause()
    }

    @Test func aChoiceComesBeforeWhatTheDevicesSay() {
        want("busy", text: "In a meeting")
        _ = phone.outcome("presence", ["state": "idle"])
        relay.advance(400_000)
        want("away")
        want("auto", text: "")
        #expect(shown == ["busy: In a meeting", "away: In a meeting", "away"])
        _ = phone.outcome("presence", ["state": "active"])
        relay.pause()
        #expect(shown.last == "online")
    }

    @Test func aChoiceCountsOnlyWhileADeviceDoes() {
        want("busy", text: "x")
        phone.drop()
        relay.advance(14_000)
        #expect(shown == ["busy: x"])
        relay.advance(2_000)
        #expect(shown == ["busy: x", "offline: x"])
        _ = relay.connect("bob", background: true)
        relay.pause()
        #expect(shown == ["busy: x", "offline: x"])
        _ = relay.connect("bob", "tablet")
        relay.pause()
        #expect(shown.last == "busy: x")
    }

    @Test func absentPartsOfAStatusStay() {
        want("busy")
        want(text: "x")
        want("away")
        #expect(shown == ["busy", "busy: x", "away: x"])
    }

    @Test func allOwnDevicesAreToldOfAChange() {
        let tablet = relay.connect("bob", "tablet")
        want("busy", text: "x")
        want("busy")
        for device in [phone, tablet] {
            #expect(device.frames("status").map { [$0.text("state"), $0.text("text")] } == [["busy", "x"]])
        }
        #expect(watcher.frames("status").isEmpty)
        #expect(relay.connect("bob", "laptop").frames("welcome").first?["status"]?.text("text") == "x")
    }

    @Test func aStatusOutlivesARestart() {
        want("busy", text: "x")
        relay.crash()
        let again = relay.connect("watcher")
        #expect(found(by: again).shown == "busy: x")
        relay.advance(16_000)
        #expect(found(by: again).shown == "offline: x")
        let phone = relay.connect("bob")
        #expect(phone.frames("welcome").first?["status"]?.text("state") == "busy")
    }

    @Test func anInvisibleUserLooksLikeOneWhoIsGone() {
        want(text: "x")
        relay.advance(7_000)
        let hidden = relay.now.wall.milliseconds
        want("invisible")
        #expect(shown == ["online: x", "offline: x"])
        // Whatever the user does then moves nothing.
        relay.advance(7_000)
        want(text: "y")
        _ = phone.outcome("presence", ["state": "background"])
        _ = phone.outcome("presence", ["state": "active"])
        relay.connect("bob").tell("bye")
        _ = relay.connect("bob", "tablet")
        relay.advance(60_000)
        #expect(shown == ["online: x", "offline: x"])
        #expect(found(by: watcher) == ("offline: x", hidden))
        relay.crash()
        _ = relay.connect("bob")
        relay.advance(60_000)
        #expect(found(by: relay.connect("watcher")) == ("offline: x", hidden))
    }

    /// The relay dies after the status is stored and before the tick that sends it.
    @Test func aUserWhoJustBecameInvisibleIsNotShownAfterACrash() {
        _ = phone.outcome("status", ["state": "invisible"])
        relay.crash()
        #expect(found(by: relay.connect("watcher")).shown == "offline")
        #expect(relay.relay.counters.usersOnline == 1)
    }

    @Test func becomingVisibleShowsTheNewText() {
        want("invisible", text: "x")
        #expect(shown == ["offline"])
        relay.advance(1_000)
        want("auto")
        #expect(shown == ["offline", "online: x"])
        let left = relay.now.wall.milliseconds
        phone.tell("bye")
        relay.pause()
        #expect(found(by: watcher) == ("offline: x", left))
    }

    @Test func typingOfAnInvisibleUserIsNotSent() {
        want("invisible")
        phone.tell("typing", ["to": "\(group)"])
        relay.pause()
        #expect(watcher.frames("typing").isEmpty)
        want("auto")
        phone.tell("typing", ["to": "\(group)"])
        relay.pause()
        #expect(watcher.frames("typing").count == 1)
    }

    @Test func anIdleDeviceTurnsItsUserAwayAfterAWhile() {
        _ = phone.outcome("presence", ["state": "idle"])
        relay.advance(200_000)
        // Saying it again changes nothing.
        _ = phone.outcome("presence", ["state": "idle"])
        relay.advance(99_900)
        #expect(shown.isEmpty)
        relay.advance(1_000)
        #expect(shown == ["away"])
    }

    @Test func aReturnToTheScreenStartsTheTimeAnew() {
        _ = phone.outcome("presence", ["state": "idle"])
        relay.advance(299_000)
        _ = phone.outcome("presence", ["state": "active"])
        _ = phone.outcome("presence", ["state": "idle"])
        relay.advance(299_000)
        #expect(shown.isEmpty)
        relay.advance(2_000)
        #expect(shown == ["away"])
    }

    /// The device was idle all the time, whatever became of its connection.
    @Test(arguments: [false, true])
    func aDropOfAnIdleDeviceDoesNotStartTheTimeAnew(comesBack: Bool) {
        _ = phone.outcome("presence", ["state": "idle"])
        relay.advance(290_000)
        phone.drop()
        if comesBack {
            relay.advance(5_000)
            _ = relay.connect("bob").outcome("presence", ["state": "idle"])
        }
        relay.advance(14_000)
        #expect(shown == ["away"])
    }
}
