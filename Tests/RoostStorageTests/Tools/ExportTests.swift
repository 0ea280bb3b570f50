import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// An import brings back what was exported, once, even at other positions.
@Suite struct ExportTests {
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func comesBackAsItWas(seed: UInt64) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog.random(scratch.path("one"), seed: seed)
        let wanted = try log.contents()
        let rows = try log.number("SELECT count(*) FROM log WHERE conversation IN (SELECT number FROM conversation)")
        let exported = try scratch.export("one", to: "lines")
        log.close()
        #expect(exported.damaged == 0 && exported.withheld == 0)
        let first = try scratch.take("lines", into: "two")
        #expect(first == StoreImporter.Result(lines: exported.lines, added: Int64(rows), known: 0))
        try scratch.expectContents("two", wanted)
        let second = try scratch.take("lines", into: "two")
        #expect(second == StoreImporter.Result(lines: exported.lines, added: 0, known: Int64(rows)))
        try scratch.expectContents("two", wanted)
        try scratch.expectSound("two")
    }

    /// Two users wait to join a group, by one link.
    @Test func whoWaitsComesBackOnce() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog.random(scratch.path("one"), seed: 3)
        let group = try #require(try log.load().conversations.first { $0.kind == .group })
        let request = StoredInvite(
            hash: Array(repeating: 9, count: 32), conversation: group.number, kind: StoredInvite.asking, uses: 1,
            created: Timestamp(milliseconds: 5), expires: Timestamp(milliseconds: 9))
        var rule = Append(
            .conversation, in: group.number, by: UserNumber(1), device: "d", at: Timestamp(milliseconds: 99))
        rule.change = .joining(group.joining == .ask ? .open : .ask)
        rule.body = Array(#""event":"joining""#.utf8)
        _ = try log.writer.commit([
            .append(rule), .invite(UserNumber(4), id: "j1", request), .invite(UserNumber(5), id: "j2", request),
        ])
        log.close()
        _ = try scratch.export("one", to: "lines")
        for _ in 0..<2 { _ = try scratch.take("lines", into: "two") }
        let two = try SQLiteLog(scratch.path("two"), .normal, .tiny)
        defer { two.close() }
        let snapshot = try two.load()
        let there = try #require(snapshot.conversations.first { $0.id == group.id })
        #expect(there.joining != group.joining)
        let requests = snapshot.invites.filter(\.stored.isRequest)
        #expect(requests.map(\.id) == ["j1", "j2"])
        #expect(requests.allSatisfy { $0.stored.conversation == there.number && $0.stored.hash == request.hash })
    }

    /// Every conversation is exported alone, and imported into a store that has others.
    @Test func conversationsOneByOne() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog.random(scratch.path("one"), seed: 7)
        let wanted = try log.contents().filter { $0.hasPrefix("c") }
        let ids = try log.load().conversations.map(\.id)
        for id in ids { _ = try scratch.export("one", .conversation(id), to: "\(id).lines") }
        log.close()
        for id in ids.reversed() { _ = try scratch.take("\(id).lines", into: "two") }
        #expect(try scratch.contents("two").filter { $0.hasPrefix("c") } == wanted)
        try scratch.expectSound("two")
    }

    /// One user's rows keep their sequences, and nothing that others wrote is in the file.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func oneUser(seed: UInt64) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog.random(scratch.path("one"), seed: seed)
        let result = try scratch.export("one", .user("u2"), to: "lines")
        log.close()
        #expect(result.withheld > 0)
        let text = try String(contentsOfFile: scratch.path("lines"), encoding: .utf8)
        #expect(!text.contains("\"from\":\"u1\""))
        _ = try scratch.take("lines", into: "two")
        #expect(try scratch.take("lines", into: "two").added == 0)
        try scratch.expectSound("two")
        let before = try scratch.contents("one").filter { $0.contains(" message ") && $0.contains(" u2 ") }
        let after = try scratch.contents("two").filter { $0.contains(" message ") && $0.contains(" u2 ") }
        #expect(after.count > 5 && Set(after).isSubset(of: before))
    }

    /// A store that has only one user's part of another can be exported and imported like any.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func oneUserAgain(seed: UInt64) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog.random(scratch.path("one"), seed: seed)
        let withheld = try scratch.export("one", .user("u2"), to: "part").withheld
        log.close()
        _ = try scratch.take("part", into: "two")
        let wanted = try scratch.contents("two").filter { !$0.contains("@withheld") }
        let again = try scratch.export("two", to: "all")
        #expect(again.withheld == withheld && again.damaged == 0)
        _ = try scratch.take("all", into: "three")
        #expect(try scratch.contents("three").filter { !$0.contains("@withheld") } == wanted)
        #expect(try scratch.take("all", into: "two").added == 0)
        for store in ["two", "three"] { try scratch.expectSound(store) }
    }

    @Test func positionsMoveWithTheRows() {
        var map = PositionMap([0, 3, 5, 6, 9, 20])
        for (old, new) in [(3, 11), (4, 12), (6, 40), (5, 41), (8, 42)] as [(Int64, Int64)] { map.note(old, is: new) }
        #expect([0, 3, 5, 6, 9, 20, 7].map { map.position($0) } == [0, 11, 12, 40, 42, 42, 0])
    }

    /// A line stands for a damaged message, so that the others keep their sequences.
    @Test func damageIsLeftOut() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([group(1)] + (1...9).map { message("m\($0)", key: "k\($0)") })
        try log.writer.database.execute(
            "UPDATE log SET body = 'x' WHERE position = 4; DELETE FROM log WHERE position = 5")
        let result = try scratch.export("one", to: "lines")
        log.close()
        #expect(result.damaged == 1 && result.withheld == 2)
        _ = try scratch.take("lines", into: "two")
        let two = try SQLiteLog(scratch.path("two"), .normal, .tiny)
        defer { two.close() }
        let shown = try two.history(1)
        #expect(shown.map(\.sequence.value) == Array(1...9))
        #expect(shown.filter { $0.deletedAt != .never }.map(\.sequence.value) == [3, 4])
    }
}
