import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// Files that an import refuses, before it has written anything.
@Suite struct RefusedImportTests {
    @Test(arguments: [
        ("\"body\":\"m5\"", "\"body\":\"other\"", "the store has this conversation with other content"),
        ("\"key\":\"k5\"", "\"key\":\"other\"", "the store has this conversation with other content"),
        ("\"sequence\":5", "\"sequence\":6", "sequence: 6 comes after 4"),
        ("\"lines\":", "\"lines\":1", "lines: "),
        ("\"name\":\"Zoë\"", "\"name\":\"Zo\\u200Bë\"", "name: must have no invisible characters"),
        ("\"label\":\"knee\"", "\"label\":\"kn\\u202Eee\"", "label: must have no control characters"),
        ("\"bio\":\"two", "\"bio\":\"\\u0007two", "bio: must have no control characters"),
        ("\"type\":\"end\"", "\"type\":\"user\",\"user\":\"u1\"", "1 unknown members"),
    ])
    func whatDoesNotFitIsRefusedBeforeAnythingIsWritten(old: String, new: String, reason: String) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([group(1)] + (1...9).map { message("m\($0)", key: "k\($0)") })
        _ = try scratch.export("roost.db", to: "lines")
        log.close()
        let before = try scratch.contents("roost.db")
        let text = try String(contentsOfFile: scratch.path("lines"), encoding: .utf8)
        let changed = text.replacingOccurrences(of: old, with: new)
        #expect(changed != text)
        try changed.write(toFile: scratch.path("lines"), atomically: true, encoding: .utf8)
        let failure = #expect(throws: ToolFailure.self) { try scratch.take("lines", into: "roost.db") }
        guard case .line(_, let number, let found) = failure else {
            Issue.record("refused otherwise: \(String(describing: failure))")
            return
        }
        let pairs = zip(text.split(separator: "\n"), changed.split(separator: "\n"))
        let line = pairs.prefix { $0 == $1 }.count + 1
        #expect(found.hasPrefix(reason) && number == Int64(line), "\(number): \(found)")
        #expect(try scratch.contents("roost.db") == before)
    }

    /// A thread begins with a message that is in none, whether it stands or was deleted.
    @Test(arguments: [false, true])
    func threadsOfThreadsAreRefused(isDeleted: Bool) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        var replies = [message("reply"), message("other")]
        for index in replies.indices { replies[index].extras = Extras(thread: SequenceNumber(1)) }
        _ = try log.commit([group(1), message("root")] + replies)
        if isDeleted { _ = try log.commit([about(.delete, 2)]) }
        _ = try scratch.export("roost.db", to: "lines")
        log.close()
        #expect(try scratch.take("lines", into: "good").known == 0)
        var lines = try String(contentsOfFile: scratch.path("lines"), encoding: .utf8).split(separator: "\n")
        let place = try #require(lines.firstIndex { $0.contains("\"sequence\":3") })
        lines[place] = Substring(lines[place].replacingOccurrences(of: "{\"thread\":1}", with: "{\"thread\":2}"))
        try lines.joined(separator: "\n").appending("\n")
            .write(toFile: scratch.path("lines"), atomically: true, encoding: .utf8)
        let failure = #expect(throws: ToolFailure.self) { try scratch.take("lines", into: "bad") }
        guard case .line(_, let number, let reason) = failure else {
            Issue.record("refused otherwise: \(String(describing: failure))")
            return
        }
        #expect(number == Int64(place) + 1 && reason.contains("itself in a thread"))
    }

    @Test func morePinsThanAConversationHasAreRefused() throws {
        let scratch = try Scratch()
        let most = Limits().pinsPerConversation
        let log = try SQLiteLog(scratch.path(), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([group(1)] + (0...most).map { message("m\($0)", key: "k\($0)") })
        _ = try log.commit((1...most).map { change(.pin(SequenceNumber(Int64($0)))) })
        _ = try scratch.export("roost.db", to: "lines")
        log.close()
        _ = try scratch.take("lines", into: "good")
        var lines = try String(contentsOfFile: scratch.path("lines"), encoding: .utf8).split(separator: "\n")
        let last = try #require(lines.lastIndex { $0.hasPrefix("{\"type\":\"pin\"") })
        let (old, new) = ("\"sequence\":\(most)", "\"sequence\":\(most + 1)")
        lines.insert(Substring(lines[last].replacingOccurrences(of: old, with: new)), at: last + 1)
        try lines.joined(separator: "\n").appending("\n")
            .write(toFile: scratch.path("lines"), atomically: true, encoding: .utf8)
        let reason = "sequence: more pinned messages than a conversation has"
        let path = scratch.path("lines")
        #expect(throws: ToolFailure.line(path: path, number: Int64(last) + 2, reason: reason)) {
            try scratch.take("lines", into: "bad")
        }
    }

    /// A sender's key is used once for ever, and two users have one direct conversation.
    @Test func duplicatesOfUniqueLinesAreRefused() throws {
        let scratch = try Scratch()
        for (store, number) in [("one", 1), ("two", 2)] as [(String, Int32)] {
            let log = try SQLiteLog(scratch.path(store), .normal, .tiny)
            _ = try log.writer.commit(RandomContent.directory)
            var direct = group(number + 10)
            direct.change = .create(
                id: "d\(number)", kind: .direct, name: "",
                members: [NewMember(UserNumber(1), .member), NewMember(UserNumber(2), .member)])
            _ = try log.commit([group(number), message("x", in: number, key: "same"), direct])
            log.close()
        }
        _ = try scratch.export("two", .conversation("c2"), to: "group")
        _ = try scratch.export("two", .conversation("d2"), to: "direct")
        let before = try scratch.contents("one")
        for (file, line, reason) in [
            ("group", 6, "key: its sender used it before"),
            ("direct", 5, "its two users have a direct conversation already, d1"),
        ] as [(String, Int64, String)] {
            #expect(throws: ToolFailure.line(path: scratch.path(file), number: line, reason: reason)) {
                try scratch.take(file, into: "one")
            }
        }
        _ = try StoreImporter.giveUp(scratch.path("one"), durability: .normal)
        // The group that has no members yet goes, too.
        #expect(try scratch.contents("one") == before)
    }
}

extension String {
    fileprivate func write(toFile path: String, atomically: Bool, encoding: Encoding) throws {
        try write(to: URL(fileURLWithPath: path), atomically: atomically, encoding: encoding)
    }
}
