import CSQLite
import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// The work of an import grows with the lines of its file and not with their square, and one that is cut short says so
/// until it is repeated.
@Suite struct ImportWorkTests {
    /// Work of all statements of a connection, as SQLite counts it (sqlite.org/c3ref/c_stmtstatus_counter.html).
    private struct Work {
        /// Rows that were passed without an index.
        var scanned = 0
        /// Instructions.
        var steps = 0

        init(of database: Database) {
            var statement = sqlite3_next_stmt(database.handle, nil)
            while let found = statement {
                scanned += Int(sqlite3_stmt_status(found, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0))
                steps += Int(sqlite3_stmt_status(found, SQLITE_STMTSTATUS_VM_STEP, 0))
                statement = sqlite3_next_stmt(database.handle, found)
            }
        }
    }

    /// A file with `count` of everything that a store has one of for each user.
    private func write(_ count: Int, to path: String, epoch: String = "abc", head: Int = 9) throws {
        var lines = [#"{"type":"export","format":1,"scope":"all","epoch":"\#(epoch)","head":\#(head),"time":5}"#]
        let hash = String(repeating: "ab", count: SHA256Hash.byteCount)
        for number in 0..<count {
            let (user, next) = ("u\(number)", "u\((number + 1) % count)")
            let conversation = "c\(number)"
            lines += [
                #"{"type":"user","user":"\#(user)"}"#,
                #"{"type":"profile","user":"\#(user)","version":1,"name":"N","username":"name\#(number)"}"#,
                #"{"type":"conversation","conversation":"\#(conversation)","kind":"group","name":"g"}"#,
                #"{"type":"member","conversation":"\#(conversation)","user":"\#(user)","role":"owner"}"#,
                #"{"type":"device","user":"\#(user)","device":"phone"}"#,
                #"{"type":"device","user":"\#(user)","device":"laptop"}"#,
                #"{"type":"exception","user":"\#(user)","other":"\#(next)","as":"never"}"#,
                #"{"type":"setting","user":"\#(user)","key":"preferences/x","time":5,"value":1}"#,
                #"{"type":"contact","user":"\#(user)","other":"\#(next)","kind":"friend","otherKind":"friend"}"#,
                #"{"type":"prospect","user":"\#(user)","prospect":"p","name":"Zoë"}"#,
                #"{"type":"invite","user":"\#(user)","invite":"i","hash":"\#(hash)","kind":"friend","uses":1,"used":0,"#
                    + #""createdAt":1,"expires":2}"#,
                #"{"type":"report","reporter":"\#(user)","user":"\#(next)","reason":"spam","time":\#(number + 1)}"#,
                #"{"type":"pin","conversation":"\#(conversation)","sequence":1,"by":"\#(user)","time":5,"position":1}"#,
            ]
        }
        for number in 0..<count {
            let start = #""conversation":"c\#(number)","position":\#(number + 1),"from":"u\#(number)","time":5"#
            lines.append(#"{"type":"message",\#(start),"sequence":1,"key":"k","body":"x"}"#)
        }
        // One conversation, of which all messages but the first are in a thread.
        lines.append(#"{"type":"conversation","conversation":"long","kind":"group","name":"g"}"#)
        for number in 1...count {
            let start = #""conversation":"long","position":\#(count + number),"from":"u0","time":5"#
            let extras = number == 1 ? "" : #""extras":{"thread":1},"#
            lines.append(#"{"type":"message",\#(start),"sequence":\#(number),\#(extras)"body":"x"}"#)
        }
        lines.append(#"{"type":"end","lines":\#(lines.count)}"#)
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func work(of count: Int) throws -> Work {
        let scratch = try Scratch()
        try write(count, to: scratch.path("lines"))
        let log = try SQLiteLog(path: scratch.path(), durability: .normal)
        defer { log.close() }
        // Also into a store that has all of it already.
        for turn in 0..<2 {
            let result = try StoreImporter.run(scratch.path("lines"), into: log)
            #expect(result.added == (turn == 0 ? 2 * Int64(count) : 0))
        }
        #expect(try log.number("SELECT count(*) FROM device") == 2 * count)
        #expect(try log.number("SELECT count(*) FROM profile WHERE username <> ''") == count)
        return Work(of: log.writer.database)
    }

    @Test func workGrowsWithTheFile() throws {
        let (small, large) = (try work(of: 400), try work(of: 1_600))
        #expect(Double(large.scanned) < 4.5 * Double(small.scanned) + 1_000)
        #expect(Double(large.steps) < 4.5 * Double(small.steps))
    }

    @Test func anImportThatWasCutShortIsToBeRepeated() throws {
        let scratch = try Scratch()
        try write(400, to: scratch.path("lines"))
        try write(3, to: scratch.path("other"), epoch: "other")
        nonisolated(unsafe) var copy: String?
        nonisolated(unsafe) let folder = scratch
        let path = scratch.path("whole.db")
        _ = try StoreImporter.run(scratch.path("lines"), into: path, durability: .full) { progress in
            guard progress.step == "importing", copy == nil else { return }
            copy = try? folder.crashCopy(of: "whole.db", as: "cut.db")
        }
        let cut = try #require(copy)
        let report = try StoreVerifier.run(cut, progress: noProgress)
        #expect(report.findings.map(\.remedy) == [.importAgain])
        #expect(report.findings.first?.meaning.contains("the import of an export of store abc was cut short") == true)
        #expect(report.damageCount == 0 && !report.isSound)
        // A relay would forget users who haven't come yet, and take messages that stand in the way of the rest.
        do {
            let log = try SQLiteLog(path: cut, durability: .full)
            defer { log.close() }
            let sentence = "the import of an export of store abc was cut short: import that file again"
            #expect(throws: StorageFailure.importUnderWay(sentence)) { _ = try log.load() }
        }
        // A given-up import leaves nothing invisible behind.
        let given = try scratch.crashCopy(of: "cut.db", as: "given.db")
        #expect(try StoreImporter.giveUp(given, durability: .full).count == 1)
        let left = try StoreVerifier.run(given, progress: noProgress)
        #expect(left.findings.map(\.description) == [] && left.conversations == 0)
        // The import of another file doesn't finish it, and says so.
        let between = try scratch.take("other", into: "cut.db")
        #expect(between.unfinished == ["the import of an export of store abc was cut short: import that file again"])
        // Nor does an earlier export of the same store.
        try write(3, to: scratch.path("earlier"), head: 1)
        #expect(try scratch.take("earlier", into: "cut.db").unfinished.count == 1)
        #expect(try scratch.take("lines", into: "cut.db").unfinished == [])
        try scratch.expectSound("cut.db")
        // A store that an import was cut short in can be copied and restored, to be repeated there.
        _ = try StoreBackup.run(from: path, to: scratch.path("backup"), progress: noProgress)
    }

    /// An import that can't be repeated, because a line of the file is refused, can be left as it is.
    @Test func anUnfinishedImportIsGivenUp() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog.random(scratch.path(), seed: 6)
        try log.writer.transactions.run { try UnfinishedImports.begin(nil, in: log.writer.database) }
        log.close()
        let given = try StoreImporter.giveUp(scratch.path(), durability: .full)
        let sentence = "the import of an export of store  is given up; 0 conversations without members are erased"
        #expect(given == [sentence])
        #expect(try StoreImporter.giveUp(scratch.path(), durability: .full) == [])
        let again = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { again.close() }
        _ = try again.load()
        #expect(throws: ToolFailure.noStore(path: scratch.path("none"))) {
            _ = try StoreImporter.giveUp(scratch.path("none"), durability: .full)
        }
    }

    @Test func aStoreWithAnUnfinishedImportCanBeRestored() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog.random(scratch.path(), seed: 6)
        try log.writer.transactions.run { try UnfinishedImports.begin(nil, in: log.writer.database) }
        log.close()
        _ = try StoreBackup.run(from: scratch.path(), to: scratch.path("backup"), progress: noProgress)
        _ = try StoreRestore.run(
            from: scratch.path("backup"), to: scratch.path("new.db"), stamp: "1", progress: noProgress)
        let report = try StoreVerifier.run(scratch.path("new.db"), progress: noProgress)
        #expect(report.findings.map(\.remedy) == [.importAgain])
    }
}
