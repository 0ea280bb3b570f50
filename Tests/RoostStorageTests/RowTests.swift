import RoostCore
import RoostTestKit
import RoostWire
import Testing

@testable import RoostStorage

/// A row of the log: what its checksum covers, and how later events of the same batch see it.
@Suite struct RowTests {
    /// The values of RFC 3720, appendix B.4, and the usual check value.
    @Test func checksumsAreThoseOfTheStandard() {
        let values: [([UInt8], UInt32)] = [
            (Array("123456789".utf8), 0xe306_9283), ([UInt8](repeating: 0, count: 32), 0x8a91_36aa),
            ([UInt8](repeating: 0xff, count: 32), 0x62a8_ab43), (Array(0..<32), 0x46dd_794e), ([], 0),
        ]
        for (bytes, wanted) in values {
            #expect(bytes.withUnsafeBytes { Checksum.of($0) } == wanted)
            var byTables = Checksum(isInHardware: false)
            bytes.withUnsafeBytes { byTables.add($0) }
            #expect(byTables.value == wanted)
        }
    }

    /// A store moves to a machine without the instruction.
    @Test func tablesAndProcessorAgree() {
        var random = SeededGenerator(seed: 5)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            var one = Checksum()
            var other = Checksum(isInHardware: false)
            for word in [random.next(), random.next()] as [UInt64] {
                one.add(word)
                other.add(word)
            }
            bytes.withUnsafeBytes { one.add($0) }
            bytes.withUnsafeBytes { other.add($0) }
            #expect(one.value == other.value)
        }
    }

    @Test func aChecksumDoesNotDependOnHowItIsFed() {
        var random = SeededGenerator(seed: 4)
        for count in 0..<100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            var checksum = Checksum()
            for byte in bytes { withUnsafeBytes(of: byte) { checksum.add($0) } }
            #expect(checksum.value == bytes.withUnsafeBytes { Checksum.of($0) })
        }
        var words = Checksum()
        words.add(0x0706_0504_0302_0100)
        #expect(words.value == Array(UInt8(0)..<8).withUnsafeBytes { Checksum.of($0) })
    }

    /// Stores contain these checksums, so the algorithm must never change.
    @Test func theChecksumOfARowNeverChanges() {
        let numbers = RowNumbers(
            position: 7, conversation: 1, sequence: 3, kind: 1, sender: 2, time: 1_000, reference: 2, flag: true,
            editedAt: 5, deletedAt: 6)
        func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
        var plain: [UInt8] = []
        for word: UInt64 in [7, 1 | 2 << 32, 3, 1 | 256, 1_000, 2, 5, 6, 1 | 2 << 32, 3 | 4 << 32, 2] {
            withUnsafeBytes(of: word.littleEndian) { plain += $0 }
        }
        plain += bytes("dkklll{}\"b\"!")
        let wanted = plain.withUnsafeBytes { Int64(Checksum.of($0)) }
        let got = bytes("d").withUnsafeBytes { device in
            bytes("kk").withUnsafeBytes { key in
                bytes("lll").withUnsafeBytes { label in
                    bytes("{}").withUnsafeBytes { extras in
                        bytes("\"b\"!").withUnsafeBytes {
                            numbers.checksum(device: device, key: key, label: label, extras: extras, body: $0)
                        }
                    }
                }
            }
        }
        #expect(got == wanted)
    }

    /// Edits and deletions of bodies of any length leave their neighbours alone and their checksums right.
    @Test func aRowMayGrowAndShrink() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        _ = try log.commit([creation()] + (0..<10).map { message("text \($0)", key: "k\($0)") })
        for times in [100, 500, 20_000, 3] {
            var edit = about(.edit, 5)
            edit.body = Array("\"\(String(repeating: "long", count: times))\"".utf8)
            _ = try log.commit([edit])
            let history = try log.history(1)
            #expect(history.map(\.sequence.value) == Array(1...10))
            #expect(history.map(\.position.value) == Array(2...11))
            #expect(history[4].body == edit.body)
            #expect(history[4].key == "k4")
        }
        _ = try log.commit([about(.delete, 5)])
        let deleted = try log.history(1)[4]
        #expect(deleted.body.isEmpty && deleted.editedAt != .never && deleted.deletedAt != .never)
        #expect(try log.storedRows() == 16)
        #expect(log.statistics.notices.isEmpty)
    }

    /// An erasure has a position but no row.
    @Test func rowsFarApartKeepTheirPositions() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        _ = try log.commit((1...400).map { creation($0) })
        let erasures = (2...400).map { (number: Int32) -> Append in
            var event = message(in: number)
            event.kind = .conversation
            event.change = .erase
            return event
        }
        let outcomes = try log.commit([message("one")] + erasures + [message("two")])
        #expect(outcomes.compactMap { position($0) } == Array(401...801))
        #expect(try log.history(1).map(\.position.value) == [401, 801])
    }

    /// An event finds the message that an earlier event of the same batch created.
    @Test func aBatchSeesItsOwnRows() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        var edit = about(.edit, 1)
        edit.body = Array("\"new\"".utf8)
        let outcomes = try log.commit([
            creation(), message("old", key: "k"), edit, edit, message(key: "k"), message("two", key: "l"),
            about(.delete, 2), about(.react, 1), message("three"),
        ])
        #expect(outcomes[3] == .unchanged)
        #expect(
            outcomes[4]
                == .duplicate(
                    Position(2), SequenceNumber(1), ConversationNumber(1), Timestamp(milliseconds: 1_000)))
        #expect(outcomes.compactMap { position($0) } == [1, 2, 3, 4, 5, 6, 7])
        #expect(
            try log.history(1).map { String(decoding: $0.body, as: UTF8.self) } == ["\"new\"", "", "\"three\""])
        #expect(try log.storedRows() == 7)
    }

    /// Rows gather up to some length of texts, and are stored in between.
    @Test func aBatchMayBeLongerThanWhatGathers() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        let lengths = [0, 1, 60_000, 2_000_000, 3, 500_000, 600_000, 0, 1_048_570, 7]
        let texts = lengths.enumerated().map { String(repeating: "\($0.offset)", count: $0.element) }
        _ = try log.commit([creation()] + texts.map { message($0, key: $0.isEmpty ? "" : "k\($0.prefix(1))") })
        let history = try log.history(1)
        #expect(history.map { $0.body.count } == lengths.map { $0 + 2 })
        #expect(history.map { String(decoding: $0.body, as: UTF8.self) } == texts.map { "\"\($0)\"" })
        #expect(history.map(\.key) == ["", "k1", "k2", "k3", "k4", "k5", "k6", "", "k8", "k9"])
        #expect(log.statistics.notices.isEmpty)
    }
}
