import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `conversation.expiry`: messages that disappear on time, everywhere, and for everybody.
@Suite struct DisappearingTests {
    static let day: Int64 = 86_400_000

    private func hide(_ client: HarnessClient, _ conversation: String, after time: Int64 = day) -> String {
        client.outcome(
            "conversation.expiry", ["conversation": "\(conversation)", "after": .init(integerLiteral: time)])
    }

    private func shown(_ client: HarnessClient, _ conversation: String) -> [String?] {
        client.request("history", ["conversation": "\(conversation)"])?.list("messages").map { $0.text("body") } ?? []
    }

    private func unread(_ client: HarnessClient, _ conversation: String) -> [Int64] {
        let object = client.request("conversation.get", ["conversation": "\(conversation)"])?["conversation"]
        return [object?.number("unread") ?? -1, object?.number("mentions") ?? 0, object?.number("expiry") ?? 0]
    }

    @Test("messages sent from then on have a time, disappear on it within a minute, and aren't unread any more")
    func onTime() {
        let (relay, first, second, group) = RelayHarness.withAliceAndBob()
        var (alice, bob) = (first, second)
        alice.post("stays", to: group)
        #expect(hide(alice, group) == "ok")
        #expect(bob.frames("conversation").last?.text("event") == "expiry")
        #expect(bob.frames("conversation").last?.number("after") == Self.day)
        let sent = alice.request("send", ["to": "\(group)", "key": "k", "body": "goes", "mentions": ["bob"]])
        let expires = (sent?.number("time") ?? 0) + Self.day
        #expect(bob.frames("message").last?.number("expires") == expires)
        #expect(unread(bob, group) == [2, 1, Self.day])
        relay.advance(Self.day - 1_000)
        // A connection doesn't last for a day.
        (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(shown(bob, group) == ["stays", "goes"])
        relay.advance(1_000)
        // After its time no user gets it.
        #expect(shown(bob, group) == ["stays", nil])
        relay.advance(59_000)
        (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(relay.relay.counters.disappeared == 1)
        #expect(unread(bob, group) == [1, 0, Self.day])
        let tombstone = bob.request("history", ["conversation": "\(group)"])?.list("messages").last
        #expect(tombstone?.number("deletedAt") == expires && tombstone?["mentions"] == nil)
        #expect(hide(alice, group, after: 0) == "ok")
        _ = alice.request("send", ["to": "\(group)", "key": "k2", "body": "stays, too"])
        #expect(bob.frames("message").last?["expires"] == nil)
        #expect(unread(bob, group) == [2, 0, 0])
    }

    @Test("ok says when the message disappears, also of a duplicate whose conversation has another time by then")
    func answered() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        _ = hide(alice, group)
        let first = alice.post("goes", to: group)
        let expires = bob.frames("message").last?.number("expires")
        #expect(expires != nil && first?.number("expires") == expires)
        for time in [Self.day * 7, 0] {
            _ = hide(alice, group, after: time)
            let again = alice.post("goes", to: group)
            #expect(again?.flag("duplicate") == true && again?.number("expires") == expires)
        }
        #expect(alice.post("stays", to: group)?["expires"] == nil)
        _ = hide(alice, group)
        #expect(alice.post("stays", to: group)?["expires"] == nil)
        relay.crash()
        #expect(relay.connect("alice").post("goes", to: group)?.number("expires") == expires)
        relay.advance(Self.day)
        let gone = relay.connect("alice").post("goes", to: group)
        #expect(gone?.number("expires") == expires && gone?.number("deletedAt") == expires)
    }

    @Test("whoever comes back gets no body of it, from memory or from the log", arguments: [true, false])
    func caughtUp(fromWindow: Bool) {
        let limits = Limits.with { if !fromWindow { $0.windowBytes = 0 } }
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob(limits: limits)
        _ = hide(alice, group)
        bob.ackAll()
        bob.drop()
        alice.post("secret", to: group)
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 1, "body": "secret2"])
        relay.advance(Self.day + 60_000)
        let back = relay.connect("bob")
        #expect(back.frames("message").count == 1 && back.frames("edit").isEmpty)
        #expect(back.frames("message").last?["body"] == nil)
    }

    @Test("it goes when its time comes, also if others have gone a moment before")
    func toTheMoment() {
        let limits = Limits.with { $0.expiryMinMilliseconds = 1_000 }
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob(limits: limits)
        _ = hide(alice, group, after: 2_000)
        bob.ackAll()
        bob.drop()
        alice.post("first", to: group)
        _ = alice.request("conversation.pin", ["conversation": "\(group)", "sequence": 1])
        relay.advance(500)
        alice.post("second", to: group)
        relay.advance(1_510)
        #expect(relay.relay.counters.disappeared == 1)
        #expect(alice.request("conversation.get", ["conversation": "\(group)"])?["conversation"]?["pins"] == nil)
        let back = relay.connect("bob")
        #expect(back.frames("message").map { $0.text("body") } == [nil, "second"])
        #expect(unread(back, group) == [1, 0, 2_000])
        relay.advance(limits.disappearPauseMilliseconds + 500)
        #expect(relay.relay.counters.disappeared == 2)
        #expect(unread(back, group) == [0, 0, 2_000])
    }

    @Test("what should have disappeared while the relay was down is shown to nobody, and goes at the start")
    func restart() {
        let (relay, alice, _, group) = RelayHarness.withAliceAndBob()
        _ = hide(alice, group)
        alice.post("goes", to: group)
        relay.advance(1_000)
        relay.sleep(2 * Self.day)
        let bob = relay.connect("bob")
        #expect(bob.frames("message").allSatisfy { $0["body"] == nil })
        #expect(shown(bob, group) == [nil])
        relay.advance(10)
        #expect(relay.relay.counters.disappeared == 1)
        #expect(unread(bob, group) == [0, 0, Self.day])
        relay.crash()
        #expect(unread(relay.connect("bob"), group) == [0, 0, Self.day])
    }

    /// It was erased then, and the answer of the store, which didn't know of the next one, took its time away.
    @Test("what is stored behind the erasing of others, in one batch, has its time, too")
    func sameBatch() {
        let (relay, alice, _, group) = RelayHarness.withAliceAndBob()
        _ = hide(alice, group)
        alice.post("one", to: group)
        relay.advance(Self.day - 1_000)
        let late = relay.connect("alice")
        relay.relay.tick(at: later(relay, by: 20_000))
        late.start("send", ["to": "\(group)", "key": "k", "body": "two"])
        relay.settle()
        #expect(relay.relay.counters.disappeared == 1)
        relay.advance(Self.day + 60_000)
        #expect(relay.relay.counters.disappeared == 2)
        #expect(unread(relay.connect("bob"), group) == [0, 0, Self.day])
    }

    private func later(_ relay: RelayHarness, by milliseconds: Int64, wall: Int64? = nil) -> Moment {
        Moment(
            monotonic: relay.now.monotonic + milliseconds,
            wall: Timestamp(milliseconds: relay.now.wall.milliseconds + (wall ?? milliseconds)))
    }

    @Test("if the clock is set, messages disappear by what it shows then")
    func setClock() {
        let (relay, alice, _, group) = RelayHarness.withAliceAndBob()
        _ = hide(alice, group)
        alice.post("goes", to: group)
        relay.advance(1_000)
        relay.relay.tick(at: later(relay, by: 20_000, wall: Self.day - 1_001))
        relay.settle()
        #expect(relay.relay.counters.disappeared == 0)
        relay.relay.tick(at: later(relay, by: 40_000, wall: Self.day))
        relay.settle()
        #expect(relay.relay.counters.disappeared == 1)
    }

    @Test("the time is that of the message, however long the store took for it")
    func slowStore() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        _ = hide(alice, group)
        relay.holdsCommits = true
        alice.start("send", ["to": "\(group)", "key": "k", "body": "goes"])
        relay.advance(1_500)
        relay.holdsCommits = false
        relay.settle()
        let told = bob.frames("message").last
        #expect(told?.number("expires") == told?.number("time").map { $0 + Self.day })
        let shown = bob.request("history", ["conversation": "\(group)"])?.list("messages").last
        #expect(shown?.number("expires") == told?.number("expires"))
    }

    @Test("a page that was read before, and waits for a device, has no body of it either")
    func waitingPage() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob(limits: .with { $0.windowBytes = 0 })
        _ = hide(alice, group)
        bob.ackAll()
        bob.drop()
        alice.post("secret", to: group)
        relay.advance(Self.day - 1_000)
        relay.holdsReads = true
        let back = relay.connect("bob")
        let before = relay.log.copy()
        relay.advance(20_000)
        #expect(relay.relay.counters.disappeared == 1)
        for read in relay.heldReads { relay.relay.answered(before.answer(read), at: relay.now) }
        relay.settle()
        #expect(back.frames("message").count == 1)
        #expect(back.frames("message").last?["body"] == nil)
        #expect(back.frames("message").last?["deletedAt"] != nil)
    }

    @Test("nothing may be done to a message whose time has come; a retry gets its first answer")
    func late() {
        let (relay, first, second, group) = RelayHarness.withAliceAndBob()
        var (alice, bob) = (first, second)
        _ = hide(alice, group)
        alice.post("goes", to: group)
        relay.advance(Self.day)
        (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(bob.outcome("react", ["conversation": "\(group)", "sequence": 1, "reaction": "+"]) == "gone")
        #expect(alice.outcome("edit", ["conversation": "\(group)", "sequence": 1, "body": "x"]) == "gone")
        #expect(alice.post("goes", to: group)?.flag("duplicate") == true)
    }

    @Test("in groups admins decide, in direct conversations both; the time has bounds")
    func allowed() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        #expect(hide(bob, group) == "forbidden")
        #expect(hide(alice, group, after: 1_000) == "bad_request")
        #expect(hide(alice, group, after: 90 * Self.day) == "ok")
        #expect(hide(alice, group, after: 90 * Self.day + 1) == "bad_request")
        _ = alice.makeDirect("bob")
        #expect(hide(bob, "@alice") == "ok")
        #expect(alice.frames("conversation").last?.text("event") == "expiry")
        #expect(relay.relay.counters.disappeared == 0)
    }

    @Test("ranges join, count and forget the oldest")
    func ranges() {
        var ranges = SequenceRanges()
        for number: Int64 in [5, 3, 4, 9, 1, 8] { ranges.insert(SequenceNumber(number)) }
        #expect(ranges.text == "1,3-5,8-9")
        #expect(SequenceRanges(text: ranges.text) == ranges)
        for text in ["0", "3-1", "1,1", "a", "5,2", "1-2-3"] { #expect(SequenceRanges(text: text) == nil) }
        let counts = [0, 1, 3, 5, 8, 9].map { ranges.count(above: SequenceNumber($0)) }
        #expect(counts == [6, 5, 4, 2, 1, 0])
        ranges.insert(SequenceNumber(2))
        #expect(ranges.text == "1-5,8-9" && !ranges.contains(SequenceNumber(6)))
        for number in 10...60 { ranges.insert(SequenceNumber(Int64(number) * 2)) }
        #expect(ranges.ranges.count == SequenceRanges.most)
    }
}
