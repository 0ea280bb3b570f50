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

    private func open(
        days: Int64? = nil, bytes: Int64? = nil, rowsWhenIdle: Int = 7,
        _ change: (inout StorageBounds) -> Void = { _ in }
    ) throws -> SQLiteLog {
        var retention = Retention()
        retention.milliseconds = days.map { $0 * Self.day }
        retention.bytes = bytes
        var bounds = StorageBounds()
        bounds.expiredRowsPerCommit = 2
        bounds.expiredRowsWhenIdle = rowsWhenIdle
        bounds.expiryMilliseconds = 0
        bounds.erasedMilliseconds = 0
        change(&bounds)
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
        // Once more, because the first end may have been a rest.
        for _ in 0..<2 { try log.writer.maintainAll() }
    }

    private func bodies(_ log: SQLiteLog) throws -> [String] {
        try log.history(1).map { $0.deletedAt == .never ? String(decoding: $0.body, as: UTF8.self) : "-" }
    }

    @Test func messagesThatAreTooOldAreErased() throws {
        let log = try open(days: 30)
        defer { log.close() }
        _ = try log.commit([
            creation(), text("squirrel", key: "a", daysAgo: 31), text("stays", key: "b", daysAgo: 29),
        ])
        for sequence: Int64 in 1...2 {
            var pin = old(about(.conversation, sequence), 29)
            (pin.change, pin.reference) = (.pin(SequenceNumber(sequence)), .none)
            _ = try log.commit([pin])
        }
        try maintain(log)
        #expect(try bodies(log) == ["-", "\"stays\""])
        #expect(try !scratch.holds("squirrel"))
        #expect(log.statistics.expiredMessages == 1)
        // The changed rows are committed, so they needn't be remembered.
        #expect(log.writer.log.changed.isEmpty)
        // Its number and its key stay.
        let again = try log.commit([text("squirrel", key: "a", daysAgo: 0), text("next", key: "c", daysAgo: 0)])
        #expect(again.first.map { if case .duplicate = $0 { true } else { false } } == true)
        #expect(again.last == .stored(Position(6), SequenceNumber(3)))
        // It can't be changed any more, and it isn't pinned.
        #expect(try log.commit([old(about(.edit, 1), 0)]) == [.refused(.gone)])
        #expect(try log.load().conversations[0].pins.map(\.sequence.value) == [2])
        time.now += 2 * Self.day
        try maintain(log)
        #expect(try bodies(log).prefix(2) == ["-", "-"])
    }

    @Test func erasedMessagesLeaveTheirThread() throws {
        let log = try open(days: 30)
        defer { log.close() }
        var replies = [text("old", key: "b", daysAgo: 31), text("new", key: "c", daysAgo: 1)]
        for index in replies.indices { replies[index].extras = Extras(thread: SequenceNumber(1)) }
        _ = try log.commit([creation(), text("root", key: "a", daysAgo: 31)] + replies)
        #expect(try log.history(1).first?.replies?.count == 2)
        try maintain(log)
        #expect(try bodies(log) == ["-", "-", "\"new\""])
        #expect(try log.history(1).first?.replies?.count == 1)
        #expect(try log.history(1).map(\.extras.thread.value) == [0, 1, 1])
    }

    /// The data of a message beside its body goes with it.
    @Test func erasedMessagesNameNoUser() throws {
        let log = try open(days: 30)
        defer { log.close() }
        var old = text("old", key: "a", daysAgo: 31)
        old.extras = Extras(mentions: ["squirrel"])
        var sent = text("sent on", key: "b", daysAgo: 31)
        sent.extras = Extras(origin: "squirrel")
        _ = try log.commit([creation(), old, sent])
        #expect(try scratch.holds("squirrel"))
        try maintain(log)
        #expect(try bodies(log) == ["-", "-"] && log.history(1).allSatisfy { $0.extras == nil })
        #expect(try !scratch.holds("squirrel"))
    }

    @Test func withoutARuleNothingIsErased() throws {
        let log = try open()
        defer { log.close() }
        _ = try log.commit([creation(), text("stays", key: "a", daysAgo: 99)])
        try maintain(log)
        #expect(try bodies(log) == ["\"stays\""])
    }

    /// The oldest go until the rest has few enough bytes. Messages younger than a day stay in any case.
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

    // MARK: Times that can't be right

    /// A row with a time in the future is as old as what comes after it.
    @Test func aClockThatWasWrongHoldsNothingBack() throws {
        let log = try open(days: 30, rowsWhenIdle: 3)
        defer { log.close() }
        let future: Int64 = -50_000
        _ = try log.commit(
            [creation(), text("past", key: "a", daysAgo: 99)]
                + (0..<10).map { text("future", key: "f\($0)", daysAgo: future) }
                + [text("old", key: "b", daysAgo: 31), text("later", key: "c", daysAgo: future)]
                + [text("young", key: "d", daysAgo: 5), text("last", key: "e", daysAgo: future)])
        try maintain(log)
        #expect(try bodies(log) == Array(repeating: "-", count: 12) + ["\"later\"", "\"young\"", "\"last\""])
        // When the young one is old, so is what came before it. Nothing says so of the last.
        time.now += 26 * Self.day
        try maintain(log)
        #expect(try bodies(log) == Array(repeating: "-", count: 14) + ["\"last\""])
        // Not even later, but for its own time.
        time.now += 30 * Self.day
        try maintain(log)
        #expect(try bodies(log).last == "\"last\"")
        // A later message does.
        _ = try log.commit([text("next", key: "n", daysAgo: 1)])
        time.now += 30 * Self.day
        try maintain(log)
        #expect(try bodies(log) == Array(repeating: "-", count: 16))
    }

    @Test(arguments: [
        "UPDATE log SET time = 9000000000000 WHERE position = 3",
        // A day ago.
        "UPDATE log SET time = 8553600000 WHERE position = 3",
    ])
    func aDamagedTimeHoldsNothingBack(damage: String) throws {
        let log = try open(days: 30)
        defer { log.close() }
        _ = try log.commit([
            creation(), text("one", key: "a", daysAgo: 40), text("two", key: "b", daysAgo: 40),
            text("three", key: "c", daysAgo: 40), text("four", key: "d", daysAgo: 5),
            text("five", key: "e", daysAgo: 5),
        ])
        try log.writer.database.execute(damage)
        try maintain(log)
        let shown = try log.answer(.history(.all(of: 1))).events.map { $0.deletedAt == .never }
        #expect(shown == [false, false, true, true])
    }

    // MARK: Bytes

    /// The sum stays right whatever becomes of messages and other rows.
    @Test func bytesAreThoseOfMessagesThatAreLeft() throws {
        var log = try open(bytes: 1_000)
        func expectBytes(_ log: SQLiteLog, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let sum = try log.number(
                """
                SELECT ifnull(sum(length(CAST(body AS BLOB))), 0) FROM log
                WHERE kind = 1 AND position > \(log.writer.expiry.reached) AND position <> 3
                """)
            #expect(log.writer.expiry.bytes == Int64(sum), sourceLocation: sourceLocation)
        }
        _ = try log.writer.commit([.user(UserNumber(1), name: "alice")])
        var change = old(message(in: 2), 9)
        change.kind = .conversation
        change.body = Array("\"event\":\"renamed\",\"name\":\"a long name\"".utf8)
        change.change = .rename("a long name")
        let texts = (0..<40).map { old(message("squirre\($0)", in: $0 % 2 + 1, key: "k\($0)"), 9) }
        _ = try log.commit([old(creation(1), 9), old(creation(2), 9)] + texts + [change])
        log.close()
        log = try open(bytes: 1_000)
        defer { log.close() }
        try log.writer.database.execute("UPDATE log SET body = 'damaged' WHERE position = 3")
        try maintain(log)
        try expectBytes(log)
        _ = try log.commit([old(about(.delete, 4), 9), old(about(.edit, 5), 0)])
        try expectBytes(log)
        var erase = old(message(in: 2), 9)
        erase.kind = .conversation
        erase.change = .erase
        _ = try log.commit([erase])
        try maintain(log)
        try expectBytes(log)
        // More than fits: the oldest go, and the damaged one is passed over.
        _ = try log.commit((0..<100).map { old(message("squirrel", key: "n\($0)"), 8) })
        try maintain(log)
        try expectBytes(log)
        #expect(log.writer.expiry.reached > 3 && log.writer.expiry.bytes <= 1_000 && log.writer.expiry.bytes > 980)
    }

    /// The batch that makes it too much changes and deletes the oldest messages, which go in the same commit.
    @Test func bytesStayRightWhenABatchChangesWhatGoes() throws {
        let log = try open(bytes: 35)
        defer { log.close() }
        _ = try log.commit([creation()] + (0..<4).map { text("squirre\($0)", key: "k\($0)", daysAgo: 9) })
        try maintain(log)
        #expect(log.writer.expiry.reached == 2 && log.writer.expiry.bytes == 30)
        var edit = old(about(.edit, 2), 0)
        edit.body = Array("\"a much longer squirrel than before\"".utf8)
        _ = try log.commit([old(about(.delete, 3), 0), edit, text("acorn", key: "a", daysAgo: 0)])
        try maintain(log)
        let left = try bodies(log).filter { $0 != "-" }
        #expect(log.writer.expiry.bytes == Int64(left.joined().utf8.count))
    }

    /// Until all bodies are counted after a start, the age alone decides.
    @Test func theAgeDoesNotWaitForTheCount() throws {
        let first = try open()
        _ = try first.commit([creation()] + (0..<40).map { text("squirrel", key: "k\($0)", daysAgo: $0 < 20 ? 31 : 9) })
        first.close()
        let log = try open(days: 30, bytes: 50, rowsWhenIdle: 5)
        defer { log.close() }
        for _ in 0..<4 { #expect(try log.writer.maintain()) }
        #expect(log.writer.expiry.reached == 20)
        try maintain(log)
        #expect(try bodies(log).filter { $0 != "-" }.count == 5)
        #expect(log.writer.expiry.bytes == 50)
    }

    // MARK: Bounds of one piece

    @Test func aPieceHasSoManyRows() throws {
        let log = try open(days: 30, rowsWhenIdle: 7)
        defer { log.close() }
        _ = try log.commit([creation()])
        #expect(try log.writer.maintain() == true)
        _ = try log.commit((0..<40).map { text("squirrel", key: "k\($0)", daysAgo: 31) })
        let reached = log.writer.expiry.reached
        _ = try log.writer.maintain()
        #expect(log.writer.expiry.reached == reached + 7)
        // Two, and as many as the commit has.
        _ = try log.commit((0..<3).map { text("new", key: "n\($0)", daysAgo: 0) })
        #expect(log.writer.expiry.reached == reached + 12)
    }

    @Test func aPieceHasSoManyBytes() throws {
        let log = try open(days: 30, rowsWhenIdle: 7) { $0.expiredBytes = 25 }
        defer { log.close() }
        _ = try log.commit([creation()] + (0..<9).map { text("squirre\($0)", key: "k\($0)", daysAgo: 31) })
        _ = try log.writer.maintain()
        // Each has ten bytes: the third passes the limit.
        #expect(log.writer.expiry.reached == 4)
        _ = try log.writer.maintain()
        #expect(log.writer.expiry.reached == 7)
    }

    /// An idle writer that erases has the write-ahead log copied meanwhile.
    @Test func erasingDoesNotLetTheWALGrow() throws {
        let framesBound = 64
        let log = try open(days: 30) {
            $0.erasedMilliseconds = 3_600_000
            $0.reservedFrames = 8
            $0.checkpoints = CheckpointPolicy(
                frames: 16, idleFrames: 12, restFrames: 4, framesBound: framesBound, retryFrames: 12, framesLong: 160)
        }
        defer { log.close() }
        let long = String(repeating: "squirrel ", count: 1_000)
        _ = try log.commit([creation()] + (0..<300).map { text(long, key: "k\($0)", daysAgo: 31) })
        // It is longer than idle work may find it: it is emptied first.
        #expect(try !log.writer.maintain())
        var most = 0
        while try log.writer.maintain() { most = max(most, log.writer.database.framesInWAL) }
        #expect(try bodies(log).allSatisfy { $0 == "-" })
        #expect(most > 0 && most <= framesBound + 24, "\(most)")
    }

    /// A reader of another program keeps the write-ahead log from starting anew. Work that can wait doesn't lengthen
    /// it.
    @Test func erasingRestsWhileAReaderHoldsTheWALBack() throws {
        let framesLong = 160
        let log = try open(days: 30) {
            $0.erasedMilliseconds = 3_600_000
            $0.erasedRetryMilliseconds = 0
            $0.reservedFrames = 8
            $0.checkpoints = CheckpointPolicy(
                frames: 16, idleFrames: 12, restFrames: 4, framesBound: 64, retryFrames: 12, framesLong: framesLong,
                framesMax: framesLong * 2)
        }
        defer { log.close() }
        let long = String(repeating: "squirrel ", count: 1_000)
        _ = try log.commit([creation()] + (0..<300).map { text(long, key: "k\($0)", daysAgo: 31) })
        _ = try log.writer.maintain()
        let reader = try Database(path: scratch.path())
        try reader.execute("BEGIN")
        _ = try reader.value("SELECT count(*) FROM log")
        try log.writer.maintainAll()
        #expect((framesLong...framesLong + 24).contains(log.writer.database.framesInWAL))
        #expect(try !bodies(log).allSatisfy { $0 == "-" })
        reader.close()
        #expect(try !log.writer.maintain())
        try log.writer.maintainAll()
        #expect(try bodies(log).allSatisfy { $0 == "-" })
    }

    /// A kill between two pieces costs nothing.
    @Test func aKillInTheMiddleOfErasing() throws {
        let log = try open(days: 30, rowsWhenIdle: 3)
        defer { log.close() }
        _ = try log.writer.commit([.user(UserNumber(1), name: "alice")])
        _ = try log.commit([creation()] + (0..<20).map { text("squirrel", key: "k\($0)", daysAgo: 30 + $0 % 2 * 2) })
        _ = try log.commit((0..<9).map { text("young", key: "y\($0)", daysAgo: 1) })
        for piece in 0..<6 {
            let copy = try scratch.crashCopy(as: "copy\(piece).db")
            var retention = Retention()
            retention.milliseconds = 29 * Self.day
            let again = try SQLiteLog(copy, .full, StorageBounds(), retention: retention, time: { [time] in time.now })
            try again.writer.maintainAll()
            #expect(try bodies(again).filter { $0 == "-" }.count == 20)
            again.close()
            #expect(try StoreVerifier.run(copy) { _ in }.findings.map(\.description) == [])
            _ = try log.writer.maintain()
        }
    }

    /// A full disk undoes a commit with all that it erased.
    @Test func aFullDiskInTheMiddleOfErasing() throws {
        let log = try open(days: 30) { $0.fullMilliseconds = 0 }
        defer { log.close() }
        _ = try log.commit([creation()] + (0..<20).map { text("squirrel", key: "k\($0)", daysAgo: 31) })
        let erased = log.statistics.expiredMessages
        let pages = Int(try log.writer.database.value("PRAGMA page_count") ?? "") ?? 0
        _ = try log.writer.database.value("PRAGMA max_page_count = \(pages)")
        let long = String(repeating: "x", count: 100_000)
        #expect(throws: NoRoom.self) { try log.storeWriter.commit([.append(text(long, key: "n", daysAgo: 0))]) }
        #expect(log.statistics.expiredMessages == erased)
        #expect(try bodies(log).filter { $0 == "-" }.count == erased)
        try maintain(log)
        #expect(log.statistics.expiredMessages == 20)
        #expect(try bodies(log).filter { $0 == "-" }.count == 20)
    }

    /// Memory keeps nothing older than the store may still have, but for an hour of edits.
    @Test func memoryForgetsAfterAnHour() {
        #expect(Retention().memoryMilliseconds == nil)
        var retention = Retention()
        retention.bytes = 1
        #expect(retention.memoryMilliseconds == 3_600_000)
        retention.milliseconds = 60_000
        #expect(retention.memoryMilliseconds == 60_000)
    }
}
