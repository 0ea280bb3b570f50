import Testing

@testable import RoostLoad

@Suite struct FrameReaderTests {
    enum Event: Equatable {
        case text(String)
        case ping(String)
        case close(UInt16, String)
        case violation(FrameHeader.Violation)
    }

    /// Feeds the pieces one after the other, and keeps an incomplete frame, as a connection does.
    static func events(_ pieces: [[UInt8]], messageBytesMax: Int = 1_000_000) -> [Event] {
        var reader = FrameReader(messageBytesMax: messageBytesMax)
        var events: [Event] = []
        var kept: [UInt8] = []
        var isOver = false
        for piece in pieces where !isOver {
            kept += piece
            var isMore = true
            while isMore {
                // A block of exactly this length, so that a memory checker notices a read beyond it.
                let taken = kept.withUnsafeBytes { bytes -> Int? in
                    switch reader.next(bytes) {
                    case .incomplete(let needed):
                        #expect(needed > bytes.count)
                        return nil
                    case .text(let text, let count):
                        events.append(.text(String(decoding: text, as: UTF8.self)))
                        return count
                    case .ping(let payload, let count):
                        events.append(.ping(String(decoding: payload, as: UTF8.self)))
                        return count
                    case .none(let count): return count
                    case .close(let code, let reason):
                        events.append(.close(code, String(decoding: reason, as: UTF8.self)))
                        isOver = true
                        return nil
                    case .violation(let violation):
                        events.append(.violation(violation))
                        isOver = true
                        return nil
                    }
                }
                isMore = taken != nil
                kept.removeFirst(taken ?? 0)
            }
        }
        return events
    }

    @Test(arguments: [0, 1, 2, 125, 126, 127, 65_535, 65_536, 70_000])
    func readsEverySize(_ size: Int) {
        let text = String(repeating: "x", count: size)
        #expect(Self.events([serverText(text) + serverText("next")]) == [.text(text), .text("next")])
    }

    @Test func readsTheSameMessagesHoweverTheBytesAreSplit() {
        let long = String(repeating: "long", count: 100)
        var stream = serverText("one") + serverText("") + serverText(long)
        stream += serverFrame(1, Array("frag".utf8), isFinal: false) + serverFrame(9, Array("ping".utf8))
        stream += serverFrame(0, [], isFinal: false) + serverFrame(10, []) + serverFrame(0, Array("ments".utf8))
        stream += serverText("last") + serverClose(4_000, "drain")
        let expected: [Event] = [
            .text("one"), .text(""), .text(long), .ping("ping"), .text("fragments"), .text("last"),
            .close(4_000, "drain"),
        ]
        for cut in 0...stream.count {
            #expect(Self.events([Array(stream[..<cut]), Array(stream[cut...])]) == expected, "cut at \(cut)")
        }
        #expect(Self.events(stream.map { [$0] }) == expected, "byte by byte")
    }

    @Test func readsManyFragmentedMessages() {
        let one = serverFrame(1, [97], isFinal: false) + serverFrame(0, [98])
        #expect(
            Self.events([one + one + serverText("c") + one]) == [.text("ab"), .text("ab"), .text("c"), .text("ab")])
    }

    @Test func reportsTheBytesThatALongFrameNeeds() {
        var reader = FrameReader()
        let frame = serverText(String(repeating: "x", count: 70_000))
        frame[..<20].withUnsafeBytes { bytes in
            guard case .incomplete(let needed) = reader.next(bytes) else {
                Issue.record("a part of a frame was taken for the whole")
                return
            }
            #expect(needed == frame.count)
        }
    }

    @Test(
        arguments: [
            ([0xC1, 0], FrameHeader.Violation.reservedBits),
            ([0xA1, 0], .reservedBits),
            ([0x91, 0], .reservedBits),
            ([0x83, 0], .unknownOpcode),
            ([0x8B, 0], .unknownOpcode),
            ([0x82, 1, 0], .binary),
            ([0x81, 0x80, 0, 0, 0, 0], .masked),
            ([0x81, 0x81, 1, 2, 3, 4, 5], .masked),
            ([0x81, 126, 0, 125], .longLength),
            ([0x81, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .longLength),
            ([0x81, 127, 0x80, 0, 0, 0, 0, 1, 0, 0], .longLength),
            ([0x81, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .messageTooLong),
            ([0x09, 0], .controlFragment),
            ([0x08, 0], .controlFragment),
            ([0x89, 126, 0, 126], .controlTooLong),
            ([0x88, 127, 0, 0, 0, 0, 0, 1, 0, 0], .controlTooLong),
            ([0x80, 0], .strayContinuation),
            ([0x01, 1, 97, 0x81, 1, 98], .unfinishedMessage),
            ([0x01, 1, 97, 0x81, 3, 98, 99, 100], .unfinishedMessage),
            ([0x01, 1, 97, 0x01, 1, 98], .unfinishedMessage),
            ([0x01, 0, 0x80, 0, 0x80, 0], .strayContinuation),
            ([0x88, 1, 3], .badClose),
        ] as [([UInt8], FrameHeader.Violation)])
    func refuses(_ bytes: [UInt8], _ violation: FrameHeader.Violation) {
        #expect(Self.events([bytes]).last == .violation(violation))
        #expect(Self.events(bytes.map { [$0] }).last == .violation(violation), "byte by byte")
    }

    @Test(arguments: [0, 999, 1_004, 1_005, 1_006, 1_015, 1_016, 2_999, 5_000, 65_535] as [UInt16])
    func refusesCloseCodesThatAreNeverSent(_ code: UInt16) {
        #expect(Self.events([serverClose(code)]) == [.violation(.badClose)])
    }

    @Test(arguments: [1_000, 1_001, 1_014, 3_000, 4_999] as [UInt16])
    func acceptsOtherCloseCodes(_ code: UInt16) {
        #expect(Self.events([serverClose(code)]) == [.close(code, "")])
    }

    @Test func acceptsACloseFrameWithoutCode() {
        #expect(Self.events([serverFrame(8, [])]) == [.close(1_005, "")])
    }

    @Test func boundsAMessage() {
        #expect(Self.events([serverText("1234567890")], messageBytesMax: 10) == [.text("1234567890")])
        // The payload hasn't arrived yet.
        let tooLong = Array(serverText("12345678901")[..<4])
        #expect(Self.events([tooLong], messageBytesMax: 10) == [.violation(.messageTooLong)])
    }

    @Test func boundsTheFragmentsOfAMessageTogether() {
        let first = serverFrame(1, Array("123456".utf8), isFinal: false)
        let fits = first + serverFrame(0, Array("7890".utf8))
        #expect(Self.events([fits + fits], messageBytesMax: 10) == [.text("1234567890"), .text("1234567890")])
        let tooLong = first + serverFrame(0, Array("78901".utf8), isFinal: false)
        #expect(Self.events([tooLong], messageBytesMax: 10) == [.violation(.messageTooLong)])
    }
}
