import RoostKit
import RoostStore
import RoostWire
import Testing

@testable import RoostChat

/// Changes to a conversation, on a terminal.
@Suite struct LineWordsTests {
    private func line(_ event: ConversationLine.Event, by: String = "bob", at sequence: Int64 = 1) -> ConversationLine {
        ConversationLine(
            id: "e-\(sequence)", sequence: SequenceNumber(sequence), time: Timestamp(milliseconds: Stage.noon), by: by,
            event: event)
    }

    private func says(_ event: ConversationLine.Event, by: String = "bob") -> String {
        LineWords(user: "alice", called: Names(), words: Stage.words).sentence(line(event, by: by))
    }

    @Test func eachEventIsASentence() {
        #expect(says(.created) == "bob created the group")
        #expect(says(.added(users: ["bob"], count: 1)) == "bob joined")
        #expect(says(.added(users: ["carol", "alice"], count: 2)) == "bob added carol and you")
        #expect(says(.added(users: ["a", "b"], count: 7)) == "bob added a, b and 5 others")
        #expect(says(.removed(users: ["carol"], count: 1), by: "alice") == "You removed carol")
        #expect(says(.left(owner: nil)) == "bob left")
        #expect(says(.left(owner: "alice")) == "bob left. You’re now the owner")
        #expect(says(.left(owner: "carol")) == "bob left. carol is now the owner")
        #expect(says(.renamed("X\u{1b}[1m")).hasPrefix("bob renamed the group to “X"))
        #expect(!says(.renamed("X\u{1b}[1m")).contains("\u{1b}"), "a name can't write on the screen")
        #expect(says(.role(user: "alice", .admin)) == "bob made you an admin")
        #expect(says(.role(user: "carol", .member)) == "bob made carol a regular member")
        #expect(says(.expiry(0)) == "bob turned off disappearing messages")
        #expect(says(.expiry(86_400_000)) == "bob set messages to disappear after 24 hours")
        #expect(says(.expiry(7 * 86_400_000)) == "bob set messages to disappear after 1 week")
        #expect(says(.expiry(90 * 86_400_000)) == "bob set messages to disappear after 90 days")
        #expect(says(.pinned(SequenceNumber(2))) == "bob pinned a message")
        #expect(says(.banned(users: ["carol"], count: 1, .spam)) == "bob banned carol: spam")
        #expect(says(.unbanned(user: "alice")) == "bob lifted the ban on you")
        let timeout = MemberTimeout(until: Timestamp(milliseconds: Stage.noon), reason: .other)
        #expect(says(.timeout(user: "carol", timeout)).hasPrefix("bob gave carol a timeout until "))
        #expect(says(.timeout(user: "carol", nil)) == "bob ended carol’s timeout")
        #expect(says(.posting(.admins)) == "bob let only admins send messages")
        #expect(says(.slow(0)) == "bob turned off slow mode")
        #expect(says(.slow(1_000)) == "bob turned on slow mode: 1 second between messages")
        #expect(says(.slow(90_000)) == "bob turned on slow mode: 90 seconds between messages")
        #expect(says(.slow(300_000)) == "bob turned on slow mode: 5 minutes between messages")
        #expect(says(.slow(21_600_000)) == "bob turned on slow mode: 6 hours between messages")
    }

    @Test func linesStandBetweenMessages() {
        var scene = Stage.scene([
            Stage.message(1, "bob", "First"), Stage.message(2, "bob", "Second"), Stage.message(nil, "alice", "Third"),
        ])
        scene.timeline.lines = [
            line(.described, at: 0), line(.pinned(SequenceNumber(1)), at: 1), line(.renamed("Crew"), at: 2),
        ]
        let words = ["Today", "changed the photo", "First", "pinned a", "Second", "renamed the group", "Third"]
        let places = words.map { word in scene.shown().lastIndex { $0.contains(word) } }
        #expect(!places.contains(nil) && places.compactMap { $0 } == places.compactMap { $0 }.sorted())
        scene.timeline.items = []
        #expect(scene.shown().contains { $0.contains("renamed the group to “Crew”") })
    }
}
