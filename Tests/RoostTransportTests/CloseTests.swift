import RoostFraming
import RoostTransport
import RoostWire
import Testing

@Suite struct CloseTests {
    let server: TestServer

    init() throws { server = try TestServer() }

    @Test(arguments: CloseCode.allCases)
    func sendsEveryCodeWithItsReason(_ code: CloseCode) throws {
        let client = try RawClient.open(port: server.port)
        server.post { script in
            script.push("last words", to: 1)
            guard let session = script.sessions[1] else { return }
            _ = session.connection.write(&session.outbox)
            session.connection.close(code)
            session.connection.close(.normal)
        }
        #expect(try client.readFrame().text == "last words")
        let frame = try client.readFrame()
        #expect(frame.closeCode == code.rawValue)
        #expect(frame.closeReason == "\(code.reason)")
        // The server waits for the answer. Closing at once might reset the connection before the peer has read the
        // frame.
        for _ in 0..<3 { #expect(server.onLoop { $0.loop?.connectionCount } == 1) }
        client.sendFrame(8, frame.payload)
        #expect(try client.isAtEnd())
        #expect(server.journal.wait(for: .closed(1, .server)))
    }

    @Test func cutsAPeerThatNeverAnswersTheCloseFrame() throws {
        let client = try RawClient.open(port: server.port)
        server.post { $0.sessions[1]?.connection.close(.drain) }
        #expect(try client.readFrame().closeCode == CloseCode.drain.rawValue)
        #expect(try client.isAtEnd())
        #expect(server.journal.wait(for: .closed(1, .server)))
    }

    @Test func distinguishesACleanCloseFromADrop() throws {
        let polite = try RawClient.open(port: server.port)
        polite.sendFrame(8, [0x03, 0xE8])
        #expect(try polite.readFrame().closeCode == 1000)
        #expect(try polite.isAtEnd())
        #expect(server.journal.wait(for: .closed(1, .peer)))
        do { _ = try RawClient.open(port: server.port) }
        #expect(server.journal.wait(for: .closed(2, .loss)))
        let counters = server.onLoop { $0.loop?.counters }
        #expect(counters??.closedByPeer == 1)
        #expect(counters??.dropped == 1)
        #expect(server.onLoop { $0.loop?.connectionCount } == 0)
    }

    @Test func reportsClosedOnceForEachOpened() throws {
        for _ in 0..<50 {
            let client = try RawClient.open(port: server.port)
            client.sendText("x")
        }
        #expect(server.journal.wait { $0.filter { if case .closed = $0 { true } else { false } }.count >= 50 })
        for id in 1...50 as ClosedRange<UInt64> {
            #expect(server.journal.all.filter { $0 == .opened(id) }.count == 1)
            #expect(server.journal.all.filter { $0 == .closed(id, .loss) }.count == 1)
        }
    }

    @Test func aConnectionDoesNothingAfterItsEnd() throws {
        let client = try RawClient.open(port: server.port)
        let kept = server.onLoop { Unchecked($0.sessions[1]) }
        client.sendFrame(8, [0x03, 0xE8])
        #expect(server.journal.wait(for: .closed(1, .peer)))
        let isWritten = server.onLoop { script -> Bool in
            guard let session = kept?.value else { return true }
            session.outbox.push(Script.frame("nobody"))
            session.connection.close(.normal)
            return session.connection.write(&session.outbox) && session.outbox.isEmpty
        }
        #expect(isWritten == true)
    }
}
