import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Events that were decided elsewhere and made durable there take the same way as the relay's own.
@Suite struct LearnTests {
    private let relay = RelayHarness()
    private let alice: HarnessClient
    private let bob: HarnessClient
    private let group: Conversation

    init() throws {
        alice = relay.connect("alice")
        bob = relay.connect("bob")
        _ = alice.makeGroup("bob")
        group = try #require(relay.relay.directory.conversation(ConversationNumber(1)))
        bob.forget()
    }

    /// Another writer of the same log makes an event durable.
    private func store(_ append: Append, users: [(number: UserNumber, name: String)] = []) throws -> LearnedEvent {
        let outcome = try #require(relay.log.commit([.append(append)]).first)
        guard case .stored(let position, let sequence, _) = outcome else { throw Unstored() }
        let event = StoredEvent(append, position: position, sequence: sequence)
        return LearnedEvent(event, change: append.change, users: users)
    }

    private struct Unstored: Error {}

    private func message(_ body: String) -> Append {
        var append = Append(.message, in: group.number, by: UserNumber(1), device: "elsewhere", at: relay.now.wall)
        append.key = body
        append.label = "text"
        append.body = Array("\"\(body)\"".utf8)
        return append
    }

    private func learn(_ events: LearnedEvent...) {
        relay.relay.learn(events, at: relay.now)
        relay.settle()
    }

    @Test func aMessageReachesEveryDeviceOfEveryMember() throws {
        let event = try store(message("hi"))
        learn(event)
        #expect(bob.bodies == ["hi"])
        #expect(alice.bodies == ["hi"])
        #expect(alice.frames("message").last?.text("device") == "elsewhere")
        #expect(relay.relay.head == event.event.position)
    }

    @Test func anEventLearnedTwiceIsToldOnce() throws {
        let event = try store(message("hi"))
        learn(event, event)
        learn(event)
        #expect(bob.bodies == ["hi"])
    }

    @Test func ownEventsFollowLearnedOnes() throws {
        learn(try store(message("one")))
        #expect(alice.post("two", to: group.id)?.number("sequence") == 2)
        #expect(bob.bodies == ["one", "two"])
        #expect(bob.frames("message").compactMap { $0.number("sequence") } == [1, 2])
    }

    @Test func anAbsentDeviceFindsItInTheLog() throws {
        bob.drop()
        learn(try store(message("hi")))
        #expect(relay.connect("bob").bodies == ["hi"])
    }

    @Test func aLearnedConversationMayHaveUnknownUsers() throws {
        let carol = UserNumber(77)
        var append = Append(
            .conversation, in: ConversationNumber(55), by: UserNumber(2), device: "elsewhere", at: relay.now.wall)
        append.body = Array(#""event":"created""#.utf8)
        append.change = .create(
            id: "elsewhere", kind: .group, name: "Elsewhere",
            members: [NewMember(UserNumber(2), .owner), NewMember(carol, .member)])
        _ = relay.log.commit([.user(carol, name: "carol")])
        learn(try store(append, users: [(carol, "carol")]))
        #expect(bob.events == ["created"])
        #expect(bob.post("hello", to: "elsewhere") != nil)
        #expect(relay.connect("carol").bodies == ["hello"])
    }

    @Test func aRemovalDecidedElsewhereIsApplied() throws {
        var append = Append(
            .conversation, in: group.number, by: UserNumber(1), device: "elsewhere", at: relay.now.wall)
        append.body = Array(#""event":"removed","users":["bob"]"#.utf8)
        append.change = .remove([UserNumber(2)])
        learn(try store(append))
        #expect(bob.events == ["removed"])
        #expect(bob.outcome("send", ["to": "\(group.id)", "key": "late", "body": "b"]) == "not_found")
    }
}
