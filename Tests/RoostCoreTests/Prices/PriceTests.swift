import RoostTestKit
import RoostWire
import Testing

/// The cost of commands. Each test counts how many pass before one is refused.
@Suite struct PriceTests {
    /// Number of times that `body` passes before it is refused with `rate_limited`.
    func passes(_ body: (Int) -> String) -> Int {
        for number in 0..<1_000 where body(number) == "rate_limited" { return number }
        return 1_000
    }

    /// Alice, and a group of so many others, each with one session.
    func crowd(
        of others: Int, _ change: (inout Limits) -> Void = { _ in }
    ) -> (relay: RelayHarness, alice: HarnessClient, group: String) {
        let limits = Limits.with {
            $0.commandsPerSecond = 20
            change(&$0)
        }
        let relay = RelayHarness(limits: limits)
        let names = (0..<others).map { "u\($0)" }
        for name in names { _ = relay.connect(name) }
        let alice = relay.connect("alice")
        relay.advance(10_000)
        let group = alice.makeGroup(names)
        relay.advance(10_000)
        return (relay, alice, group)
    }

    /// 40 may be spent. With 29 others and herself, telling costs 3.
    @Test func moreRecipientsCostMore() {
        for type in ["send", "signal", "react", "edit", "delete"] {
            let (relay, alice, group) = crowd(of: 29)
            alice.post("first", to: group)
            relay.advance(10_000)
            let count = passes { number in
                switch type {
                case "send": alice.post("k\(number)", to: group)?.outcome ?? ""
                case "signal": alice.outcome("signal", ["to": "\(group)", "body": 1])
                case "react":
                    alice.outcome("react", ["conversation": "\(group)", "sequence": 1, "reaction": "r\(number)"])
                case "edit":
                    alice.outcome("edit", ["conversation": "\(group)", "sequence": 1, "body": "b\(number)"])
                default: alice.outcome("delete", ["conversation": "\(group)", "sequence": 1])
                }
            }
            #expect(count == 10, "\(type)")
        }
    }

    @Test func aPriceAboveTheAllowanceTakesAllOfIt() {
        let (relay, alice, group) = crowd(of: 30) { $0.commandsPerSecond = 1 }
        #expect(alice.post("k1", to: group)?.outcome == "ok")
        #expect(alice.outcome("ping") == "rate_limited")
        relay.advance(1_000)
        #expect(alice.outcome("ping") == "pong")
    }

    /// A refused command has paid nothing, so a client that waits as long as the answer says is served.
    @Test func aSecondPriceIsAskedForWithTheFirst() {
        let (relay, alice, group) = crowd(of: 29) { $0.commandsPerSecond = 3 }
        for number in 0..<20 {
            var refusals = 0
            while let wait = alice.post("k\(number)", to: group)?.number("retryAfter"), refusals < 5 {
                refusals += 1
                relay.advance(wait)
            }
            #expect(refusals <= 2, "message \(number)")
        }
    }

    /// 20 KiB cost 2 more by themselves, and three times as much to deliver.
    @Test func longBodiesCostMore() {
        let (relay, alice, group) = crowd(of: 9)
        defer { relay.settle() }
        let body = Value(json: "\"" + String(repeating: "x", count: 20_000) + "\"")
        #expect(passes { _ in alice.outcome("signal", ["to": "\(group)", "kind": "k", "body": body]) } == 6)
    }

    /// 40 may be spent. A page of one message costs 1, and 4 afterwards for 4 KiB of it.
    @Test(arguments: ["history", "conversation.list", "conversation.get", "conversation.pins"])
    func longAnswersCostMore(_ type: String) {
        let (relay, alice, group) = crowd(of: 1)
        let body = Value(json: "\"" + String(repeating: "x", count: 4_094) + "\"")
        _ = alice.outcome("send", ["to": "\(group)", "key": "k", "kind": "k", "body": body])
        _ = alice.outcome("conversation.pin", ["conversation": "\(group)", "sequence": 1])
        relay.advance(10_000)
        let count = passes { _ in
            switch type {
            case "history": alice.outcome("history", ["conversation": "\(group)", "limit": 1])
            case "conversation.get": alice.outcome("conversation.get", ["conversation": "\(group)"])
            case "conversation.pins": alice.outcome(type, ["conversation": "\(group)", "limit": 1])
            default: alice.outcome("conversation.list", ["limit": 1])
            }
        }
        // Lists cost 3 by themselves: 7 leave 33, 26, …, 5, and then there is enough for another; 5 leave 35, 30, …, 0.
        #expect(count == (["conversation.list", "conversation.pins"].contains(type) ? 6 : 8))
    }

