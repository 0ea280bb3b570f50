import RoostFraming
import RoostTransport
import RoostWire
import Testing

@Suite struct WriteTests {
    let server: TestServer

    init() throws { server = try TestServer() }

    /// Sizes at which frame headers change length, and frames longer than one write.
    static let sizes = [1, 125, 126, 200, 65_535, 65_536, 131_072, 300_000]

    private func flood(_ rounds: Int) {
        server.post { script in
            for round in 0..<rounds {
                for size in WriteTests.sizes {
                    script.push("\(round):" + String(repeating: "z", count: size), to: 1)
                }
            }
        }
    }

    @Test func aSlowReaderGetsEveryFrameIntact() throws {
        let client = try RawClient.open(port: server.port, receiveBuffer: 4_096)
        flood(20)
        // The socket is full now. Most of the rest waits in the outbox, not in the library.
        let waiting = server.onLoop { $0.sessions[1]?.outbox.bytes ?? 0 } ?? 0
        let total = WriteTests.sizes.reduce(0, +) * 20
        #expect(waiting > total / 4)
        let handedOver = server.onLoop { $0.loop?.counters.bytesOut ?? 0 }
        #expect(server.onLoop { $0.loop?.counters.bytesOut ?? 0 } == handedOver)
        for round in 0..<20 {
            for size in WriteTests.sizes {
                let frame = try client.readFrame()
                #expect(frame.opcode == 1)
                #expect(frame.payload.count == size + "\(round):".utf8.count)
                #expect(frame.text.hasPrefix("\(round):z"))
            }
        }
        #expect(server.journal.all.contains(.writable(1)))
        #expect(server.onLoop { $0.sessions[1]?.outbox.isEmpty } == true)
    }

    @Test func aCloseFrameFollowsWholeFrames() throws {
        let client = try RawClient.open(port: server.port, receiveBuffer: 4_096)
        flood(20)
        #expect(server.onLoop { $0.sessions[1]?.outbox.isEmpty } == false)
        server.post { $0.sessions[1]?.connection.close(.tooSlow) }
        var frames = 0
        while true {
            let frame = try client.readFrame()
            guard frame.opcode == 1 else {
                #expect(frame.closeCode == CloseCode.tooSlow.rawValue)
                break
            }
            let index = frames % WriteTests.sizes.count
            #expect(frame.payload.count == WriteTests.sizes[index] + "\(frames / WriteTests.sizes.count):".utf8.count)
            frames += 1
        }
        #expect(frames > 0)
        client.sendFrame(8, [0x0F, 0xA1])
        #expect(try client.isAtEnd())
        #expect(server.journal.wait(for: .closed(1, .server)))
        #expect(!server.journal.all.contains(.writable(1)))
    }

    @Test func aPeerThatNeverReadsIsCut() throws {
        let client = try RawClient.open(port: server.port, receiveBuffer: 4_096)
        flood(20)
        #expect(server.onLoop { $0.sessions[1]?.outbox.isEmpty } == false)
        server.post { $0.sessions[1]?.connection.close(.tooSlow) }
        #expect(server.journal.wait(for: .closed(1, .server)))
        #expect(server.onLoop { $0.loop?.counters.closedByServer } == 1)
        withExtendedLifetime(client) {}
    }

    @Test func oneWritePerTurnCarriesAllFrames() throws {
        let client = try RawClient.open(port: server.port)
        let before = server.onLoop { $0.loop?.counters.writes ?? 0 } ?? 0
        server.post { script in
            for number in 0..<500 { script.push("\(number)", to: 1) }
        }
        for number in 0..<500 { #expect(try client.readFrame().text == "\(number)") }
        #expect(server.onLoop { $0.loop?.counters.writes ?? 0 } == before + 1)
    }

    @Test func aResetPeerEndsTheConnection() throws {
        do {
            let client = try RawClient.open(port: server.port, receiveBuffer: 4_096)
            flood(20)
            #expect(server.onLoop { $0.sessions[1]?.outbox.isEmpty } == false)
            withExtendedLifetime(client) {}
        }
        #expect(server.journal.wait(for: .closed(1, .loss)))
    }
}
