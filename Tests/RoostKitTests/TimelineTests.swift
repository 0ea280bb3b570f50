import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

@MainActor
@Suite(.timeLimit(.minutes(3))) struct TimelineTests {
    private let relay = TestRelay()

    @Test func aMessageGoesFromSendingToRead() async throws {
        let (alice, bob) = (try Device("alice", on: relay), try Device("bob", on: relay))
        let (one, other) = (try await alice.online(), try await bob.online())
        let writing = try await one.timeline(with: "@bob")
        let seen = Task { @MainActor in
            var ranks: [Int] = []
            for await now in writing.snapshots() {
                if let rank = now.items.first?.message?.state?.rank, ranks.last != rank { ranks.append(rank) }
                if ranks.last == 3 { break }
            }
            return ranks
        }
        let id = try await writing.send("hi")
        #expect(writing.snapshot.items.isEmpty || writing.items.first?.id == id)
        let reading = try await other.timeline(with: "@alice")
        let got = await reading.until { $0.texts == ["hi"] }
        #expect(got.items.first?.message?.state == nil)
        try await reading.seen(upTo: SequenceNumber(1))
        let end = await writing.until { $0.states.last == .read(count: 1, others: 1) }
        #expect(end.items.map(\.id) == [id], "one identity from typed to read")
        let ranks = await seen.value
        #expect(ranks == ranks.sorted(), "states only go forward")
    }

    @Test func messagesTypedOfflineSurviveARestartAndArriveOnce() async throws {
        let (alice, bob) = (try Device("alice", on: relay), try Device("bob", on: relay))
        var roost: Roost? = try await alice.start()
        var timeline: ConversationTimeline? = try await roost?.timeline(with: "@bob")
        try await timeline?.send("one")
        try await timeline?.send("two")
        let before = await timeline?.until { $0.items.count == 2 }
        #expect(before?.states == [.sending, .sending])
        (timeline, roost) = (nil, nil)
        let again = try await alice.start()
        await again.until { $0.pendingCount == 2 }
        let shown = try await again.timeline(with: "@bob")
        #expect(shown.items.map(\.id) == before?.items.map(\.id))
        await again.connect()
        await again.until { $0.pendingCount == 0 }
        let other = try await bob.online()
        let reading = try await other.timeline(with: "@alice")
        await reading.until { $0.texts == ["one", "two"] }
    }

    @Test func aLostAnswerDoublesNothing() async throws {
        let roost = try await Device("alice", on: relay).online()
        let timeline = try await roost.timeline(with: "@bob")
        relay.loseNextAnswer(to: "send")
        try await timeline.send("hi")
        await timeline.until { $0.areSent == [true] }
        let conversation = try #require(timeline.conversation?.id)
        #expect(relay.bodies(of: conversation, seenBy: "alice") == ["hi"])
    }

    @Test func storedMessagesOutliveTheRelay() async throws {
        let roost = try await Device("alice", on: relay).online()
        let timeline = try await roost.timeline(with: "@bob")
        try await timeline.send("one")
        await timeline.until { $0.areSent == [true] }
        relay.setReachable(false)
        relay.crash()
        await roost.until { $0.connection != .connected }
        try await timeline.send("two")
        await timeline.until { $0.states == [.sent, .sending] }
        relay.setReachable(true)
        await timeline.until { $0.states == [.sent, .sent] }
        #expect(timeline.texts == ["one", "two"])
    }

    // MARK: Refusals

    @Test func aRefusedMessageWaitsForItsUser() async throws {
        let roost = try await Device("alice", on: relay).online()
        let timeline = try await roost.timeline(with: "@bob")
        relay.refuseNext("send", .tooLarge)
        try await timeline.send("long")
        try await timeline.send("next")
        let failed = await timeline.until { if case .failed = $0.states.first { true } else { false } }
        guard case .failed(let failure)? = failed.states.first else { return }
        #expect(failure.reason == .tooLong && !failure.canRetry)
        #expect(failed.states.last == .sending)
        let item = try #require(failed.items.first?.message?.outboxItem)
        try await timeline.replace(item, "short")
        await timeline.until { $0.states == [.sent, .sent] }
        #expect(timeline.texts == ["short", "next"])
    }

    @Test func aConversationThatRefusesWaitsAsAWhole() async throws {
        let roost = try await Device("alice", on: relay).online()
        let timeline = try await roost.timeline(with: "@bob")
        relay.refuseNext("send", .forbidden)
        try await timeline.send("one")
        try await timeline.send("two")
        await timeline.until { $0.failure?.reason == .notAllowed }
        let other = try await roost.timeline(with: "@carol")
        try await other.send("hi")
        await other.until { $0.areSent == [true] }
        try await timeline.resume()
        await timeline.until { $0.states == [.sent, .sent] }
    }

    @Test func aBusyRelayIsAskedAgain() async throws {
        let roost = try await Device("alice", on: relay).online()
        let timeline = try await roost.timeline(with: "@bob")
        for _ in 0..<3 { relay.refuseNext("send", .busy) }
        try await timeline.send("hi")
        await timeline.until { $0.areSent == [true] }
    }

    // MARK: Changes

    @Test func changesShowAtOnceAndReachTheOthers() async throws {
        let (one, other) = (try await Device("alice", on: relay).online(), try await Device("bob", on: relay).online())
        let writing = try await one.timeline(with: "@bob")
        let reading = try await other.timeline(with: "@alice")
        let first = try await writing.send("helo")
        let second = try await writing.send("oops")
        await reading.until { $0.texts == ["helo", "oops"] }
        try await writing.edit(first, "hello")
        try await writing.delete(second)
        try await writing.react(first, "+")
        let now = await reading.until { $0.texts == ["hello", "(deleted)"] && $0.reactions == ["+1"] }
        #expect(now.items.first?.message?.editedAt != nil)
        let own = await writing.until { $0.reactions == ["+1"] && !$0.isChanging }
        #expect(own.texts == ["hello", "(deleted)"])
        let target = try #require(reading.items.first?.id)
        try await reading.react(target, "+")
        await writing.until { $0.reactions == ["+2"] }
        try await reading.react(target, "+", isOn: false)
        await writing.until { $0.reactions == ["+1"] }
    }

    @Test func anEditOfAnOlderVersionIsRefusedAndTheUserChooses() async throws {
        let phone = try await Device("alice", on: relay).online()
        let laptop = try await Device("alice", on: relay, name: "laptop").online()
        let (writing, other) = (try await phone.timeline(with: "@bob"), try await laptop.timeline(with: "@bob"))
        let id = try await writing.send("one")
        await writing.until { $0.areSent == [true] }
        let shown = await other.until { $0.texts == ["one"] }
        #expect(shown.items.first?.message?.version == 1)
        await phone.disconnect()
        try await other.edit(try #require(shown.items.first?.id), "by the laptop", ifVersion: 1)
        await other.until { $0.items.first?.message?.version == 2 && !$0.isChanging }
        try await writing.edit(id, "by the phone", ifVersion: 1)
        #expect(writing.items.first?.message?.version == 1)
        await phone.connect()
        let refused = await writing.until { $0.items.first?.message?.failedChange != nil }
        let change = try #require(refused.items.first?.message?.failedChange)
        #expect(change.failure.reason == .changedElsewhere && !change.failure.canRetry)
        #expect(Sentences().sentence(for: change.failure) == Sentences().changedElsewhere)
        await writing.until { $0.texts == ["by the laptop"] && $0.items.first?.message?.version == 2 }
        #expect(other.texts == ["by the laptop"])
        try await writing.replace(change.outboxItem, "after all")
        await other.until { $0.texts == ["after all"] && $0.items.first?.message?.version == 3 }
        // A user's own edits follow each other, also without a session between them.
        await writing.until { $0.items.first?.message?.version == 3 }
        await phone.disconnect()
        for text in ["and", "and on"] { try await writing.edit(id, text, ifVersion: 3) }
        await phone.connect()
        await other.until { $0.texts == ["and on"] && $0.items.first?.message?.version == 5 }
        await writing.until { $0.texts == ["and on"] && !$0.isChanging }
        #expect(writing.items.first?.message?.failedChange == nil)
    }

    @Test func changesOfAnUnsentMessageWaitForIt() async throws {
        relay.setReachable(false)
        let roost = try await Device("alice", on: relay).start()
        let timeline = try await roost.timeline(with: "@bob")
        let id = try await timeline.send("helo")
        try await timeline.edit(id, "hello")
        try await timeline.react(id, "+")
        let gone = try await timeline.send("oops")
        try await timeline.delete(gone)
        await timeline.until { $0.texts == ["hello"] && $0.reactions == ["+1"] }
        relay.setReachable(true)
        await roost.connect()
        let now = await timeline.until { $0.areSent == [true] && !$0.isChanging }
        #expect(now.texts == ["hello"] && now.reactions == ["+1"])
    }

    @Test(arguments: [true, false]) func aMessageThatMayBeStoredIsChangedAfterIt(_ isDeletion: Bool) async throws {
        let roost = try await Device("alice", on: relay).online()
        let timeline = try await roost.timeline(with: "@bob")
        relay.loseNextAnswer(to: "send")
        relay.setReachable(false)
        let id = try await timeline.send("helo")
        await roost.until { $0.connection != .connected }
        // The relay has it, and this device doesn't know.
        if isDeletion { try await timeline.delete(id) } else { try await timeline.edit(id, "hello") }
        await timeline.until { $0.texts == [isDeletion ? "(deleted)" : "hello"] }
        relay.setReachable(true)
        await roost.until { $0.pendingCount == 0 && $0.isUpToDate }
        let conversation = try #require(timeline.conversation?.id)
        #expect(relay.bodies(of: conversation, seenBy: "bob") == [isDeletion ? nil : "hello"])
    }

    // MARK: Scrolling

    @Test func olderMessagesComeFromTheRelayAndThenFromHere() async throws {
        let alice = try Device("alice", on: relay)
        let bob = try Device("bob", on: relay, name: "laptop")
        let writer = try await bob.online()
        let writing = try await writer.timeline(with: "@alice")
        for number in 1...300 { try await writing.send("\(number)") }
        await writer.until { $0.pendingCount == 0 }
        let roost = try await alice.online()
        let timeline = try await roost.timeline(with: "@bob")
        await timeline.until { $0.texts.last == "300" && $0.items.count >= 50 }
        while timeline.snapshot.hasOlder {
            let count = timeline.items.count
            try await timeline.loadOlder()
            await timeline.until { $0.items.count > count || !$0.hasOlder }
        }
        #expect(timeline.texts == (1...300).map(String.init))
        relay.setReachable(false)
        relay.cut()
        let again = try await alice.start()
        let offline = try await again.timeline(with: "@bob")
        #expect(offline.texts == (251...300).map(String.init))
        try await offline.loadOlder()
        await offline.until { $0.items.count == 150 }
        try await offline.jump(to: SequenceNumber(100))
        let jumped = await offline.until { $0.hasNewer }
        #expect(jumped.texts.contains("100") && jumped.items.count <= 51)
        try await offline.jumpToEnd()
        await offline.until { !$0.hasNewer }
        #expect(offline.texts.last == "300")
    }

    @Test func aWeekOfflineLeavesAGapThatScrollingFills() async throws {
        var limits = Limits()
        limits.backlogMax = 100
        let relay = TestRelay(limits: limits)
        let alice = try Device("alice", on: relay)
        let bob = try Device("bob", on: relay)
        var roost: Roost? = try await alice.online()
        let writer = try await bob.online()
        let writing = try await writer.timeline(with: "@alice")
        try await writing.send("1")
        await roost?.conversations.until { $0.first?.last?.text == "1" }
        await roost?.disconnect()
        roost = nil
        // `test_47_kit_week.py` has 5,000, and the bound of the window.
        let count = 260
        for number in 2...count { try await writing.send("\(number)") }
        await writer.until { $0.pendingCount == 0 }
        let again = try await alice.online()
        let timeline = try await again.timeline(with: "@bob")
        await timeline.until { $0.texts.last == "\(count)" && !($0.conversation?.isStale ?? true) }
        #expect(timeline.conversation?.unread == count)
        var rounds = 0
        while timeline.texts.first != "1", rounds < count {
            rounds += 1
            for case .gap(_, let to) in timeline.items { try await timeline.fill(.gap(to)) }
            try await timeline.loadOlder()
        }
        #expect(timeline.texts.first == "1")
        try await timeline.jump(to: SequenceNumber(Int64(count / 2)))
        let middle = await timeline.until { $0.texts.contains("\(count / 2)") }
        #expect(!middle.texts.contains { $0.hasPrefix("(") }, "the gap is filled: \(middle.texts)")
    }

    @Test func withoutTheRelayScrollingGoesOnBehindAWideGap() async throws {
        var limits = Limits()
        limits.backlogMax = 100
        let relay = TestRelay(limits: limits)
        let alice = try Device("alice", on: relay)
        relay.write((1...20).map(String.init), from: "bob", to: "@alice")
        var roost: Roost? = try await alice.online()
        var timeline = try await roost?.timeline(with: "@bob")
        await timeline?.until { $0.texts.count == 20 }
        await roost?.disconnect()
        (timeline, roost) = (nil, nil)
        // Wider than a window has rows.
        relay.write((21...800).map(String.init), from: "bob", to: "@alice")
        let again = try await alice.online()
        let shown = try await again.timeline(with: "@bob")
        await shown.until { $0.texts.last == "800" && !($0.conversation?.isStale ?? true) }
        await again.disconnect()
        while shown.snapshot.hasOlder, shown.texts.first != "1" { try await shown.loadOlder() }
        #expect(shown.texts.first == "1" && shown.texts.last == "800", "what is newest stays: \(shown.texts)")
    }

    @Test func aReturningMemberScrollsToEarlierMessages() async throws {
        let alice = try await Device("alice", on: relay).online()
        let bob = try await Device("bob", on: relay).online()
        let crew = try await bob.createGroup("Crew", members: ["alice"])
        let talk = try await bob.timeline(with: crew)
        try await talk.send("1")
        let timeline = try await alice.timeline(with: crew)
        await timeline.until { $0.texts == ["1"] }
        try await bob.removeMembers(["alice"], from: crew)
        await timeline.until { $0.items.isEmpty }
        try await bob.addMembers(["alice"], to: crew)
        try await talk.send("2")
        await timeline.until { $0.texts.last == "2" }
        try await timeline.loadOlder()
        await timeline.until { $0.texts == ["1", "2"] }
    }

    /// Both sides have the same lines for everyone's changes, and a new start has them.
    @Test func changesOfAGroupHaveLines() async throws {
        let device = try Device("alice", on: relay)
        let alice = try await device.online()
        let bob = try await Device("bob", on: relay).online()
        let crew = try await alice.createGroup("Crew", members: ["bob"])
        let (mine, theirs) = (try await alice.timeline(with: crew), try await bob.timeline(with: crew))
        try await mine.send("1")
        await theirs.until { $0.texts == ["1"] }
        try await alice.renameGroup(crew, to: "The Crew")
        try await alice.addMembers(["carol"], to: crew)
        try await alice.setRole(.admin, of: "bob", in: crew)
        try await mine.pin(.sequence(SequenceNumber(1)))
        try await alice.removeMembers(["carol"], from: crew)
        let expected: [ConversationLine.Event] = [
            .created, .renamed("The Crew"), .added(users: ["carol"], count: 1), .role(user: "bob", .admin),
            .pinned(SequenceNumber(1)), .removed(users: ["carol"], count: 1),
        ]
        await theirs.until { $0.lines.map(\.event) == expected }
        await mine.until { $0.lines.map(\.event) == expected }
        #expect(mine.snapshot.lines == theirs.snapshot.lines)
        #expect(mine.snapshot.lines.map(\.sequence.value) == [0, 1, 1, 1, 1, 1])
        await alice.disconnect()
        let again = try await device.start()
        let shown = try await again.timeline(with: crew)
        #expect(shown.snapshot.lines.map(\.event) == expected)
        // So has a new device, which got no event.
        let other = try await Device("alice", on: relay, name: "tablet").online()
        let there = try await other.timeline(with: crew)
        await there.until { $0.lines.map(\.event) == expected }
    }

    // MARK: Reading and typing

    @Test func readMeansSeenWhileActive() async throws {
        let roost = try await Device("alice", on: relay).online()
        let other = try await Device("bob", on: relay).online()
        let timeline = try await roost.timeline(with: "@bob")
        await roost.setActivity(.background)
        let writing = try await other.timeline(with: "@alice")
        try await writing.send("hi")
        await timeline.until { $0.texts == ["hi"] }
        try await timeline.seen(upTo: SequenceNumber(1))
        #expect(timeline.conversation?.unread == 1)
        await roost.until { $0.badge == 1 }
        await roost.setActivity(.active)
        try await timeline.seen(upTo: SequenceNumber(1))
        await roost.until { $0.badge == 0 }
        await writing.until { $0.states == [.read(count: 1, others: 1)] }
        let readers = try await writing.readers(of: SequenceNumber(1))
        #expect(readers.map(\.person.user) == ["alice"] && readers.first?.time != nil)
    }

    @Test func aSessionThatIsLostSaysWhy() async throws {
        let roost = try await Device("alice", on: relay).online()
        #expect(roost.snapshot.lastLoss == nil)
        relay.setReachable(false)
        relay.cut()
        await roost.until { $0.lastLoss?.reason == "the relay can't be reached" }
        relay.setReachable(true)
        await roost.until { $0.connection == .connected && $0.lastLoss == nil }
    }

    @Test func typingEndsByTimeAndWithTheConnection() async throws {
        let (one, other) = (try await Device("alice", on: relay).online(), try await Device("bob", on: relay).online())
        let writing = try await one.timeline(with: "@bob")
        try await writing.send("hi")
        await writing.until { $0.areSent == [true] }
        let reading = try await other.timeline(with: "@alice")
        await reading.until { $0.texts == ["hi"] }
        writing.draft = "h"
        try await writing.saveDraft()
        await reading.until { $0.typing == ["alice"] }
        relay.advance(.seconds(4))
        await reading.until { $0.typing.isEmpty }
        relay.advance(.seconds(4))
        writing.draft = ""
        try await writing.saveDraft()
        writing.draft = "he"
        try await writing.saveDraft()
        await reading.until { $0.typing == ["alice"] }
        relay.setReachable(false)
        relay.cut("bob")
        await reading.until { $0.typing.isEmpty }
    }
}

extension TimelineSnapshot {
    fileprivate var reactions: [String] {
        items.first?.message?.reactions.map { "\($0.reaction)\($0.count)" } ?? []
    }

    fileprivate var isChanging: Bool { items.contains { $0.message?.isChanging ?? false } }
}
