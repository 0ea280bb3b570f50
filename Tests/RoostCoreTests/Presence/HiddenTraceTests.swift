import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Hidden actions leave no trace: no event without news, no earlier tick, no delivery.
@Suite struct HiddenTraceTests {
    let relay: RelayHarness
    let watcher: HarnessClient
    let bob: HarnessClient
    let group: String

    init() { self.init(small: 256) }

    /// The watcher, Bob and Carol share a group and are online.
    /// - Parameter small: members of the largest group whose count is sent as fast as the presence of its members.
    private init(small: Int) {
        relay = RelayHarness(
            limits: .with {
                $0.pingMilliseconds = 100_000_000
                $0.countMembersSmall = small
            })
        watcher = relay.connect("watcher")
        group = watcher.makeGroup("bob", "carol")
        bob = relay.connect("bob")
        _ = relay.connect("carol")
        relay.pause()
        _ = watcher.request("watch", ["users": ["bob", "carol"], "conversations": .list([group])])
        relay.pause()
        watcher.forget()
        bob.forget()
    }

    enum Curtain: CaseIterable {
        case blocked, blockedByWatcher, never, neverByWatcher, nobody, watcherHides, invisible
    }

    private func draw(_ curtain: Curtain) {
        let all: Members = ["presence": "nobody", "lastSeen": "nobody", "read": "nobody"]
        let outcome =
            switch curtain {
            case .blocked: bob.outcome("contact.block", ["users": ["watcher"]])
            case .blockedByWatcher: watcher.outcome("contact.block", ["users": ["bob"]])
            case .never: bob.outcome("except", ["users": ["watcher"], "as": "never"])
            case .neverByWatcher: watcher.outcome("except", ["users": ["bob"], "as": "never"])
            case .nobody: bob.outcome("privacy", all)
            case .watcherHides: watcher.outcome("privacy", all)
            case .invisible: bob.outcome("status", ["state": "invisible"])
            }
        #expect(outcome == "ok")
        relay.advance(2_000)
        watcher.forget()
        bob.forget()
    }

    // MARK: Counts

    @Test(arguments: Curtain.allCases, [2, 256])
    func countsAreNotSentAgainWhenAHiddenUserComesAndGoes(curtain: Curtain, small: Int) {
        let other = HiddenTraceTests(small: small)
        other.comeAndGo(behind: curtain)
    }

    private func comeAndGo(behind curtain: Curtain) {
        draw(curtain)
        bob.tell("bye")
        relay.advance(2_000)
        _ = relay.connect("bob").outcome("status", ["text": "x"])
        relay.advance(2_000)
        #expect(watcher.frames.isEmpty, "\(curtain)")
        // The others are counted as before, unless the watcher hides from all.
        let carol = relay.connect("carol", "tablet")
        _ = carol.outcome("status", ["state": "invisible"])
        relay.advance(2_000)
        let counts = watcher.frames("presence").flatMap { $0.list("conversations") }.map { $0.number("online") }
        #expect(counts == (curtain == .watcherHides ? [] : [1]), "\(curtain)")
    }

    // MARK: Presence

    @Test func aChangeOfPrivacyThatDoesNotConcernAWatcherSendsNothing() {
        for members: Members in [
            ["read": "nobody"], ["lastSeen": "coarse"], ["presence": "everyone"],
            ["read": "shared", "lastSeen": "exact"],
        ] {
            #expect(bob.outcome("privacy", members) == "ok")
            relay.advance(1_000)
        }
        for kind: Value in ["always", "none"] {
            #expect(bob.outcome("except", ["users": ["watcher", "carol"], "as": kind]) == "ok")
            relay.advance(1_000)
        }
        #expect(watcher.frames.isEmpty)
        #expect(bob.outcome("privacy", ["presence": "nobody"]) == "ok")
        relay.advance(1_000)
        #expect(watcher.states(of: "bob") == ["offline"])
        #expect(bob.outcome("privacy", ["lastSeen": "nobody"]) == "ok")
        relay.advance(1_000)
        #expect(watcher.states(of: "bob") == ["offline", "offline"])
        watcher.forget()
        #expect(bob.outcome("privacy", ["read": "nobody"]) == "ok")
        relay.advance(1_000)
        #expect(watcher.frames.isEmpty)
    }

