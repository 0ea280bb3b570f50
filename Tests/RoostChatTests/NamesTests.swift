import RoostKit
import RoostStore
import RoostWire
import Testing

@testable import RoostChat
@testable import RoostKit

/// Users' names on a terminal.
@Suite struct NamesTests {
    private func profile(_ json: String) throws -> UserProfile {
        try #require(Array(json.utf8).withUnsafeBytes { JSONMembers(parsing: $0).flatMap(UserProfile.init(reading:)) })
    }

    private func names() throws -> Names {
        try Names(profiles: [
            "bob": profile(#"{"user":"bob","version":1,"name":"Bob B.","username":"bobby"}"#),
            "eve": profile(#"{"user":"eve","version":1,"name":"E\u001b[31mve"}"#),
        ])
    }

    @Test func usersWithoutANameAreShownByTheID() throws {
        let names = try names()
        #expect(names.short("bob") == "Bob B." && names.short("carol") == "carol")
        #expect(names.long("bob") == "Bob B. (bob)" && names.long("carol") == "carol")
        #expect(!names.short("eve").contains("\u{1b}"), "a name can't write on the screen")
    }

    @Test func linesOfATimelineShowNames() throws {
        var scene = Stage.scene([
            Stage.message(1, "bob", "Are you there?"), Stage.message(2, "alice", "Yes", replyTo: 1),
        ])
        #expect(scene.shown().contains { $0.contains("bob    Are you there?") })
        scene.names = try names()
        let shown = scene.shown()
        #expect(shown.contains { $0.contains("Bob B.  Are you there?") })
        #expect(shown.contains { $0.contains("╭ Bob B.: Are you there?") })
        #expect(shown[0].contains("Bob B.") && !shown[0].contains("bob"))
        scene.timeline.typing = ["bob"]
        #expect(scene.shown().contains { $0.contains("Bob B. is typing") })
    }

    @Test func aHiddenMessageIsAPlace() {
        var message = TimelineMessage(
            id: .sequence(SequenceNumber(1)), sequence: SequenceNumber(1), from: "", isOwn: false,
            time: Timestamp(milliseconds: Stage.noon).date, kind: "text", isDeleted: false, reactions: [],
            isChanging: false)
        message.isHidden = true
        let scene = Stage.scene([.message(message)])
        let shown = scene.shown()
        #expect(shown.contains { $0.contains("(hidden because of a block)") })
        #expect(!shown.contains { $0.contains("lost") || $0.contains("?") })
        #expect(TimelineLines.preview(message, Stage.words) == "(hidden)")
    }

    @Test func mentionsAndMutesShowInTheList() {
        var scene = Stage.scene([])
        var conversation = Stage.conversation(["alice", "bob", "carol"], name: "Crew")
        (conversation.unread, conversation.mentions) = (3, 1)
        var row = Stage.row("Crew", nil, unread: 3, isGroup: true)
        row.conversation = conversation
        scene.list.rows = [row]
        #expect(scene.shown().contains { $0.contains("@1 3") })
    }

    @Test func peopleAndContactsAreLines() throws {
        let bob = try profile(#"{"user":"bob","version":1,"name":"Bob B.","username":"bobby"}"#)
        #expect(PersonLine.found(bob) == "  Bob B. (bob), @bobby")
        #expect(PersonLine.found(try profile(#"{"user":"carol"}"#)) == "  carol")
        let json = Array(#"{"user":"bob","kind":"client","state":"received","label":"from work","since":1}"#.utf8)
        let contact = try #require(
            json.withUnsafeBytes { JSONMembers(parsing: $0).flatMap(Contact.init(reading:)) })
        let line = PersonLine.contact(contact, try names(), Stage.words)
        #expect(line == "  Bob B. (bob), client, invites you: /accept bob – from work")
    }
}
