import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `conversation.pin`, `.unpin` and `.pins`: messages that a conversation points out to all of its members.
@Suite struct PinTests {
    private let relay: RelayHarness
    private let alice: HarnessClient
    private let bob: HarnessClient
    private let group: String

    init() { (relay, alice, bob, group) = RelayHarness.withAliceAndBob() }

    private func pin(_ client: HarnessClient, _ sequence: Int64, in conversation: String? = nil) -> String {
        client.outcome(
            "conversation.pin",
            ["conversation": "\(conversation ?? group)", "sequence": .init(integerLiteral: sequence)])
    }

    private func unpin(_ client: HarnessClient, _ sequence: Int64, in conversation: String? = nil) -> JSONValue? {
        client.request(
            "conversation.unpin",
            ["conversation": "\(conversation ?? group)", "sequence": .init(integerLiteral: sequence)])
    }

    /// The pins in the conversation object, which are those of the list.
    private func pins(_ client: HarnessClient, of conversation: String? = nil) -> [Int64] {
        let name = conversation ?? group
        let object = client.request("conversation.get", ["conversation": "\(name)"])?["conversation"]
        let pins = object?.list("pins").compactMap(\.integer) ?? []
        let listed = client.request("conversation.pins", ["conversation": "\(name)"])?.list("pins")
        #expect(listed?.compactMap { $0.number("sequence") } == pins)
        return pins
    }

    private func post(_ range: ClosedRange<Int>, to conversation: String? = nil) {
        for number in range { alice.post("m\(number)", to: conversation ?? group) }
    }

    @Test("all members are told who pinned what, and see the newest pin first")
    func pinned() {
        post(1...3)
        #expect(pin(alice, 3) == "ok" && pin(alice, 1) == "ok")
        let told = bob.frames("conversation").suffix(2)
        #expect(told.map { $0.text("event") } == ["pinned", "pinned"] && told.map { $0.number("pin") } == [3, 1])
        #expect(told.last?.text("by") == "alice" && told.last?.number("sequence") == 3)
        #expect(pins(bob) == [1, 3])
        let shown = bob.request("conversation.pins", ["conversation": "\(group)"])?.list("pins").last
        #expect(shown?.text("by") == "alice" && shown?.number("time") == told.first?.number("time"))
        #expect(shown?["message"]?.text("body") == "m3" && shown?["message"]?.text("from") == "alice")
        #expect(unpin(alice, 3)?.text("position") != nil)
        #expect(bob.frames("conversation").last?.text("event") == "unpinned")
        #expect(bob.frames("conversation").last?.number("pin") == 3)
        #expect(pins(bob) == [1])
        let list = bob.request("conversation.list")?.list("conversations").first
        #expect(list?.list("pins").compactMap(\.integer) == [1])
    }

    @Test("what changes nothing is told to nobody, and a message that is pinned again comes first")
    func unchanged() {
        post(1...2)
        #expect(pin(alice, 1) == "ok" && pin(alice, 2) == "ok")
        bob.forget()
        let again = alice.request("conversation.pin", ["conversation": "\(group)", "sequence": 1])
        #expect(again?.flag("duplicate") == true && again?["position"] == nil)
        #expect(pins(bob) == [2, 1])
        #expect(unpin(alice, 1)?["duplicate"] == nil && unpin(alice, 1)?.flag("duplicate") == true)
        #expect(bob.frames("conversation").count == 1)
        #expect(pin(alice, 1) == "ok" && pins(bob) == [1, 2])
    }

    @Test("in groups admins decide, in direct conversations both, and a blocked one's pins aren't told")
    func allowed() {
        post(1...1)
        #expect(pin(bob, 1) == "forbidden")
        #expect(pin(alice, 1) == "ok")
        #expect(unpin(bob, 1)?.outcome == "forbidden")
        let carol = relay.connect("carol")
        for verb in ["pin", "unpin", "pins"] {
            let asked = carol.outcome("conversation.\(verb)", ["conversation": "\(group)", "sequence": 1])
            #expect(asked == "not_found")
        }
        let direct = alice.makeDirect("bob")
        alice.post("hi", to: direct)
        #expect(pin(bob, 1, in: "@alice") == "ok" && pins(alice, of: direct) == [1])
        #expect(bob.outcome("contact.block", ["users": ["alice"]]) == "ok")
        bob.forget()
        for verb in ["pin", "unpin", "expiry"] {
            let asked = alice.outcome(
                "conversation.\(verb)", ["conversation": "\(direct)", "sequence": 1, "after": 0])
            #expect(asked == "ok", "\(verb)")
            let own = bob.outcome("conversation.\(verb)", ["conversation": "\(direct)", "sequence": 1, "after": 0])
            #expect(own == "blocked", "\(verb)")
        }
        #expect(bob.frames("conversation").isEmpty)
        #expect(pins(alice, of: direct).isEmpty)
    }