    /// 400 may be spent. A message of a page costs half as much as a command, a conversation as much as two.
    @Test func longPagesCostMore() {
        let (relay, alice, group) = crowd(of: 1) { $0.commandsPerSecond = 200 }
        #expect(passes { _ in alice.outcome("history", ["conversation": "\(group)", "limit": 98]) } == 8)
        relay.advance(10_000)
        #expect(passes { _ in alice.outcome("history", ["conversation": "\(group)"]) } == 15)
        relay.advance(10_000)
        #expect(passes { _ in alice.outcome("conversation.list", ["limit": 99]) } == 2)
        relay.advance(10_000)
        #expect(passes { _ in alice.outcome("conversation.list") } == 3)
        relay.advance(10_000)
        #expect(passes { _ in alice.outcome("conversation.pins", ["conversation": "\(group)"]) } == 3)
        relay.advance(10_000)
        let short = passes { _ in alice.outcome("conversation.pins", ["conversation": "\(group)", "limit": 1]) }
        #expect(short == 133)
    }

    /// 40 may be spent. A watch costs a fifth of the users that it names.
    @Test func watchesCostByTheUsersThatTheyName() {
        let (relay, alice, _) = crowd(of: 20)
        defer { relay.settle() }
        let names = Value.list((0..<20).map { "u\($0)" })
        #expect(passes { _ in alice.outcome("watch", ["users": names]) } == 8)
    }

    /// 40 may be spent by all sessions of a user together.
    @Test func allSessionsOfAUserPayFromOneAllowance() {
        let (relay, alice, _) = crowd(of: 1)
        let tablet = relay.connect("alice", "tablet")
        relay.advance(10_000)
        #expect(passes { _ in alice.outcome("ping") } == 40)
        #expect(tablet.outcome("ping") == "rate_limited")
        tablet.drop()
        #expect(relay.connect("alice", "tablet").outcome("ping") == "rate_limited")
        #expect(relay.connect("u0").outcome("ping") == "pong")
    }

    @Test func aChangeOfPresenceCostsByThoseWhoAreTold() {
        let (relay, alice, _) = crowd(of: 20)
        for number in 0..<20 { _ = relay.connect("u\(number)", "tablet").outcome("watch", ["users": ["alice"]]) }
        relay.advance(10_000)
        // 1 and 2 each; what changes nothing costs 1.
        var isIdle = false
        let count = passes { _ in
            isIdle.toggle()
            return alice.outcome("presence", ["state": isIdle ? "idle" : "active"])
        }
        #expect(count == 13)
        relay.advance(10_000)
        _ = alice.outcome("presence", ["state": "active"])
        relay.advance(10_000)
        #expect(passes { _ in alice.outcome("presence", ["state": "active"]) } == 40)
    }

    /// 40 may be spent. A setting that changes costs 1, and 2 for the 20 who watch; what changes nothing costs 1.
    @Test func aChangeOfPrivacyCostsByThoseWhoAreTold() {
        let (relay, alice, _) = crowd(of: 20)
        for number in 0..<20 { _ = relay.connect("u\(number)", "tablet").outcome("watch", ["users": ["alice"]]) }
        relay.advance(10_000)
        let count = passes { number in
            relay.settle()
            return alice.outcome("privacy", ["lastSeen": number % 2 == 0 ? "coarse" : "exact"])
        }
        #expect(count == 13)
        relay.advance(10_000)
        #expect(passes { _ in alice.outcome("privacy") } == 40)
    }

    /// 40 may be spent. The answer costs a tenth of the exceptions that it lists.
    @Test func exceptionsThatAreListedCost() {
        let (relay, alice, _) = crowd(of: 20)
        defer { relay.settle() }
        let names = Value.list((0..<20).map { "u\($0)" })
        #expect(alice.outcome("except", ["users": names, "as": "always"]) == "ok")
        relay.advance(10_000)
        #expect(passes { _ in alice.outcome("privacy") } == 13)
    }

    /// 40 may be spent. An exception may be sent to both sides on two devices each: 20 of them cost 1 and 8.
    @Test func exceptionsCostByTheUsersThatTheyName() {
        let (relay, alice, _) = crowd(of: 20)
        defer { relay.settle() }
        let names = Value.list((0..<20).map { "u\($0)" })
        #expect(passes { alice.outcome("except", ["users": names, "as": $0 % 2 == 0 ? "never" : "always"]) } == 4)
        relay.advance(10_000)
        #expect(passes { _ in alice.outcome("except", ["users": names, "as": "always"]) } == 40)
        relay.advance(10_000)
        #expect(passes { alice.outcome($0 % 2 == 0 ? "contact.block" : "contact.unblock", ["users": names]) } == 4)
    }

