import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// Messages that are older or more than the operator wants to keep are erased.
@Suite struct RetentionTests {
    private static let day: Int64 = 86_400_000

    /// A clock that the test sets.
    private final class Time: @unchecked Sendable {
        var now = 100 * RetentionTests.day
    }

    private let scratch: Scratch
    private let time = Time()

    init() throws { scratch = try Scratch() }

    private func open(days: Int64? = nil, bytes: Int64? = nil, rowsWhenIdle: Int = 7) throws -> SQLiteLog {
        var retention = Retention()
        retention.milliseconds = days.map { $0 * Self.day }
        retention.bytes = bytes
        var bounds = StorageBounds()
        bounds.expiredRowsPerCommit = 2
        bounds.expiredRowsWhenIdle = rowsWhenIdle
        bounds.expiryMilliseconds = 0
        bounds.erasedMilliseconds = 0
        return try SQLiteLog(
            scratch.path(), .full, bounds, retention: retention, time: { [time] in time.now })
    }

    private func text(_ body: String, key: String, daysAgo: Int64) -> Append {
        old(message(body, key: key), daysAgo)
    }

    private func old(_ event: Append, _ days: Int64) -> Append {
        var event = event
        event.time = Timestamp(milliseconds: time.now - days * Self.day)
        return event
    }

    private func maintain(_ log: SQLiteLog) throws {
        for _ in 0..<100 { _ = try log.writer.maintain() }
    }

    private func bodies(_ log: SQLiteLog) throws -> [String] {
        try log.history(1).map { $0.deletedAt == .never ? String(decoding: $0.body, as: UTF8.self) : "-" }
    }

    @Test func whatIsTooOldIsErased() throws {
        let log = try open(days: 30)
        defer { log.close() }
        _ = try log.commit([
            creation(), text("squirrel", key: "a", daysAgo: 31), text("stays", key: "b", daysAgo: 29),
        ])
        try maintain(log)
        #expect(try bodies(log) == ["-", "\"stays\""])
        #expect(try !scratch.holds("squirrel"))
        #expect(log.statistics.expiredMessages == 1)
        // What was changed is committed, so it needn't be remembered.
        #expect(log.writer.log.changed.isEmpty)
        // Its number and its key stay.
        let again = try log.commit([text("squirrel", key: "a", daysAgo: 0), text("next", key: "c", daysAgo: 0)])
        #expect(again.first.map { if case .duplicate = $0 { true } else { false } } == true)
        #expect(again.last == .stored(Position(4), SequenceNumber(3)))
        // Nobody can change it any more.
        #expect(try log.commit([old(about(.edit, 1), 0)]) == [.refused(.gone)])
        time.now += 2 * Self.day
        try maintain(log)
        #expect(try bodies(log).prefix(2) == ["-", "-"])
    }

    @Test func withoutARuleNothingIsErased() throws {
        let log = try open()
        defer { log.close() }
        _ = try log.commit([creation(), text("stays", key: "a", daysAgo: 99)])
        try maintain(log)
        #expect(try bodies(log) == ["\"stays\""])
    }

    /// The oldest go until the rest has few enough bytes. What is younger than a day stays in any case.
    @Test func theOldestGoWhenThereAreTooManyBytes() throws {
        let log = try open(bytes: 35)
        defer { log.close() }
        // With its quotation marks each has ten bytes.
        _ = try log.commit([creation()] + (0..<6).map { text("squirre\($0)", key: "k\($0)", daysAgo: 9 - $0) })
        try maintain(log)
        #expect(try bodies(log) == ["-", "-", "-", "\"squirre3\"", "\"squirre4\"", "\"squirre5\""])
        // A deleted one makes room, and a longer one takes some.
        var edit = old(about(.edit, 5), 0)
        edit.body = Array("\"sixteen bytes!\"".utf8)
        _ = try log.commit([old(about(.delete, 4), 0), edit])
        try maintain(log)
        #expect(try bodies(log).last == "\"squirre5\"")
        #expect(try bodies(log)[4] == "\"sixteen bytes!\"")
        _ = try log.commit([text("squirre6", key: "k6", daysAgo: 0)])
        try maintain(log)
        #expect(try bodies(log)[4...] == ["-", "\"squirre5\"", "\"squirre6\""])
        // All that is left is young.
        _ = try log.commit((0..<9).map { text("squirre7", key: "n\($0)", daysAgo: 0) })
        try maintain(log)
        #expect(try bodies(log).filter { $0 == "-" }.count == 6)
    }

    /// A writer that is never idle keeps up: each commit looks at more old rows than it adds.
    @Test func aBusyWriterErasesToo() throws {
        let log = try open(days: 30)
        defer { log.close() }
        _ = try log.commit([creation()] + (0..<20).map { text("squirrel", key: "k\($0)", daysAgo: 31) })
        for number in 0..<20 { _ = try log.commit([text("new", key: "n\(number)", daysAgo: 0)]) }
        #expect(try bodies(log).filter { $0 == "-" }.count == 20)
    }

    @Test func aRestartGoesOnWhereItWas() throws {
        let first = try open(days: 30, rowsWhenIdle: 3)
        _ = try first.commit([creation()] + (0..<9).map { text("squirrel", key: "k\($0)", daysAgo: 31) })
        _ = try first.writer.maintain()
        let reached = try first.writer.meta.number("expired_to")
        #expect(reached > 0)
        first.close()
        let again = try open(days: 30)
        defer { again.close() }
        #expect(again.writer.expiry.reached == reached)
        try maintain(again)
        #expect(try bodies(again).allSatisfy { $0 == "-" })
    }

    /// A damaged row is passed over, and so is one of an erased conversation.
    @Test func damagedAndErasedRowsAreLeftAsTheyAre() throws {
        let log = try open(days: 30)
        _ = try log.writer.commit([.user(UserNumber(1), name: "alice")])
        var erase = message(in: 2)
        erase.kind = .conversation
        erase.change = .erase
        _ = try log.commit([
            creation(1), creation(2), text("one", key: "a", daysAgo: 31),
            old(message("gone", in: 2, key: "b"), 31), text("three", key: "c", daysAgo: 31),
        ])
        try log.writer.database.execute("UPDATE log SET body = '\"changed\"' WHERE position = 3")
        _ = try log.commit([old(erase, 31)])
        try maintain(log)
        #expect(try log.writer.database.value("SELECT body FROM log WHERE position = 3") == "\"changed\"")
        #expect(try log.writer.database.value("SELECT body IS NULL FROM log WHERE position = 5") == "1")
        log.close()
        let found = try StoreVerifier.run(scratch.path()) { _ in }
        #expect(found.findingCount == 1)
    }
}
