import Foundation
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// Mentions in what is sent and in what is unread, and when a message was read.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct MentionTests {
    private let relay = TestRelay()

    @Test func mentionsAreSentAlsoAfterARestartAndCountApart() async throws {
        let (alice, bob) = (try Device("alice", on: relay), try await Device("bob", on: relay).online())
        var roost: Roost? = try await alice.online()
        let group = try #require(try await roost?.createGroup("Crew", members: ["bob", "carol"]))
        await roost?.disconnect()
        var timeline: ConversationTimeline? = try await roost?.timeline(with: group)
        try await timeline?.send("lunch?", mentions: ["bob"])
        try await timeline?.send("and you?", mentions: ["carol"])
        (timeline, roost) = (nil, nil)
        let again = try await alice.online()
        let writing = try await again.timeline(with: group)
        await writing.until { $0.states.count == 2 && $0.states.allSatisfy { $0?.rank ?? 0 > 0 } }
        #expect(writing.items.map(\.message?.mentions) == [["bob"], ["carol"]])
        await bob.conversations.until { $0.first?.conversation?.mentions == 1 && $0.first?.unread == 2 }
        #expect(bob.conversations.rows.first?.conversation?.firstMention == SequenceNumber(1))
        // An edit mentions others in place of those.
        try await writing.edit(writing.items[1].id, "and you two?", mentions: ["carol", "bob"])
        await bob.conversations.until { $0.first?.conversation?.mentions == 2 }
        let reading = try await bob.timeline(with: group)
        try await reading.seen(upTo: SequenceNumber(1))
        await bob.conversations.until { $0.first?.conversation?.mentions == 1 }
        try await reading.seen(upTo: SequenceNumber(2))
        await bob.conversations.until { $0.first?.conversation?.mentions == 0 }
    }

    @Test func aMarkAsUnreadCountsUntilItIsSeen() async throws {
        let (alice, bob) = (
            try await Device("alice", on: relay).online(), try await Device("bob", on: relay).online()
        )
        let group = try await alice.createGroup("Crew", members: ["bob"])
        let writing = try await alice.timeline(with: group)
        try await writing.send("one")
        try await writing.send("two")
        await bob.conversations.until { $0.first?.unread == 2 }
        let reading = try await bob.timeline(with: group)
        await reading.until { $0.items.count == 2 }
        try await reading.seen(upTo: SequenceNumber(2))
        await bob.conversations.until { $0.first?.unread == 0 }
        try await reading.markUnread(from: reading.items[1].id)
        await bob.conversations.until { $0.first?.unread == 1 }
        try await reading.seen(upTo: SequenceNumber(2))
        await bob.conversations.until { $0.first?.unread == 0 }
    }

    @Test func mentioningANonMemberHoldsUpOnlyThatMessage() async throws {
        let (alice, bob) = (
            try await Device("alice", on: relay).online(), try await Device("bob", on: relay).online()
        )
        let group = try await alice.createGroup("Crew", members: ["bob"])
        let writing = try await alice.timeline(with: group)
        relay.refuseNext("send", .notFound)
        try await writing.send("@zoe, lunch?", mentions: ["zoe"])
        let refused = await writing.until { if case .failed = $0.states.first { true } else { false } }
        #expect(refused.failure == nil, "the conversation itself is there")
        let item = try #require(refused.items.first?.message?.outboxItem)
        try await writing.replace(item, "@bob, lunch?", mentions: ["bob"])
        await bob.conversations.until { $0.first?.conversation?.mentions == 1 }
        await writing.until { $0.states.count == 1 && $0.states.allSatisfy { $0?.rank ?? 0 > 0 } }
        #expect(writing.texts == ["@bob, lunch?"])
    }

    @Test func eachMessageHasItsOwnTimeOfReading() async throws {
        let (alice, bob) = (
            try await Device("alice", on: relay).online(), try await Device("bob", on: relay).online()
        )
        let writing = try await alice.timeline(with: "@bob")
        let reading = try await bob.timeline(with: "@alice")
        for number in 1...2 {
            // The minute cuts quiet connections, and what follows waits for new ones.
            if number > 1 { relay.advance(.seconds(60)) }
            try await writing.send("\(number)")
            await reading.until { $0.items.count == number }
            try await reading.seen(upTo: SequenceNumber(Int64(number)))
            await writing.until { $0.states.last == .read(count: 1, others: 1) }
        }
        let first = try await writing.readers(of: SequenceNumber(1))
        let second = try await writing.readers(of: SequenceNumber(2))
        #expect(first.map(\.person.user) == ["bob"] && second.map(\.person.user) == ["bob"])
        let times = [first[0].time, second[0].time].compactMap { $0?.timeIntervalSince1970 }
        #expect(times.count == 2 && times[1] - times[0] >= 60, "\(times)")
        // The device's own knowledge is the last step.
        await alice.disconnect()
        #expect(try await writing.readers(of: SequenceNumber(1)).map(\.person.user) == ["bob"])
    }
}