    @Test func typingThatIsToldCosts() {
        let (relay, alice, group) = crowd(of: 19) { $0.typingAgainMilliseconds = 0 }
        // 1 to begin and 4 for telling twice, 1 to end.
        let count = passes { _ in
            let begun = alice.outcome("typing", ["to": "\(group)"])
            return begun == "ok" ? alice.outcome("typing", ["to": "\(group)", "active": false]) : begun
        }
        #expect(count == 6)
        relay.advance(10_000)
        _ = alice.outcome("typing", ["to": "\(group)"])
        relay.advance(2_000)
        #expect(passes { _ in alice.outcome("typing", ["to": "\(group)"]) } == 40)
    }

    @Test func readingThatIsToldCosts() {
        let (relay, alice, group) = crowd(of: 19)
        let other = relay.connect("u0")
        for number in 0..<10 { other.post("k\(number)", to: group) }
        relay.advance(10_000)
        let read = { (number: Int) in
            alice.outcome(
                "read", ["conversation": "\(group)", "sequence": .init(integerLiteral: Int64(number))])
        }
        // 3 each; what was read before costs 1.
        for number in 1...10 { #expect(read(number) == "ok") }
        #expect(passes { _ in read(10) } == 10)
    }

    /// 40 may be spent.
    @Test func receiptsCostByTheirRows() {
        let (relay, alice, group) = crowd(of: 1)
        alice.post("k", to: group)
        relay.advance(10_000)
        #expect(passes { _ in alice.outcome("receipts", ["conversation": "\(group)", "sequence": 1]) } == 2)
    }

    @Test func severalThatAreToldCostWhoMakesThemSeveral() {
        let (relay, alice, group) = crowd(of: 19) { $0.typingMembersMax = 3 }
        _ = relay.connect("u0").outcome("typing", ["to": "\(group)"])
        // 1 to begin and 4 for sending twice, 1 to end; what is paid for isn't sent yet.
        #expect(alice.outcome("typing", ["to": "\(group)"]) == "ok")
        #expect(alice.outcome("typing", ["to": "\(group)", "active": false]) == "ok")
        #expect(passes { _ in alice.outcome("typing", ["to": "\(group)"]) } == 34)
    }

    @Test func inALargeConversationNobodyIsToldWhoTypes() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob(
            "carol", limits: .with { $0.typingMembersMax = 3 })
        #expect(alice.outcome("typing", ["to": "\(group)"]) == "ok")
        relay.pause()
        #expect(bob.frames("typing").count == 1)
        _ = alice.outcome("typing", ["to": "\(group)", "active": false])
        relay.advance(2_000)
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["dave"]])
        #expect(alice.outcome("typing", ["to": "\(group)"]) == "ok")
        relay.pause()
        #expect(bob.frames("typing").count == 2)
    }

    // MARK: Refusals

    @Test func sendingOnDespiteRefusalsClosesTheSession() {
        let relay = RelayHarness(
            limits: .with {
                $0.commandsPerSecond = 1
                $0.refusalsMax = 5
                $0.refusalsPerSecond = 1
            })
        let alice = relay.connect("alice")
        while alice.outcome("ping") == "pong" {}
        // The first refusal ended the loop.
        for _ in 0..<4 { #expect(alice.outcome("ping") == "rate_limited") }
        #expect(alice.isOpen)
        _ = alice.outcome("ping")
        #expect(alice.closeCode == .rateLimited)
    }

    @Test func waitingSessionsAreNotClosed() {
        let relay = RelayHarness(
            limits: .with {
                $0.commandsPerSecond = 1
                $0.refusalsMax = 5
                $0.refusalsPerSecond = 1
            })
        let alice = relay.connect("alice")
        for _ in 0..<100 {
            if let wait = alice.request("ping")?.number("retryAfter") { relay.advance(wait) }
        }
        #expect(alice.isOpen)
    }

    /// Otherwise malformed commands between good ones would be free.
    @Test func malformedCommandsCostToo() {
        let (relay, alice, _) = crowd(of: 1)
        defer { relay.settle() }
        for _ in 0..<20 {
            alice.send("{")
            alice.tell("ack", ["position": "memory-0"])
        }
        #expect(alice.outcome("ping") == "rate_limited")
    }

    @Test func sessionsBeforeHelloAreBoundedToo() {
        let relay = RelayHarness(
            limits: .with {
                $0.commandsPerSecond = 5
                $0.refusalsMax = 5
            })
        let stranger = relay.open()
        for _ in 0..<100 { stranger.send(#"{"type":"ping","id":1}"#) }
        #expect(stranger.codes.filter { $0 == "not_ready" }.count == 10)
        #expect(stranger.closeCode == .rateLimited)
    }
}
