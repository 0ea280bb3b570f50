import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// `typing` where many type: beyond a number of names, and in large groups, members only learn that several do.
@Suite struct SeveralTypingTests {
    /// Five members. Two are shown by name in the crew, which is small, and none in the crowd.
    private struct Place {
        let relay: RelayHarness
        let alice, bob: HarnessClient
        let others: [HarnessClient]
        let group: String

        init(isLarge: Bool) {
            let names = ["carol", "dave", "erin"]
            let limits = Limits.with {
                $0.typersPerConversation = 2
                $0.typingMembersMax = isLarge ? 3 : 5
                $0.outboxCalmBytes = 500
            }
            (relay, alice, bob, group) = RelayHarness.withAliceAndBob("carol", "dave", "erin", limits: limits)
            let relay = relay
            others = names.map { relay.connect($0) }
            relay.pause()
        }

        func type(_ client: HarnessClient, _ isActive: Bool = true) {
            client.tell("typing", ["to": "\(group)", "active": .init(booleanLiteral: isActive)])
        }

        func told(_ client: HarnessClient) -> [String] {
            client.frames("typing").map {
                let who = $0.flag("several") == true ? "several" : nil
                return ($0.flag("active") == true ? "+" : "-") + (who ?? $0.text("user") ?? "")
            }
        }
    }

    @Test func inALargeGroupOnlySeveralAreTold() throws {
        let place = Place(isLarge: true)
        place.type(place.alice)
        place.relay.advance(1_000)
        #expect(place.told(place.bob).isEmpty)
        place.type(place.others[0])
        place.relay.advance(200)
        for client in [place.alice, place.bob] + place.others { #expect(place.told(client) == ["+several"]) }
        let event = try #require(place.bob.frames("typing").first)
        #expect(event.text("conversation") == place.group)
        #expect(event.text("user") == nil)
        place.relay.advance(10_000)
        #expect(place.told(place.bob) == ["+several", "-several"])
        #expect(place.relay.relay.typing.timerCount == 0)
    }

    @Test func beyondTheNamesSeveralAreTold() {
        let place = Place(isLarge: false)
        for client in [place.alice, place.others[0], place.others[1]] { place.type(client) }
        place.relay.advance(1_000)
        #expect(place.told(place.bob) == ["+alice", "+carol"])
        place.type(place.others[2])
        place.relay.advance(200)
        #expect(place.told(place.bob) == ["+alice", "+carol", "+several"])
        // Dave gets Alice's place when he goes on; Erin alone isn't several.
        place.type(place.alice, false)
        place.type(place.others[1])
        #expect(place.told(place.bob).dropFirst(3) == ["-alice", "+dave"])
        for _ in 1...3 {
            for client in place.others { place.type(client) }
            place.relay.advance(1_900)
        }
        #expect(place.told(place.bob).dropFirst(5) == ["-several"])
    }

    @Test(arguments: ["leave", "removal", "bye", "drop", "message"])
    func absentTypersAreNotCounted(how: String) {
        let place = Place(isLarge: true)
        let carol = place.others[0]
        let keepOn = {
            for _ in 1...3 {
                place.type(place.alice)
                place.relay.advance(2_000)
            }
        }
        place.type(carol)
        place.type(place.alice)
        place.relay.advance(200)
        switch how {
        case "leave": _ = carol.request("conversation.leave", ["conversation": "\(place.group)"])
        case "removal":
            _ = place.alice.request("conversation.remove", ["conversation": "\(place.group)", "users": ["carol"]])
        case "bye": carol.tell("bye")
        case "drop": carol.drop()
        default: carol.post("hi", to: place.group)
        }
        // Its time isn't over, so that only the going can have ended it.
        #expect(place.relay.relay.directory.conversation(ConversationNumber(1))?.typers.unnamed == 1)
        keepOn()
        #expect(place.told(place.bob).prefix(2) == ["+several", "-several"])
    }

    @Test(arguments: [true, false])
    func aSlowReaderGetsTheNewestState(isStillTyping: Bool) {
        let place = Place(isLarge: true)
        place.bob.isReading = false
        place.alice.tell("signal", ["to": "\(place.group)", "body": "\(String(repeating: "s", count: 600))"])
        for client in place.others { place.type(client) }
        place.relay.advance(200)
        if !isStillTyping { place.relay.advance(10_000) }
        place.bob.isReading = true
        place.relay.settle()
        #expect(place.told(place.bob) == [isStillTyping ? "+several" : "-several"])
    }

    @Test func aBackgroundFetchIsNotTold() {
        let place = Place(isLarge: true)
        _ = place.bob.request("presence", ["state": "background"])
        for client in place.others { place.type(client) }
        place.relay.advance(10_000)
        #expect(place.told(place.alice) == ["+several", "-several"])
        #expect(place.told(place.bob).isEmpty)
    }

    @Test func theLastMemberMayLeaveMeanwhile() {
        let place = Place(isLarge: true)
        for client in place.others { place.type(client) }
        for client in place.others + [place.bob, place.alice] {
            _ = client.request("conversation.leave", ["conversation": "\(place.group)"])
        }
        place.relay.advance(20_000)
        #expect(place.told(place.alice).isEmpty)
        #expect(place.relay.relay.typing.timerCount == 0)
    }
}