    /// A tick between the two leaves out a watcher whose own privacy has changed, and the next one makes up for it.
    @Test func aWatcherWhosePrivacyHasJustChangedIsStillSentTheState() {
        for wait in 0..<60 {
            let isAway = wait.isMultiple(of: 2)
            #expect(bob.outcome("status", ["state": isAway ? "away" : "auto"]) == "ok")
            relay.advance(Int64(wait))
            #expect(watcher.outcome("privacy", ["lastSeen": isAway ? "coarse" : "exact"]) == "ok")
            relay.advance(1_000)
            #expect(watcher.states(of: "bob") == [isAway ? "away" : "online"], "\(wait) ms later")
            watcher.forget()
        }
    }

    /// A visit shorter than a tick, or a moment of visibility, changes nothing but the time.
    @Test func watchersHaveTheLastSeenTimeThatAWatchShows() {
        #expect(bob.outcome("status", ["state": "invisible"]) == "ok")
        relay.advance(60_000)
        _ = bob.outcome("status", ["state": "auto"])
        _ = bob.outcome("status", ["state": "invisible"])
        relay.advance(1_000)
        let told = watcher.frames("presence").flatMap { $0.list("users") }.last?.number("lastSeen")
        let found = watcher.request("watch", ["users": ["bob"]])?.list("users").first?.number("lastSeen")
        #expect(told != nil && told == found)
    }

    /// Two changes are sent at the ticks that each has alone.
    @Test(arguments: stride(from: Int64(0), to: 150, by: 7).map { $0 })
    func ticksDoNotDependOnHiddenChanges(delay: Int64) {
        func heard(isHiddenBusy: Bool) -> [String] {
            let other = HiddenTraceTests(small: 256)
            other.draw(.never)
            other.watcher.keepsTranscript = true
            if isHiddenBusy { other.bob.tell("presence", ["state": "background"]) }
            other.relay.advance(delay)
            _ = other.relay.connect("carol", "tablet").outcome("status", ["state": "busy"])
            other.relay.advance(delay)
            if isHiddenBusy { other.bob.tell("presence", ["state": "active"]) }
            other.relay.advance(2_000)
            return other.watcher.transcript
        }
        let quiet = heard(isHiddenBusy: false)
        #expect(!quiet.isEmpty)
        #expect(heard(isHiddenBusy: true) == quiet)
    }

    // MARK: Typing

    @Test func aViewerWhoChangesItsPrivacyIsNotToldThatAHiddenUserStoppedTyping() {
        draw(.never)
        bob.tell("typing", ["to": "\(group)"])
        relay.advance(100)
        _ = watcher.outcome("except", ["users": ["carol"], "as": "always"])
        _ = watcher.outcome("privacy", ["presence": "nobody"])
        relay.advance(100)
        bob.tell("typing", ["to": "\(group)", "active": false])
        relay.advance(1_000)
        #expect(watcher.frames("typing").isEmpty)
    }

    @Test func othersSeeNoEndOfTypingWhenSomebodyHides() {
        let carol = relay.connect("carol", "tablet")
        watcher.tell("typing", ["to": "\(group)"])
        relay.advance(100)
        #expect(bob.outcome("contact.block", ["users": ["watcher"]]) == "ok")
        relay.advance(100)
        #expect(bob.frames("typing").map { $0["active"]?.bool } == [true, false])
        #expect(carol.frames("typing").map { $0["active"]?.bool } == [true])
    }

    // MARK: Deliveries