    @Test("only what is there can be pinned, even if it is still on its way to the log")
    func missing() {
        post(1...2)
        #expect(pin(alice, 3) == "not_found" && pin(alice, 0) == "bad_request")
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 2])
        #expect(pin(alice, 2) == "gone")
        relay.holdsCommits = true
        alice.start("send", ["to": "\(group)", "key": "k", "body": "under way"], id: 3)
        alice.start("conversation.pin", ["conversation": "\(group)", "sequence": 3])
        alice.start("conversation.pin", ["conversation": "\(group)", "sequence": 4], id: 2)
        relay.holdsCommits = false
        relay.settle()
        #expect(pins(bob) == [3])
    }

    @Test("of a message that is deleted or has disappeared no pin is left, also after a crash")
    func gone() {
        post(1...2)
        _ = alice.request("conversation.expiry", ["conversation": "\(group)", "after": 86_400_000])
        post(3...3)
        for sequence: Int64 in 1...3 { #expect(pin(alice, sequence) == "ok") }
        bob.forget()
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 2])
        #expect(pins(bob) == [3, 1])
        // The deletion implies it.
        #expect(bob.frames("conversation").isEmpty && bob.frames("delete").count == 1)
        relay.crash()
        #expect(pins(relay.connect("bob")) == [3, 1])
        relay.sleep(86_400_000)
        // Its time has come, and nothing is erased yet.
        let back = relay.connect("alice")
        let listed = back.request("conversation.pins", ["conversation": "\(group)"])?.list("pins")
        #expect(listed?.compactMap { $0.number("sequence") } == [1])
        #expect(pin(back, 3) == "gone")
        relay.advance(60_000)
        #expect(pins(relay.connect("bob")) == [1])
        relay.crash()
        #expect(pins(relay.connect("bob")) == [1])
    }

    /// No client asks for the list, which would find it out.
    @Test("an object tells no pin of what has disappeared")
    func disappeared() {
        _ = alice.request("conversation.expiry", ["conversation": "\(group)", "after": 86_400_000])
        post(1...2)
        for sequence: Int64 in 1...2 { #expect(pin(alice, sequence) == "ok") }
        relay.advance(86_400_000 + 60_000)
        let object = relay.connect("bob").request("conversation.get", ["conversation": "\(group)"])?["conversation"]
        #expect(object?.number("sequence") == 2 && object?["pins"] == nil)
    }

    @Test("a conversation has a bounded number of pins")
    func bounded() {
        let most = Int64(Limits().pinsPerConversation)
        post(1...Int(most) + 1)
        for sequence in 1...most { #expect(pin(alice, sequence) == "ok") }
        #expect(pin(alice, most + 1) == "too_large")
        let again = alice.request("conversation.pin", ["conversation": "\(group)", "sequence": 1])
        #expect(again?.flag("duplicate") == true)
        #expect(pins(bob) == Array((1...most).reversed()))
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 1])
        #expect(pin(alice, most + 1) == "ok")
        #expect(pins(bob) == Array((2...most + 1).reversed()))
    }

    @Test("pages go on where they ended, by number and by bytes")
    func pages() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob(limits: .with { $0.pageBytes = 50 })
        for number in 1...5 { alice.post("\(number)" + String(repeating: "x", count: 29), to: group) }
        for sequence: Int64 in 1...5 { #expect(pin(alice, sequence, in: group) == "ok") }
        func page(_ limit: Int64, _ before: String? = nil) -> (sequences: [Int64], next: String?) {
            let from = before.map { Value(stringLiteral: $0) } ?? Value(json: "null")
            let page = bob.request(
                "conversation.pins",
                ["conversation": "\(group)", "limit": .init(integerLiteral: limit), "before": from])
            return (page?.list("pins").compactMap { $0.number("sequence") } ?? [], page?.text("next"))
        }
        let first = page(1)
        #expect(first.sequences == [5])
        // A message that is pinned meanwhile is on no later page, and one that isn't pinned any more does no harm.
        _ = alice.request("conversation.unpin", ["conversation": "\(group)", "sequence": 5])
        #expect(pin(alice, 5, in: group) == "ok")
        let second = page(50, first.next)
        #expect(second.sequences == [4, 3])
        let third = page(50, second.next)
        #expect(third.sequences == [2, 1] && third.next == nil)
        #expect(bob.outcome("conversation.pins", ["conversation": "\(group)", "before": "x"]) == "bad_request")
        _ = relay
    }

    @Test("a device that was away is told in order, and who was added by a reset and the object")
    func away() {
        post(1...2)
        bob.ackAll()
        bob.drop()
        #expect(pin(alice, 1) == "ok" && pin(alice, 2) == "ok")
        _ = unpin(alice, 1)
        let back = relay.connect("bob")
        #expect(back.frames("conversation").suffix(3).map { $0.text("event") } == ["pinned", "pinned", "unpinned"])
        let carol = relay.connect("carol")
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["carol"]])
        #expect(carol.frames("gap").last?.flag("reset") == true)
        #expect(pins(carol) == [2])
    }

    @Test("who came back to a direct conversation isn't shown what was pinned before")
    func since() {
        let direct = alice.makeDirect("bob")
        post(1...1, to: direct)
        #expect(pin(alice, 1, in: direct) == "ok")
        _ = bob.request("conversation.leave", ["conversation": "\(direct)"])
        alice.post("back", to: direct)
        #expect(pin(bob, 1, in: direct) == "not_found")
        #expect(pin(bob, 2, in: direct) == "ok")
        #expect(pins(bob, of: direct) == [2] && pins(alice, of: direct) == [2, 1])
    }

    @Test("a message of a blocked user isn't pinned for the blocker")
    func hidden() {
        let carol = relay.connect("carol")
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["carol"]])
        carol.post("unseen", to: group)
        #expect(pin(alice, 1) == "ok")
        _ = bob.request("contact.block", ["users": ["carol"]])
        #expect(pins(bob, of: group).isEmpty && pins(carol, of: group) == [1])
        let asked = bob.request("conversation.pins", ["conversation": "\(group)"])
        #expect(asked?.list("pins").isEmpty == true && asked?["next"] == nil)
    }

    /// Pins of messages from before a return are neither sent, listed nor removed.
    @Test("a member can't take away or hear of a pin of a message from before its return")
    func pinsBeforeAReturn() {
        let direct = alice.makeDirect("bob")
        post(1...2, to: direct)
        _ = bob.request("conversation.leave", ["conversation": "\(direct)"])
        alice.post("back", to: direct)
        bob.drop()
        #expect(pin(alice, 1, in: direct) == "ok" && pin(alice, 3, in: direct) == "ok")
        for name in ["phone", "tablet"] {
            let device = relay.connect("bob", name)
            #expect(device.frames("conversation").compactMap { $0.number("pin") } == [3])
            #expect(unpin(device, 1, in: direct)?.outcome == "not_found")
            #expect(unpin(device, 2, in: direct)?.outcome == "not_found")
            device.forget()
            #expect(unpin(alice, 1, in: direct)?.outcome == "ok" && pin(alice, 1, in: direct) == "ok")
            #expect(device.frames("conversation").isEmpty)
        }
        #expect(pins(alice, of: direct) == [1, 3])
    }

    @Test("a service pins for a user")
    func acting() {
        post(1...1)
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        #expect(mill.outcome("conversation.pin", ["as": "alice", "conversation": "\(group)", "sequence": 1]) == "ok")
        #expect(bob.frames("conversation").last?.number("pin") == 1)
        let seen = mill.request("conversation.pins", ["as": "bob", "conversation": "\(group)"])
        #expect(seen?.list("pins").count == 1)
    }

    @Test("a page has what is pinned when it is answered")
    func meanwhile() {
        post(1...2)
        #expect(pin(alice, 1) == "ok" && pin(alice, 2) == "ok")
        relay.holdsReads = true
        bob.start("conversation.pins", ["conversation": "\(group)"])
        _ = unpin(alice, 2)
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 1])
        relay.holdsReads = false
        relay.settle()
        #expect(bob.frames("ok").last?.list("pins").isEmpty == true)
    }
}
