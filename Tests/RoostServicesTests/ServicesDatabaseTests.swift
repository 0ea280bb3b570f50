import Foundation
import Logging
import RoostStore
import Testing

@testable import RoostServices

/// The services' file keeps nothing that was deleted or replaced, wherever SQLite had moved it before.
struct ServicesDatabaseTests {
    private static let isDeep = ProcessInfo.processInfo.environment["ROOST_DEEP"] != nil
    private static let changes = isDeep ? 10_000 : 2_000
    private static let seeds: [UInt64] = isDeep ? Array(1...5) : [1]

    private let folder = TestFolder()

    /// Texts by where they stand, and markers of those that are gone.
    private struct Texts {
        var next = 0
        var standing: [String: String] = [:]
        var erased: Set<String> = []

        mutating func new(_ bytes: Int, at place: String) -> String {
            next += 1
            let digits = String(next, radix: 36)
            let marker = "<~" + String(repeating: "0", count: 10 - digits.count) + digits + "~>"
            if let old = standing.updateValue(marker, forKey: place) { erased.insert(old) }
            return marker + String(repeating: ".", count: bytes)
        }

        mutating func remove(_ isGone: (String) -> Bool) {
            for (place, marker) in standing where isGone(place) {
                erased.insert(marker)
                standing[place] = nil
            }
        }
    }

    /// A generator that gives the same numbers each time.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    /// The markers that the files of the folder have.
    private func markers() throws -> Set<String> {
        var found: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name)))
            var at = 0
            while at + 14 <= bytes.count {
                guard bytes[at] == UInt8(ascii: "<"), bytes[at + 1] == UInt8(ascii: "~"),
                    bytes[at + 13] == UInt8(ascii: ">")
                else {
                    at += 1
                    continue
                }
                found.insert(String(decoding: bytes[at..<(at + 14)], as: UTF8.self))
                at += 14
            }
        }
        return found
    }

    private func change(
        _ texts: inout Texts, _ random: inout Numbers, _ account: Int
    ) -> (sql: String, values: [LocalValue]) {
        let user = "u\(account)"
        let size = Int.random(in: 0..<120, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            texts.remove { $0.hasPrefix("\(user)/") }
            return ("DELETE FROM account WHERE user = ?", [.text(user)])
        case 2...3 where texts.standing["\(user)/name"] != nil:
            return (
                "UPDATE account SET name = ? WHERE user = ?", [.text(texts.new(size, at: "\(user)/name")), .text(user)]
            )
        case 4 where texts.standing["\(user)/name"] != nil:
            return (
                "UPDATE account SET email = ? WHERE user = ?",
                [.text(texts.new(size, at: "\(user)/email")), .text(user)]
            )
        case 5...7 where texts.standing["\(user)/name"] != nil:
            let sid = "\(user)/s\(Int.random(in: 0..<4, using: &random))"
            let device = texts.new(size, at: sid)
            return (
                """
                REPLACE INTO session (sid, user, device, current, renewals, created, used, expires, access_until)
                    VALUES (?, ?, ?, zeroblob(32), '', 1, 1, 9, 9)
                """, [.text(sid), .text(user), .text(device)]
            )
        default:
            guard texts.standing["\(user)/name"] == nil else {
                texts.remove { $0.hasPrefix("\(user)/s") }
                return ("DELETE FROM session WHERE user = ?", [.text(user)])
            }
            let (email, name) = (texts.new(size, at: "\(user)/email"), texts.new(size, at: "\(user)/name"))
            return (
                """
                INSERT INTO account (user, email, name, language, verified, suspended, operator, created)
                    VALUES (?, ?, ?, 'en', 1, 0, 0, 1)
                """, [.text(user), .text(email), .text(name)]
            )
        }
    }

    @Test(arguments: seeds) func noFileKeepsWhatWasDeleted(seed: UInt64) async throws {
        let database = try await ServicesDatabase(path: folder.path + "/services.db", log: Logger(label: "test"))
        var (texts, random) = (Texts(), Numbers(state: seed))
        for index in 1...ServicesDatabaseTests.changes {
            let change = change(&texts, &random, Int.random(in: 0..<150, using: &random))
            try await database.write { database throws(LocalFailure) in try database.run(change.sql, change.values) }
            guard index % 500 == 0 else { continue }
            // As every few minutes.
            try await database.forgetRest()
            let found = try markers()
            #expect(found.intersection(texts.erased) == [], "after \(index) changes")
            #expect(Set(texts.standing.values).subtracting(found) == [])
        }
        #expect(texts.erased.count > ServicesDatabaseTests.changes / 4)
        texts.remove { _ in true }
        try await database.write { database throws(LocalFailure) in try database.run("DELETE FROM account") }
        try await database.forget()
        #expect(try markers() == [])
    }

    /// A file of a version that left copies is written anew once.
    @Test func anOldFileIsWrittenAnew() async throws {
        let path = folder.path + "/services.db"
        _ = try await ServicesDatabase(path: path, log: Logger(label: "test"))
        var page: Int64 = 0
        try await withKnownFile(path) { database throws(LocalFailure) in
            try database.execute(
                """
                PRAGMA secure_delete = OFF; PRAGMA user_version = 0;
                INSERT INTO imported VALUES (CAST('squirrel' AS BLOB)); DELETE FROM imported;
                """)
            let query = "SELECT rootpage FROM sqlite_schema WHERE name = 'imported'"
            page = try database.rows(query) { $0.integer(0) }.first ?? 0
        }
        // Beside the rows of a page, as SQLite leaves it.
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let place = Int(page) * 4_096 - 3_000
        bytes.replaceSubrange(place..<(place + 8), with: Array("squirrel".utf8))
        let old = bytes
        try Data(old).write(to: URL(fileURLWithPath: path))
        let again = try await ServicesDatabase(path: path, log: Logger(label: "test"))
        try await again.forget()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data("squirrel".utf8)) == nil)
        let version = try await again.read { database throws(LocalFailure) in
            try database.rows("PRAGMA user_version") { $0.integer(0) }
        }
        #expect(version == [1])
    }

    private func withKnownFile(
        _ path: String, _ body: (LocalDatabase) throws(LocalFailure) -> Void
    ) async throws {
        let database = try LocalDatabase(path: path, migrations: nil)
        try body(database)
    }
}