    private func receipts(_ client: HarnessClient, of user: String) -> [JSONValue] {
        client.frames("receipt").filter { $0.text("user") == user }
    }

    private func ack(_ client: HarnessClient) {
        let position = client.frames.last { $0["position"] != nil }?.text("position") ?? ""
        client.tell("ack", ["position": "\(position)"])
        relay.pause()
    }

    private func page(_ client: HarnessClient) -> JSONValue? {
        client.request("conversation.members", ["conversation": "\(group)", "sequence": 1])
    }

    private func member(_ user: String, _ page: JSONValue?) -> JSONValue? {
        page?.list("members").first { $0.text("user") == user }
    }

    @Test(arguments: Curtain.allCases)
    func deliveriesToHiddenUsersAreToldNowhere(curtain: Curtain) {
        draw(curtain)
        _ = watcher.request("send", ["to": "\(group)", "key": "k", "body": "x"])
        ack(bob)
        #expect(receipts(watcher, of: "bob").isEmpty)
        #expect(page(watcher)?.number("deliveredCount") == 0)
        let shown = member("bob", page(watcher))
        #expect(shown?["deliveredAt"] == nil)
        #expect(shown?.number("delivered") ?? 0 == 0)
        let list = watcher.request("receipts", ["conversation": "\(group)", "sequence": 1])
        #expect(list?.list("receipts").isEmpty == true)
        // Nor the other way round: what the hidden user wrote, the watcher acks.
        bob.forget()
        _ = bob.request("send", ["to": "\(group)", "key": "k", "body": "x"])
        ack(watcher)
        #expect(receipts(bob, of: "watcher").allSatisfy { $0["delivered"] == nil && $0["deliveredAt"] == nil })
        #expect(member("watcher", page(bob))?["delivered"] == nil)
    }

    @Test func onlyOneOfTheTwoHiddenHidesTheDelivery() {
        _ = bob.outcome("privacy", ["presence": "nobody"])
        relay.pause()
        _ = watcher.request("send", ["to": "\(group)", "key": "k", "body": "x"])
        ack(bob)
        #expect(receipts(watcher, of: "bob").isEmpty)
        // Its read receipts are sent, as its privacy says.
        bob.tell("read", ["conversation": "\(group)", "sequence": 1])
        relay.pause()
        let told = receipts(watcher, of: "bob")
        #expect(told.count == 1 && told.first?.number("read") == 1 && told.first?["readAt"] != nil)
        #expect(told.first?["delivered"] == nil && told.first?["deliveredAt"] == nil)
        #expect(page(watcher)?.number("deliveredCount") == 1 && page(watcher)?.number("readCount") == 1)
        let entry = watcher.request("receipts", ["conversation": "\(group)", "sequence": 1])?.list("receipts").first
        #expect(entry?["read"]?.bool == true && entry?["deliveredAt"] == nil)
    }

    /// The end of invisibility shows nothing of before: the next delivery does, with its own time.
    @Test func whatWasDeliveredWhileInvisibleIsToldWithTheNextDelivery() {
        draw(.invisible)
        _ = watcher.request("send", ["to": "\(group)", "key": "k1", "body": "x"])
        ack(bob)
        relay.advance(60_000)
        _ = bob.outcome("status", ["state": "auto"])
        relay.advance(1_000)
        #expect(receipts(watcher, of: "bob").isEmpty)
        #expect(page(watcher)?.number("deliveredCount") == 0)
        let before = relay.now.wall.milliseconds
        _ = watcher.request("send", ["to": "\(group)", "key": "k2", "body": "x"])
        ack(bob)
        #expect(receipts(watcher, of: "bob").map { $0.number("delivered") } == [2])
        let entry = watcher.request("receipts", ["conversation": "\(group)", "sequence": 1])?.list("receipts")
        let first = entry?.first { $0.text("user") == "bob" }
        #expect(first?.number("deliveredAt") ?? 0 >= before)
    }
}
