import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Settings follow their user to every device, through the same positions, acks and catching up as messages.
@Suite struct SettingTests {
    let relay: RelayHarness
    let phone: HarnessClient

    init() {
        relay = RelayHarness()
        phone = relay.connect("alice")
    }

    @discardableResult
    private func set(_ key: String, _ value: Value? = nil, ifVersion: Int64? = nil, on device: HarnessClient? = nil)
        -> JSONValue?
    {
        let members = [("value", value), ("ifVersion", ifVersion.map { Value(integerLiteral: $0) })].compactMap {
            name, value in value.map { ",\"\(name)\":\($0.json)" }
        }
        return (device ?? phone).ask(#"{"type":"state.set","id":7,"key":"\#(key)"\#(members.joined())}"#)
    }

    /// Each setting that a device got, as `key=value`.
    private func told(_ device: HarnessClient) -> [String] { device.frames("state").map(describe) }

    private func describe(_ setting: JSONValue) -> String {
        guard let key = setting.text("key") else { return "reset" }
        return key + (setting["value"].map { "=" + String(decoding: $0.raw, as: UTF8.self) } ?? " removed")
    }

    private func all(_ device: HarnessClient) -> [String] {
        (device.request("state.get")?.list("states") ?? []).map(describe)
    }

    @Test func aSettingIsToldOnTheUsersOtherDevicesAndNowhereElse() throws {
        let tablet = relay.connect("alice", "tablet")
        let bob = relay.connect("bob")
        _ = phone.makeDirect("bob")
        let answer = try #require(set("pin/c-1", Value(json: #"{"at": 1}"#)))
        let event = try #require(tablet.frames("state").first)
        #expect(told(tablet) == [#"pin/c-1={"at": 1}"#])
        #expect(event.text("device") == "phone")
        #expect(event.number("version") == answer.number("version"))
        #expect(event.text("position") == answer.text("position"))
        #expect(event.number("time") == answer.number("time"))
        #expect(phone.frames("state").isEmpty)
        #expect(bob.frames("state").isEmpty)
        #expect(all(bob).isEmpty)
        #expect(all(tablet) == [#"pin/c-1={"at": 1}"#])
        set("pin/c-1")
        #expect(told(tablet).last == "pin/c-1 removed")
        #expect(all(tablet).isEmpty)
    }

    @Test func theHiddenConversationCannotBeNamedOrListed() {
        set("a", 1)
        let list = phone.request("conversation.list")?.list("conversations")
        #expect(list?.isEmpty == true)
        for name in ["", "-1", "@alice"] {
            #expect(phone.outcome("history", ["conversation": "\(name)"]) != "ok")
            #expect(phone.outcome("conversation.get", ["conversation": "\(name)"]) != "ok")
        }
        #expect(relay.relay.directory.user(called: "alice")?.memberships.isEmpty == true)
    }

    @Test func aStaleVersionIsAConflictUnlessTheValueIsThereAlready() {
        let tablet = relay.connect("alice", "tablet")
        let first = set("draft/c-1", "a")?.number("version")
        #expect(set("draft/c-1", "b", ifVersion: 0, on: tablet)?.outcome == "conflict")
        let second = set("draft/c-1", "b", ifVersion: first, on: tablet)?.number("version")
        #expect((second ?? 0) > (first ?? 0))
        #expect(set("draft/c-1", "c", ifVersion: first)?.outcome == "conflict")
        #expect(set("draft/c-1", ifVersion: first)?.outcome == "conflict")
        // A retry, from whatever device.
        let again = set("draft/c-1", "b", ifVersion: first)
        #expect(again?.flag("duplicate") == true)
        #expect(again?.number("version") == second)
        #expect(set("draft/c-1", ifVersion: second)?.outcome == "ok")
        #expect(set("draft/c-1", ifVersion: second)?.flag("duplicate") == true)
        #expect(set("draft/c-1", "d", ifVersion: second)?.outcome == "conflict")
        #expect(set("draft/c-1", "d", ifVersion: 0)?.outcome == "ok")
        #expect(told(tablet) == [#"draft/c-1="a""#, "draft/c-1 removed", #"draft/c-1="d""#])
        #expect(told(phone) == [#"draft/c-1="b""#])
    }

    /// From the window, and from the log.
    @Test(arguments: [0, 33_554_432])
    func aDeviceThatWasAwayGetsTheNewestOfEachKey(_ windowBytes: Int) {
        let relay = RelayHarness(
            limits: .with {
                $0.windowBytes = windowBytes
                $0.pageMessages = 3
            })
        let phone = relay.connect("alice")
        let tablet = relay.connect("alice", "tablet")
        let group = phone.makeGroup("bob")
        set("a", 1, on: phone)
        tablet.ackAll()
        relay.pause()
        tablet.drop()
        for number in Int64(2)...9 { set("a", Value(integerLiteral: number), on: phone) }
        phone.post("m1", to: group)
        for key in ["b", "c", "d", "e"] { set(key, 1, on: phone) }
        set("b", on: phone)
        phone.post("m2", to: group)
        set("f", 1, on: phone)
        let back = relay.connect("alice", "tablet")
        let newest = ["a=9", "c=1", "d=1", "e=1", "b removed", "f=1"]
        #expect(windowBytes > 0 || told(back) == newest)
        #expect(newestOfEach(told(back)) == newestOfEach(newest))
        #expect(back.bodies == ["m1", "m2"])
        #expect(back.frames("live").count == 1)
        let order = back.frames.filter { ["message", "state"].contains($0.text("type")) }
        #expect(order.compactMap { $0.text("body") ?? $0.text("key") }.last == "f")
        set("g", 1, on: phone)
        #expect(told(back).last == "g=1")
        back.ackAll()
        relay.pause()
        back.drop()
        #expect(told(relay.connect("alice", "tablet")).isEmpty)
    }

    /// The last of each key, whose names have one letter.
    private func newestOfEach(_ told: [String]) -> [Character: String] {
        Dictionary(told.compactMap { one in one.first.map { ($0, one) } }) { $1 }
    }

    @Test func settingsSurviveACrash() {
        set("a", 1)
        relay.holdsCommits = true
        phone.start("state.set", ["key": "b", "value": 2])
        relay.settle()
        relay.crash(isHeldBatchDurable: true)
        relay.holdsCommits = false
        let back = relay.connect("alice", "phone")
        #expect(told(back) == ["a=1", "b=2"])
        #expect(all(back) == ["a=1", "b=2"])
        set("c", 3, on: back)
        relay.crash()
        let again = relay.connect("alice", "tablet")
        #expect(all(again) == ["a=1", "b=2", "c=3"])
    }

    @Test func refusedSettingsChangeNothing() {
        let tablet = relay.connect("alice", "tablet")
        relay.fillDisk()
        #expect(set("a", 1)?.outcome == "unavailable")
        relay.makeRoom()
        relay.holdsCommits = true
        phone.start("state.set", ["key": "a", "value": 2])
        phone.start("state.set", ["key": "a", "value": 3], id: 2)
        relay.settle()
        relay.fillDisk()
        relay.holdsCommits = false
        relay.makeRoom()
        #expect(phone.codes == ["unavailable", "unavailable", "unavailable"])
        #expect(told(tablet).isEmpty)
        #expect(set("a", 4)?.outcome == "ok")
        #expect(told(tablet) == ["a=4"])
    }

    @Test func removalsThatWereForgottenAreTold() {
        // From the log, since the window still has all of them.
        let relay = RelayHarness(limits: .with { $0.windowBytes = 0 })
        relay.log.settingsPerUser = 4
        let phone = relay.connect("alice")
        let tablet = relay.connect("alice", "tablet")
        set("kept", 1, on: phone)
        tablet.ackAll()
        relay.pause()
        tablet.drop()
        for key in ["a", "b", "c", "d", "e"] {
            set(key, 1, on: phone)
            set(key, on: phone)
        }
        let back = relay.connect("alice", "tablet")
        #expect(told(back).contains("reset"))
        #expect(!told(back).contains("a removed"))
        #expect(told(back).last == "e removed")
        #expect(all(back) == ["kept=1"])
    }

    @Test func aUserHasAThousandKeys() {
        let most = Limits().statesPerUser
        for number in 0..<most { phone.start("state.set", ["key": "k\(number)", "value": 1], id: number) }
        relay.advance(10_000)
        #expect(phone.codes.isEmpty)
        #expect(set("more", 1)?.outcome == "too_large")
        #expect(set("k5", 2)?.outcome == "ok")
        #expect(set("k5")?.outcome == "ok")
        #expect(set("more", 1)?.outcome == "ok")
        #expect(phone.request("state.get")?.list("states").count == most)
        let page = phone.request("state.get", ["prefix": "k99", "limit": 4])
        #expect(page?.list("states").map(describe) == ["k99=1", "k990=1", "k991=1", "k992=1"])
        #expect(page?.text("next") == "k992")
        let rest = phone.request("state.get", ["prefix": "k99", "after": "k992"])
        #expect(rest?.list("states").count == 7)
        #expect(rest?["next"] == nil)
        let named = phone.request("state.get", ["keys": ["k7", "none", "k3"]])
        #expect(named?.list("states").map(describe) == ["k3=1", "k7=1"])
    }

    @Test func anAnswerIsNeverOlderThanWhatTheDeviceWasTold() {
        let tablet = relay.connect("alice", "tablet")
        set("a", 1)
        relay.holdsReads = true
        tablet.start("state.get")
        relay.settle()
        let old = relay.log.copy()
        set("a", 2)
        #expect(told(tablet) == ["a=1", "a=2"])
        for read in relay.heldReads { relay.relay.answered(old.answer(read), at: relay.now) }
        relay.holdsReads = false
        relay.settle()
        #expect(tablet.frames("ok").last?.list("states").map(describe) == ["a=2"])
    }

    /// Found by the simulation: what was read of an empty log is stale as well.
    @Test func anAnswerFromAnEmptyLogIsNeverOlderEither() {
        relay.holdsReads = true
        phone.start("state.get", id: 5)
        relay.settle()
        let old = relay.log.copy()
        #expect(old.head == .start)
        let tablet = relay.connect("alice", "tablet")
        set("a", 1, on: tablet)
        #expect(told(phone) == ["a=1"])
        for read in relay.heldReads { relay.relay.answered(old.answer(read), at: relay.now) }
        relay.holdsReads = false
        relay.settle()
        #expect(phone.frames("ok").last?.list("states").map(describe) == ["a=1"])
    }

    @Test func aServiceSetsAndReadsForAUser() {
        let tablet = relay.connect("alice", "tablet")
        let service = relay.open()
        service.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        let answer = service.request("state.set", ["as": "alice", "key": "ai/preferences", "value": "short"])
        #expect(answer?.outcome == "ok")
        #expect(told(tablet) == [#"ai/preferences="short""#])
        #expect(tablet.frames("state").first?.text("device") == "api")
        #expect(service.request("state.get", ["as": "alice"])?.list("states").count == 1)
        #expect(service.outcome("state.get", ["as": "nobody"]) == "not_found")
        #expect(service.outcome("state.set", ["as": "nobody", "key": "a", "value": 1]) == "not_found")
        #expect(service.outcome("state.get") == "forbidden")
    }
}
