import RoostFraming
import RoostTransport
import RoostWire
import Testing

/// Frames that RFC 6455 forbids or leaves to the receiver, on a socket. `RoostFramingTests` has the reader by itself.
@Suite struct FrameTests {
    let server: TestServer
    let client: RawClient

    init() throws {
        server = try TestServer()
        client = try RawClient.open(port: server.port)
    }

    private func expectClose(_ code: CloseCode) throws {
        #expect(try client.readFrame().closeCode == code.rawValue)
        #expect(try client.isAtEnd())
        #expect(server.journal.wait(for: .closed(1, .failure(code))))
    }

    /// RFC 6455, section 5.1.
    @Test(arguments: [
        [0x81, 0x02, 0x68, 0x69], [0x81, 0x7E, 0x01, 0x00], [0x89, 0x00], [0x8A, 0x00], [0x88, 0x02, 0x03, 0xE8],
        [0x01, 0x00], [0x81, 0x00],
    ])
    func refusesAnUnmaskedFrame(_ bytes: [UInt8]) throws {
        client.send(bytes)
        try expectClose(.protocolError)
        #expect(!server.journal.all.contains { if case .received = $0 { true } else { false } })
    }

    @Test func refusesAnUnmaskedFrameBehindAMaskedOne() throws {
        client.send(RawClient.frame(1, Array("good".utf8)) + [0x81, 0x02, 0x68, 0x69])
        #expect(try client.readFrame().text == "good")
        try expectClose(.protocolError)
    }

    @Test(arguments: [
        [0xC1, 0x80, 0, 0, 0, 0], [0xA1, 0x80, 0, 0, 0, 0], [0x91, 0x80, 0, 0, 0, 0],  // Reserved bits.
        [0x83, 0x80, 0, 0, 0, 0], [0x87, 0x80, 0, 0, 0, 0], [0x8B, 0x80, 0, 0, 0, 0], [0x8F, 0x80, 0, 0, 0, 0],
        [0x80, 0x80, 0, 0, 0, 0],  // The continuation of nothing.
        [0x09, 0x80, 0, 0, 0, 0], [0x08, 0x80, 0, 0, 0, 0],  // Split control frames.
        [0x89, 0xFE, 0, 126, 0, 0, 0, 0], [0x88, 0xFE, 0, 126], [0x8A, 0xFF],  // Long ones.
        [0x81, 0xFE, 0, 125, 0, 0, 0, 0], [0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0],  // Wasteful lengths.
        [0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0],  // A negative length.
    ])
    func refusesABrokenHeader(_ bytes: [UInt8]) throws {
        client.send(bytes)
        try expectClose(.protocolError)
    }

    @Test func refusesAMessageWithinAMessage() throws {
        client.sendFrame(1, [0x61], isFinal: false)
        client.sendFrame(1, [0x61])
        try expectClose(.protocolError)
    }

    /// RFC 6455, sections 1.4 and 5.5.1.
    @Test(arguments: [1, 2, 3])
    func carriesOutNothingBehindACloseFrame(_ pieces: Int) throws {
        let frames = [
            RawClient.frame(1, Array("before".utf8)), RawClient.frame(8, [0x03, 0xE8]),
            RawClient.frame(1, Array("behind".utf8)) + RawClient.frame(9, []) + RawClient.frame(8, [0x03, 0xE9]),
        ]
        switch pieces {
        case 1: client.send(Array(frames.joined()))
        case 2:
            client.send(frames[0] + frames[1])
            client.send(frames[2])
        default: for frame in frames { client.send(frame) }
        }
        #expect(try client.readFrame().text == "before")
        #expect(try client.readFrame().closeCode == 1000)
        #expect(try client.isAtEnd())
        #expect(server.journal.wait(for: .closed(1, .peer)))
        #expect(!server.journal.all.contains(.received("behind")))
    }

    @Test(arguments: [1_000, 1_001, 1_002, 1_003, 1_007, 1_008, 1_011, 1_012, 1_014, 3_000, 3_999, 4_000, 4_999])
    func repeatsTheCodeOfACloseFrame(_ code: UInt16) throws {
        client.sendFrame(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array("why".utf8))
        #expect(try client.readFrame().closeCode == code)
        #expect(try client.isAtEnd())
        #expect(server.journal.wait(for: .closed(1, .peer)))
    }

    @Test func answersAnEmptyCloseFrame() throws {
        client.sendFrame(8, [])
        #expect(try client.readFrame() == RawClient.Frame(opcode: 8, payload: []))
        #expect(server.journal.wait(for: .closed(1, .peer)))
    }

    @Test(arguments: [0, 999, 1_004, 1_005, 1_006, 1_015, 1_016, 1_100, 2_000, 2_999, 5_000, 65_535])
    func refusesACodeThatNobodyMaySend(_ code: UInt16) throws {
        client.sendFrame(8, [UInt8(code >> 8), UInt8(code & 0xFF)])
        try expectClose(.protocolError)
    }

    @Test func refusesACloseFrameOfOneByte() throws {
        client.sendFrame(8, [0x03])
        try expectClose(.protocolError)
    }

    @Test func refusesACloseReasonThatIsNotUTF8() throws {
        client.sendFrame(8, [0x03, 0xE8, 0xCE, 0xBA, 0xE1, 0xBD])
        try expectClose(.invalidText)
    }

    /// RFC 6455, section 5.5.3: older ones may be skipped, the newest may not.
    @Test(arguments: [1, 3, 10, 1_000])
    func answersTheNewestPing(_ count: Int) throws {
        client.send((0..<count).flatMap { RawClient.frame(9, Array("\($0)".utf8)) })
        var answered: [Int] = []
        while answered.last != count - 1 {
            let frame = try client.readFrame()
            #expect(frame.opcode == 10)
            answered.append(Int(frame.text) ?? -1)
        }
        #expect(answered == answered.sorted())
        #expect(count > 16 || answered.count == count)
    }

    @Test func answersTheNewestPingOfAPeerThatDoesNotRead() throws {
        let slow = try RawClient.open(port: server.port, receiveBuffer: 4_096)
        server.post { script in
            for number in 0..<200 { script.push("\(number)" + String(repeating: "z", count: 100_000), to: 2) }
        }
        #expect(server.onLoop { $0.sessions[2]?.outbox.isEmpty } == false)
        for number in 0..<5_000 { slow.sendFrame(9, Array("\(number)".utf8)) }
        while try slow.readFrame().text != "4999" {}
    }
}
