import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// `typing`: its beginning is sent once, and it ends by itself.
@Suite struct TypingTests {
    let relay: RelayHarness
    let alice, bob: HarnessClient
    let group: String

    init() {
        (relay, alice, bob, group) = RelayHarness.withAliceAndBob(
            "carol", "dave", "erin",
            limits: .with {
                $0.typersPerConversation = 2
                $0.outboxCalmBytes = 500
            })
        relay.pause()
    }

    private func type(_ client: HarnessClient, _ isActive: Bool = true) {
        client.tell("typing", ["to": "\(group)", "active": .init(booleanLiteral: isActive)])
    }

    /// The users in Bob's typing events, who began (+) or stopped (-) typing.
    private var told: [String] {
        bob.frames("typing").map { ($0.flag("active") == true ? "+" : "-") + ($0.text("user") ?? "") }
    }

    @Test func othersAreToldWhenTypingBeginsAndEnds() {
        type(alice)
        #expect(told == ["+alice"])
        #expect(bob.frames("typing").first?.text("conversation") == group)
        type(alice, false)
        #expect(told == ["+alice", "-alice"])
        #expect(alice.frames("typing").isEmpty)
    }

    @Test func refreshingDoesNotRepeatIt() {
        for _ in 1...5 {
            type(alice)
            relay.advance(2_000)
        }
        #expect(told == ["+alice"])
    }

    @Test func typingEndsThreeSecondsAfterTheLastRefresh() {
        type(alice)
        relay.advance(2_000)
        type(alice)
        relay.advance(2_999)
        #expect(told == ["+alice"])
        relay.advance(300)
        #expect(told == ["+alice", "-alice"])
    }

    @Test func typingEndsWithTheMessage() {
        type(alice)
        alice.post("hi", to: group)
        #expect(told == ["+alice", "-alice"])
        relay.advance(5_000)
        #expect(told.count == 2)
    }

    @Test func aMessageToAnotherConversationDoesNotEndTyping() {
        type(alice)
        alice.post("hi", to: "@bob")
        #expect(told == ["+alice"])
    }

    @Test(arguments: ["leave", "removal", "bye", "drop"])
    func typingEndsWhenTheUserIsGone(how: String) {
        let carol = relay.connect("carol")
        type(carol)
        switch how {
        case "leave": _ = carol.request("conversation.leave", ["conversation": "\(group)"])
        case "removal": _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["carol"]])
        case "bye": carol.tell("bye")
        default: carol.drop()
        }
        #expect(told == ["+carol", "-carol"])
    }

    @Test func typingInSeveralPlacesEndsOnceInEach() {
        let groups = [group] + (0..<3).map { _ in alice.makeGroup("bob") }
        for place in groups { alice.tell("typing", ["to": "\(place)"]) }
        for place in [groups[0], groups[2]] { alice.tell("typing", ["to": "\(place)", "active": false]) }
        alice.drop()
        let ended = bob.frames("typing").filter { $0.flag("active") == false }.compactMap { $0.text("conversation") }
        #expect(ended.count == 4)
        #expect(Set(ended) == Set(groups))
    }

    @Test func switchingTypingOnAndOffQuicklyTellsNoMore() {
        for _ in 1...5 {
            type(alice)
            type(alice, false)
        }
        #expect(told == ["+alice", "-alice"])
        relay.advance(1_000)
        type(alice)
        #expect(told == ["+alice", "-alice", "+alice"])
    }

    @Test func aBoundedNumberOfUsersIsShownAsTyping() {
        let carol = relay.connect("carol")
        let dave = relay.connect("dave")
        for client in [alice, carol, dave] { type(client) }
        #expect(told == ["+alice", "+carol"])
        type(alice, false)
        type(dave)
        #expect(told == ["+alice", "+carol", "-alice", "+dave"])
    }

    @Test func onlyMembersType() {
        #expect(relay.connect("stranger").outcome("typing", ["to": "\(group)"]) == "not_found")
    }

    @Test func typingIsNotStored() {
        type(alice)
        relay.crash()
        #expect(relay.connect("bob").frames("typing").isEmpty)
    }

    private func block(_ client: HarnessClient) {
        client.isReading = false
        alice.tell("signal", ["to": "\(group)", "body": "\(String(repeating: "s", count: 600))"])
    }

    @Test func aSlowReaderIsToldTheEndByWhoeverHidesAndGoesOn() {
        type(alice)
        block(bob)
        #expect(alice.outcome("except", ["users": ["bob"], "as": "never"]) == "ok")
        // Bob may not know, so that this is no reason to keep the end from Bob.
        type(alice)
        bob.isReading = true
        relay.settle()
        #expect(told == ["+alice", "-alice"])
    }

    @Test(arguments: [true, false])
    func aSlowReaderGetsTheNewestStateWhenItHasCaughtUp(isStillTyping: Bool) {
        block(bob)
        type(alice)
        if !isStillTyping { type(alice, false) }
        #expect(told.isEmpty)
        bob.isReading = true
        relay.settle()
        #expect(told == [isStillTyping ? "+alice" : "-alice"])
    }

    @Test func typingThatBeginsOftenCostsOneTimer() {
        for _ in 1...20 {
            type(alice)
            relay.advance(1_000)
            type(alice, false)
        }
        #expect(told.count == 40)
        #expect(relay.relay.typing.timerCount <= 1)
    }

    @Test func theTimerOfAnEarlierBeginningDoesNotEndALaterOne() {
        type(alice)
        relay.advance(1_500)
        type(alice, false)
        type(alice)
        relay.advance(2_900)
        #expect(told == ["+alice", "-alice", "+alice"])
        relay.advance(400)
        #expect(told == ["+alice", "-alice", "+alice", "-alice"])
    }
}
