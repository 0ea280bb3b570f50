import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `history` and the bounds on reads.
@Suite struct HistoryTests {
    let relay = RelayHarness(
        limits: .with {
            $0.historyDefault = 3
            $0.readsPerSession = 2
            $0.readsMax = 3
        })
    let alice: HarnessClient
    let group: String

    /// The group has messages 1 to 6.
    init() {
        alice = relay.connect("alice")
        group = alice.makeGroup("bob")
        for number in 1...6 { alice.post("m\(number)", to: group) }
    }

    private func page(_ more: (String, Value)...) -> (sequences: [Int64], more: Bool?) {
        let extra = more.map { ",\"\($0.0)\":\($0.1.json)" }.joined()
        let reply = alice.ask(#"{"type":"history","id":1,"conversation":"\#(group)"\#(extra)}"#)
        return ((reply?.list("messages") ?? []).compactMap { $0.number("sequence") }, reply?.flag("more"))
    }

    @Test func withoutBoundsTheNewestAreReturned() {
        #expect(page() == ([4, 5, 6], true))
        #expect(page(("limit", 6)) == ([1, 2, 3, 4, 5, 6], false))
    }

    @Test func beforeGoesBack() {
        #expect(page(("before", 4)) == ([1, 2, 3], false))
        #expect(page(("before", 4), ("limit", 2)) == ([2, 3], true))
        #expect(page(("before", 1)) == ([], false))
        #expect(page(("before", 9_223_372_036_854_775_807)) == ([4, 5, 6], true))
    }

    @Test func afterGoesForward() {
        #expect(page(("after", 0)) == ([1, 2, 3], true))
        #expect(page(("after", 4)) == ([5, 6], false))
        #expect(page(("after", 9_223_372_036_854_775_807)) == ([], false))
    }

    private func happened(_ client: HarnessClient, _ more: String = #""limit":6"#) -> [String] {
        let asked = #"{"type":"history","id":1,"conversation":"\#(group)","events":true,\#(more)}"#
        return client.ask(asked)?.list("events").map {
            ($0.text("event") ?? "") + " \($0.number("sequence") ?? -1)"
        } ?? ["nothing"]
    }

    /// A new device shows what the others got, and nothing from before its user was there.
    @Test func aNewDeviceReadsWhatElseHappened() {
        _ = alice.request("conversation.rename", ["conversation": "\(group)", "name": "New"])
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["carol"]])
        alice.post("m7", to: group)
        _ = alice.request("conversation.pin", ["conversation": "\(group)", "sequence": 2])
        let all = ["created 0", "renamed 6", "added 6", "pinned 7"]
        for client in [relay.connect("alice", "new"), relay.connect("bob")] {
            #expect(happened(client, #""limit":9"#) == all)
            #expect(happened(client) == Array(all.dropFirst()))
            #expect(happened(client, #""before":7,"limit":6"#) == Array(all.prefix(3)))
            #expect(happened(client, #""thread":1"#) == [])
            #expect(client.request("history", ["conversation": "\(group)"])?.list("events").isEmpty == true)
        }
        #expect(happened(relay.connect("carol"), #""limit":9"#) == ["added 6", "pinned 7"])
        let told = relay.connect("bob").frames("conversation")
        let read = alice.request("history", ["conversation": "\(group)", "events": true])?.list("events")
        #expect(read?.last?.members?.map(\.name) == told.last?.members?.map(\.name).dropFirst().map { $0 })
    }

    /// A pin event contains the pinned message.
    @Test func pinsOfABlockedUsersMessagesAreHidden() {
        let bob = relay.connect("bob")
        bob.post("m7", to: group)
        _ = alice.request("conversation.pin", ["conversation": "\(group)", "sequence": 7])
        _ = relay.connect("carol")
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["carol"]])
        #expect(happened(alice) == ["pinned 7", "added 7"])
        #expect(alice.outcome("contact.block", ["users": ["bob"]]) == "ok")
        #expect(happened(alice) == ["added 7"])
        #expect(happened(bob) == ["pinned 7", "added 7"])
    }

    /// Hidden changes, or changes from before the user came, leave no empty list.
    @Test func nothingThatElseHappenedIsNoList() {
        let bob = relay.connect("bob")
        bob.post("m7", to: group)
        alice.post("m8", to: group)
        _ = alice.request("conversation.pin", ["conversation": "\(group)", "sequence": 7])
        #expect(alice.outcome("contact.block", ["users": ["bob"]]) == "ok")
        let asked = #"{"type":"history","id":1,"conversation":"\#(group)","events":true,"limit":1}"#
        #expect(bob.ask(asked)?["events"] != nil)
        #expect(alice.ask(asked)?["messages"] != nil && alice.ask(asked)?["events"] == nil)
    }

    @Test func thereIsABoundOnWhatElseHappened() {
        for number in 0..<70 {
            _ = alice.request("conversation.rename", ["conversation": "\(group)", "name": "n\(number)"])
            relay.pause()
        }
        #expect(happened(alice, #""limit":9"#).count == Limits().historyEventsMax)
    }

    @Test func onlyMembersReadIt() {
        #expect(relay.connect("carol").outcome("history", ["conversation": "\(group)"]) == "not_found")
    }

    @Test func aSessionHasSoManyReadsUnderWayAndNoMore() {
        relay.holdsReads = true
        alice.start("history", ["conversation": "\(group)"], id: 1)
        alice.start("conversation.list", [:], id: 2)
        let refused = alice.request("conversation.list")
        #expect(refused?.text("code") == "rate_limited")
        #expect(refused?.number("retryAfter") != nil)
        #expect(alice.outcome("history", ["conversation": "\(group)"]) == "rate_limited")
        alice.forget()
        relay.holdsReads = false
        relay.settle()
        #expect(alice.frames.map { $0.number("re") } == [1, 2])
        #expect(alice.outcome("conversation.list") == "ok")
    }

    @Test func allSessionsTogetherHaveSoManyReadsUnderWayAndNoMore() {
        let bob = relay.connect("bob")
        bob.forget()
        relay.holdsReads = true
        for id in 1...2 { alice.start("conversation.list", [:], id: id) }
        bob.start("conversation.list", [:], id: 5)
        #expect(bob.outcome("conversation.list") == "busy")
        relay.holdsReads = false
        relay.settle()
        #expect(bob.frames("ok").map { $0.number("re") } == [5])
        #expect(bob.outcome("conversation.list") == "ok")
    }

    @Test(arguments: ["history", "conversation.list"])
    func aReadThatFailedIsAnswered(type: String) {
        relay.holdsReads = true
        alice.start(type, ["conversation": "\(group)"], id: 9)
        relay.settle()
        for read in relay.heldReads {
            relay.relay.answered(ReadResult(ticket: read.ticket, isFailed: true), at: relay.now)
        }
        relay.holdsReads = false
        relay.settle()
        #expect(alice.frames.last?.number("re") == 9)
        #expect(alice.frames.last?.text("code") == "unavailable")
        #expect(alice.outcome(type, ["conversation": "\(group)"]) == "ok")
    }

    /// Adjacent sequences become one range. A page without gaps doesn't have the member.
    @Test func messagesThatTheStoreCannotReadAreNamed() {
        #expect(alice.request("history", ["conversation": "\(group)"])?["gaps"] == nil)
        relay.holdsReads = true
        alice.start("history", ["conversation": "\(group)", "limit": 6], id: 9)
        relay.settle()
        for read in relay.heldReads {
            var result = relay.log.answer(read)
            for sequence in [1, 3, 4] as [Int64] {
                guard let place = result.events.firstIndex(where: { $0.sequence.value == sequence }) else { continue }
                let lost = result.events.remove(at: place)
                result.gaps.append(Gap(lost.conversation, from: lost.sequence, to: lost.sequence))
            }
            relay.relay.answered(result, at: relay.now)
        }
        relay.settle()
        let page = alice.frames.last
        #expect(page?.number("re") == 9)
        #expect(page?.list("messages").compactMap { $0.number("sequence") } == [2, 5, 6])
        #expect(page?.list("gaps").map { $0.number("from") } == [1, 3])
        #expect(page?.list("gaps").map { $0.number("to") } == [1, 4])
        #expect(page?.flag("more") == false)
    }

    /// The log was read before the deletion, and the deletion was sent before the answer.
    @Test func anAnswerIsNeverOlderThanADeletionThatWasTold() {
        let bob = relay.connect("bob")
        relay.holdsReads = true
        bob.start("history", ["conversation": "\(group)", "limit": 1], id: 8)
        bob.start("conversation.get", ["conversation": "\(group)"], id: 9)
        relay.settle()
        let answers = relay.heldReads.map { relay.log.answer($0) }
        let last = answers.first?.events.first?.sequence.value ?? 0
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": Value(json: "\(last)")])
        for answer in answers { relay.relay.answered(answer, at: relay.now) }
        relay.holdsReads = false
        relay.settle()
        #expect(bob.frames("delete").count == 1)
        let replies = bob.frames("ok").suffix(2)
        #expect(replies.first?.list("messages").first?["deletedAt"] != nil)
        #expect(replies.last?["conversation"]?["message"]?["deletedAt"] != nil)
    }

    @Test func anAnswerForAnEndedSessionIsDropped() {
        relay.holdsReads = true
        alice.start("history", ["conversation": "\(group)"])
        relay.settle()
        alice.drop()
        relay.holdsReads = false
        relay.settle()
        #expect(relay.relay.openConnections == 0)
    }
}
