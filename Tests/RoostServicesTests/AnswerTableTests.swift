import Foundation
import RoostWire
import Testing

@testable import RoostServices

/// Answers for keys: the table, and its effect on answers.
struct AnswerTableTests {
    private func filtered(_ path: String, _ words: Set<APIKey.Word>, _ text: String) -> String {
        let reply = JSONValue(parsing: text).map { JSONMembers($0) } ?? JSONMembers()
        return String(decoding: AnswerTable(path, words: words).filtered(reply), as: UTF8.self)
    }

    @Test func theTableIsThatOfTheDocument() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Docs/HTTP.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let written = lines.drop { $0 != "| path | word | members of the answer |" }.dropFirst(2)
            .prefix { $0.hasPrefix("|") }.map(String.init)
        let ours = AnswerTable.rows.filter { !$0.members.isEmpty }.map { row in
            "| `\(row.path)` | `\(row.word.rawValue)` | \(row.members.map { "`\($0)`" }.joined(separator: ", ")) |"
        }
        #expect(written == ours, "\(ours.joined(separator: "\n"))")
    }

    @Test func everyRouteHasItsWordInTheTable() {
        for command in BackendCommand.all {
            #expect(
                AnswerTable.rows.contains { $0.path == command.path && $0.word == command.word }, "\(command.path)")
        }
        let paths = Set(AnswerTable.rows.map(\.path))
        let others = ["erase/messages", "erase/messages/state", "users", "users/{user}"]
        #expect(paths == Set(BackendCommand.all.map(\.path)).union(others))
    }

    @Test func aMemberThatIsNotInTheTableIsNobodys() {
        let text = #"{"type":"ok","re":1,"closed":1,"new":{"a":1},"unstored":true}"#
        #expect(filtered("sessions/revoke", Set(APIKey.Word.allCases), text) == #"{"closed":1,"unstored":true}"#)
        #expect(filtered("sessions/revoke", [.sessions], text) == #"{"unstored":true}"#)
        #expect(filtered("none", Set(APIKey.Word.allCases), text) == "{}")
    }

    @Test func withoutReadNoAnswerSaysWhetherAnythingChanged() {
        for path in ["messages/edit", "messages/delete", "messages/react"] {
            let changed = #"{"type":"ok","re":1,"position":"e-7","time":9,"version":2}"#
            let unchanged = #"{"type":"ok","re":1,"duplicate":true}"#
            for text in [changed, unchanged] { #expect(filtered(path, [.send, .conversations], text) == "{}") }
            #expect(filtered(path, [.send, .read], unchanged) == #"{"duplicate":true}"#)
        }
    }

    @Test func withoutReadAConversationThatIsThereDoesNotSayWhenItsNewestEventCame() {
        let there = #"{"type":"ok","re":1,"conversation":{"kind":"direct"},"position":"e-7","time":9,"duplicate":true}"#
        let words = Set(APIKey.Word.allCases)
        #expect(
            filtered("conversations", words.subtracting([.read]), there)
                == #"{"conversation":{"kind":"direct"},"duplicate":true}"#)
        #expect(filtered("conversations", words, there).contains(#""position":"e-7","time":9,"duplicate":true"#))
        // An answer about the key's own creation reveals nothing about others.
        let made = there.replacing(#","duplicate":true"#, with: "")
        #expect(filtered("conversations", [.conversations], made).contains(#""time":9"#))
        #expect(filtered("conversations/add", [.conversations], there).contains(#""time":9"#))
    }

    @Test func withoutReadPeopleDoNotSayWhoWroteLast() {
        let text = #"""
            {"type":"ok","conversations":[{"conversation":"c","members":["ann","bob"],"message":{"from":"gone"}}],\#
            "people":[{"user":"gone","version":1},{"user":"bob","version":2},{"user":"ann","version":3,"more":1}]}
            """#
        #expect(
            filtered("conversations/list", [.conversations], text)
                == #"{"conversations":[{"conversation":"c","members":["ann","bob"]}],"#
                + #""people":[{"user":"ann","version":3},{"user":"bob","version":2}]}"#)
        #expect(filtered("conversations/list", [.conversations, .read], text).contains(#""user":"gone","version":1}"#))
    }
}
