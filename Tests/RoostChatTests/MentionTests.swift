import RoostKit
import RoostWire
import Testing

@testable import RoostChat
@testable import RoostKit
@testable import RoostStore

/// Mentions in a text, and the way they are shown.
@Suite struct MentionTests {
    private let names = Names(profiles: [
        "bob": UserProfile(user: "bob", version: 1, name: "Bob B.", username: "bobby"),
        "carol": UserProfile(user: "carol", version: 1, name: "Ann"),
        "dave": UserProfile(user: "dave", version: 1, name: "Ann", username: "carol2"),
        "bob.b": UserProfile(user: "bob.b", version: 1),
    ])

    private func users(_ text: String, role: MemberRole = .member) -> [String] {
        var crew = Stage.conversation(["alice", "bob", "carol", "dave", "bob.b", "Ève"], name: "Crew")
        crew.role = role
        return MentionReader(crew, names, user: "alice").users(in: text)
    }

    @Test(arguments: [
        ("@bob, lunch?", ["bob"]), ("(@bob)", ["bob"]), ("@BOB and @bob", ["bob"]), ("hi @bobby!", ["bob"]),
        ("@Bob B. said so", ["bob"]), ("@bob.b", ["bob.b"]), ("@bob. And @carol", ["bob", "carol"]),
        ("@bob-like", []), ("@bob_", []), ("@bobs", []), ("me@bob", []), ("@", []), ("@@bob", ["bob"]), ("bob", []),
        ("@ann", ["carol", "dave"]), ("@ève", ["Ève"]), ("@alice", []), ("@zoe", []), ("@all", []),
        ("@carol2", ["dave"]),
        ("@bob@carol", ["bob", "carol"]),
    ])
    func namesAreFound(text: String, mentioned: [String]) { #expect(users(text) == mentioned) }

    @Test func onlyWhoMayMentionsAll() {
        #expect(users("@all: lunch", role: .owner) == ["@all"] && users("@all", role: .admin) == ["@all"])
    }

    @Test func inAConversationOfTwoNobodyIs() {
        #expect(MentionReader(Stage.conversation(), names, user: "alice").users(in: "@bob") == [])
        #expect(MentionReader(nil, names, user: "alice").users(in: "@bob") == [])
    }

    @Test func thereAreAsManyAsAMessageMayHave() {
        let members = (0..<50).map { "user\($0)" }
        let reader = MentionReader(Stage.conversation(members, name: "Crew"), Names(), user: "alice")
        #expect(reader.users(in: members.map { "@" + $0 }.joined(separator: " ")).count == Limits().mentionsPerMessage)
    }

    @Test func mentionsOfTheUserAreMarked() {
        var items = [Stage.message(1, "bob", "@alice, lunch?"), Stage.message(2, "bob", "or not", minutes: 9)]
        guard case .message(var message) = items[0] else { return }
        message.mentions = ["alice"]
        items[0] = .message(message)
        let scene = Stage.scene(items)
        #expect(scene.shown().contains { $0.contains("@alice, lunch?") && $0.hasSuffix("for you") })
        #expect(scene.shown().contains { $0.contains("or not") && !$0.hasSuffix("for you") })
        message.mentions = ["@all"]
        #expect(MentionWords.isFor("carol", message))
        message.isOwn = true
        #expect(!MentionWords.isFor("carol", message))
        message.isOwn = false
        #expect(PlainLine(message).text(for: "alice", Names(), Stage.words).hasSuffix("bob: @alice, lunch? (for you)"))
    }
}
