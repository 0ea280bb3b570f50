import RoostTransport
import RoostWire
import Testing

@Suite struct MessageTests {
    let server: TestServer
    let client: RawClient

    init() throws {
        server = try TestServer {
            $0.frameBytesMax = 10_000
            $0.fragmentsMax = 8
        }
        client = try RawClient.open(port: server.port)
    }

    @Test(arguments: [0, 1, 125, 126, 1_000, 1_024, 1_025, 4_096, 10_000])
    func echoesEverySize(_ size: Int) throws {
        let text = String(repeating: "x", count: size)
        client.sendText(text)
        client.sendText("next")
        #expect(try client.readFrame() == RawClient.Frame(opcode: 1, payload: Array(text.utf8)))
        #expect(try client.readFrame().text == "next")
    }

    @Test func readsManyMessagesFromOneSegment() throws {
        // The server's reads end anywhere in a message, so most sizes of the first part occur.
        let texts = (0..<200).map { "\($0) " + String(repeating: "y", count: $0) }
        for text in texts { client.sendText(text) }
        for text in texts { #expect(try client.readFrame().text == text) }
    }

    /// Sends so many messages at once, in frames of 308 bytes. Returns how many of them each turn had.
    private func messagesByTurn(of count: Int) throws -> [Int] {
        let text = String(repeating: "x", count: 300)
        client.send((0..<count).flatMap { _ in RawClient.frame(1, Array(text.utf8)) })
        for _ in 0..<count { #expect(try client.readFrame().text == text) }
        let turns = server.onLoop { $0.turnsOfMessages } ?? []
        return Dictionary(grouping: turns) { $0 }.sorted { $0.key < $1.key }.map(\.value.count)
    }

    @Test func readsManyMessagesInATurn() throws {
        // 4,004 bytes, in one read.
        #expect(try messagesByTurn(of: 13) == [13])
    }

    @Test func boundsWhatIsReadInATurn() throws {
        let counts = try messagesByTurn(of: 200)
        #expect(counts.reduce(0, +) == 200)
        #expect(counts.allSatisfy { $0 <= 14 })
    }

    @Test func joinsFragments() throws {
        client.sendFrame(1, Array("one, ".utf8), isFinal: false)
        client.sendFrame(9, Array("ping between".utf8))
        client.sendFrame(0, [], isFinal: false)
        client.sendFrame(0, Array(String(repeating: "two", count: 1_000).utf8), isFinal: false)
        client.sendFrame(0, [], isFinal: true)
        let frames = [try client.readFrame(), try client.readFrame()]
        #expect(frames.contains(RawClient.Frame(opcode: 10, payload: Array("ping between".utf8))))
        #expect(frames.contains { $0.opcode == 1 && $0.text == "one, " + String(repeating: "two", count: 1_000) })
    }

    @Test func closesOnAMessageThatIsTooLong() throws {
        client.sendText(String(repeating: "x", count: 10_001))
        try expectClose(.tooBig, "message too long")
    }

    @Test func closesBeforeATooLongFrameArrives() throws {
        client.sendFrame(1, [0x78], announced: 1_099_511_627_776)
        try expectClose(.tooBig, "message too long")
    }

    @Test func countsTheBytesOfAllFragments() throws {
        client.sendFrame(1, [UInt8](repeating: 0x78, count: 6_000), isFinal: false)
        client.sendFrame(0, [UInt8](repeating: 0x78, count: 6_000), isFinal: true)
        try expectClose(.tooBig, "message too long")
    }

    @Test func boundsTheNumberOfFragments() throws {
        client.sendFrame(1, [0x61], isFinal: false)
        for _ in 0..<6 { client.sendFrame(0, [0x62], isFinal: false) }
        client.sendFrame(0, [0x63], isFinal: true)
        #expect(try client.readFrame().text == "abbbbbbc")
        client.sendFrame(1, [], isFinal: false)
        for _ in 0..<8 { client.sendFrame(0, [], isFinal: false) }
        try expectClose(.tooBig, "message too long")
    }

    @Test func refusesBinary() throws {
        client.sendFrame(2, [0x61])
        try expectClose(.unsupportedData, "text messages only")
    }

    @Test func refusesBinaryInParts() throws {
        client.sendFrame(2, [0x61], isFinal: false)
        try expectClose(.unsupportedData, "text messages only")
    }

    @Test(arguments: [
        [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0xE2, 0x82], [0xC0, 0xAF],
    ])
    func refusesInvalidUTF8(_ bytes: [UInt8]) throws {
        client.sendFrame(1, bytes)
        #expect(try client.readFrame().closeCode == 1007)
        #expect(!server.journal.all.contains { if case .received = $0 { true } else { false } })
    }

    @Test func acceptsACharacterSplitOverFragments() throws {
        client.sendFrame(1, [0x61, 0xF0, 0x9F], isFinal: false)
        client.sendFrame(0, [0x90, 0x93], isFinal: true)
        #expect(try client.readFrame().text == "a🐓")
    }

    @Test func refusesAnIncompleteCharacter() throws {
        client.sendFrame(1, [0x61, 0xF0, 0x9F, 0x90], isFinal: false)
        client.sendFrame(0, [], isFinal: true)
        #expect(try client.readFrame().closeCode == 1007)
    }

    @Test func answersPingsAndReportsPongs() throws {
        client.sendFrame(9, Array("hi".utf8))
        #expect(try client.readFrame() == RawClient.Frame(opcode: 10, payload: Array("hi".utf8)))
        client.sendFrame(10, [0x72])
        #expect(server.journal.wait(for: .heard))
    }

    @Test func aPartOfAFrameIsASignOfLife() throws {
        client.send(Array(RawClient.frame(1, Array("half".utf8)).prefix(8)))
        #expect(server.journal.wait(for: .heard))
    }

    @Test func closesOnProtocolErrors() throws {
        client.sendFrame(3, [])
        #expect(try client.readFrame().closeCode == 1002)
    }

    private func expectClose(_ code: CloseCode, _ reason: String) throws {
        let frame = try client.readFrame()
        #expect(frame.closeCode == code.rawValue)
        #expect(frame.closeReason == reason)
        // Input that arrives while the close is under way is dropped.
        client.sendText("too late")
        client.sendFrame(8, frame.payload)
        #expect(try client.isAtEnd())
        #expect(server.journal.wait(for: .closed(1, .failure(code))))
        #expect(!server.journal.all.contains(.received("too late")))
        #expect(server.onLoop { $0.loop?.counters.closedByServer } == 1)
    }
}
