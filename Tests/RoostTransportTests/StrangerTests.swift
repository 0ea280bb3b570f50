import Foundation
import RoostWire
import Testing

@testable import RoostTransport

/// Connections before their welcome: how many there may be, what they may send, and how they end.
@Suite struct StrangerTests {
    private func server(_ change: @escaping (inout TransportSettings) -> Void) throws -> TestServer {
        let server = try TestServer(change)
        _ = server.onLoop { $0.standing = .stranger }
        return server
    }

    private func become(_ standing: Standing, _ id: UInt64, of server: TestServer) {
        let isDone = server.onLoop { script in
            script.sessions[id]?.connection.standing = standing
            return script.sessions[id] != nil
        }
        #expect(isDone == true)
    }

    private func isServed(_ client: RawClient) throws -> Bool {
        client.sendText("here")
        return try client.readFrame().text == "here"
    }

    @Test func silentSocketsGiveWayToNewcomers() throws {
        let server = try server { $0.strangersPerAddressMax = 3 }
        let silent = try (0..<3).map { _ in try RawClient(port: server.port) }
        let newcomers = try (0..<2).map { _ in try RawClient.open(port: server.port) }
        for one in silent.prefix(2) { #expect(try one.isAtEnd()) }
        for one in newcomers { #expect(try isServed(one)) }
        // A connection that was upgraded gets the reason.
        let third = try RawClient.open(port: server.port)
        let fourth = try RawClient.open(port: server.port)
        #expect(try newcomers[0].readFrame().closeCode == 4005)
        #expect(try newcomers[0].isAtEnd())
        #expect(server.journal.wait(for: .closed(4, .server)))
        for one in [newcomers[1], third, fourth] { #expect(try isServed(one)) }
        #expect(server.onLoop { $0.loop?.counters.gaveWay } == 4)
        #expect(server.onLoop { $0.loop?.strangerCount } == 3)
    }

    @Test func guestsMakeRoom() throws {
        let server = try server { $0.strangersPerAddressMax = 1 }
        var guests: [RawClient] = []
        for id in 1...5 as ClosedRange<UInt64> {
            guests.append(try RawClient.open(port: server.port))
            become(.guest, id, of: server)
        }
        for one in guests { #expect(try isServed(one)) }
        #expect(server.onLoop { $0.loop?.strangerCount } == 0)
        #expect(server.onLoop { $0.loop?.counters.gaveWay } == 0)
    }

    /// A client that waits for us, not we for it, isn't cut. If all do, the newcomer comes later.
    @Test func connectionsBeingCheckedStay() throws {
        let server = try server { $0.strangersPerAddressMax = 1 }
        let first = try RawClient.open(port: server.port)
        become(.pending, 1, of: server)
        let second = try RawClient(port: server.port)
        second.send(RawClient.upgrade())
        #expect(try second.readHead().status == "HTTP/1.1 429 Too Many Requests")
        become(.guest, 1, of: server)
        let third = try RawClient.open(port: server.port)
        #expect(try isServed(first))
        #expect(try isServed(third))
    }

    /// A peer that doesn't answer the close frame holds a descriptor for some seconds, but no place.
    @Test func clientsThatIgnoreOurCloseAreDropped() throws {
        let server = try server {
            $0.strangersPerAddressMax = 2
            $0.connectionsPerAddressMax = 2
            $0.leaversMax = 3
        }
        var ignoring: [RawClient] = []
        for id in 1...6 as ClosedRange<UInt64> {
            ignoring.append(try RawClient.open(port: server.port))
            _ = server.onLoop { $0.sessions[id]?.connection.close(.helloTimeout) }
            #expect(try ignoring.last?.readFrame().closeCode == 4003)
        }
        #expect(server.onLoop { $0.loop?.counters.gaveWay } == 0)
        #expect(server.onLoop { $0.loop?.strangerCount } == 0)
        // Three are waited for, and no more.
        for one in ignoring.suffix(3) { #expect(try one.isAtEnd()) }
        let newcomer = try RawClient.open(port: server.port)
        #expect(try isServed(newcomer))
        // A client that answers is gone at once.
        ignoring[0].sendFrame(8, [0x0F, 0xA3])
        #expect(try ignoring[0].isAtEnd())
    }

    @Test(arguments: [0, 1])
    func aStrangersMessageIsBounded(_ more: Int) throws {
        let server = try server { $0.frameBytesMax = 20_000 }
        let client = try RawClient.open(port: server.port)
        _ = server.onLoop { $0.isEchoing = false }
        client.sendFrame(1, [UInt8](repeating: 0x78, count: 8_192 + more))
        if more > 0 {
            #expect(try client.readFrame().closeCode == 1009)
            return
        }
        #expect(server.journal.wait(for: .received(String(repeating: "x", count: 8_192))))
        // In fragments, too.
        client.sendFrame(1, [UInt8](repeating: 0x78, count: 8_000), isFinal: false)
        client.sendFrame(0, [UInt8](repeating: 0x78, count: 193))
        #expect(try client.readFrame().closeCode == 1009)
        let guest = try RawClient.open(port: server.port)
        become(.guest, 2, of: server)
        guest.sendFrame(1, [UInt8](repeating: 0x78, count: 20_000))
        #expect(server.journal.wait(for: .received(String(repeating: "x", count: 20_000))))
    }

    // MARK: Unfinished messages

    /// The oldest unfinished message is given up, so that clients who never finish theirs keep no other from sending.
    @Test func unfinishedMessagesOfAllHaveOneBound() throws {
        let server = try TestServer { $0.partialBytesMax = 400_000 }
        let unfinished = [UInt8](repeating: 0x78, count: 60_000)
        var clients: [RawClient] = []
        for _ in 0..<10 {
            clients.append(try RawClient.open(port: server.port))
            clients.last?.sendFrame(1, unfinished, announced: 100_000)
        }
        let isBounded = { () -> Bool in
            server.onLoop { script in
                guard let loop = script.loop else { return false }
                return loop.counters.partialsCut > 0 && loop.partialBytes <= 400_000
            } ?? false
        }
        #expect(try clients[0].readFrame().closeCode == 4005)
        #expect(isBounded())
        let last = try RawClient.open(port: server.port)
        last.sendFrame(1, [UInt8](repeating: 0x79, count: 100_000))
        #expect(try last.readFrame().payload.count == 100_000)
        #expect(isBounded())
        // All is given back when they have gone.
        clients = []
        let limit = Date(timeIntervalSinceNow: 10)
        while server.onLoop({ $0.loop?.partialBytes }) != 0, Date() < limit {}
        #expect(server.onLoop { $0.loop?.partialBytes } == 0)
    }

    /// A connection that finishes one message and begins another in the same read is a newcomer with the latter.
    @Test func aFinishedMessageBeginsTheOrderAnew() {
        var frames = PartialFrames<Int>(bytesMax: 100)
        var places = [PartialFrames<Int>.Place](repeating: .init(), count: 3)
        frames.note(40, of: 0, at: &places[0])
        frames.note(40, of: 1, at: &places[1])
        frames.note(50, of: 0, at: &places[0], isNew: true)
        #expect(frames.surplus == nil)
        frames.note(30, of: 2, at: &places[2])
        #expect(frames.bytes == 120)
        #expect(frames.surplus == 1)
        frames.note(0, of: 1, at: &places[1])
        #expect(frames.surplus == nil)
        frames.note(0, of: 1, at: &places[1])
        frames.note(0, of: 0, at: &places[0])
        frames.note(0, of: 2, at: &places[2])
        #expect(frames.bytes == 0)
    }

    // MARK: Frames that carry nothing

    @Test(arguments: [
        ("pings", RawClient.frame(9, [1])), ("pongs", RawClient.frame(10, [])),
        ("empty fragments", RawClient.frame(0, [], isFinal: false)),
    ])
    func framesThatCarryNothingHaveARate(_ what: String, _ frame: [UInt8]) throws {
        let server = try TestServer {
            $0.controlFramesBurst = 200
            $0.controlFramesPerSecond = 1
        }
        let client = try RawClient.open(port: server.port)
        if frame[0] == 0 { client.sendFrame(1, [0x78], isFinal: false) }
        func flood(_ count: Int) { client.send(Array(repeatElement(frame, count: count).joined())) }
        flood(200)
        if frame[0] == 0 { client.sendFrame(0, []) }
        client.sendText("served")
        var read = try client.readFrame()
        while read.text != "served", read.opcode != 8 { read = try client.readFrame() }
        #expect(read.text == "served")
        if frame[0] == 0 { client.sendFrame(1, [0x78], isFinal: false) }
        flood(100)
        while read.opcode != 8 { read = try client.readFrame() }
        #expect(read.closeCode == 4008)
        #expect(server.onLoop { $0.loop?.counters.failed[.rateLimited] } == 1)
    }

    @Test func theAllowanceFillsWithTime() {
        var allowance = ControlAllowance()
        func taken(at now: Int64) -> Int {
            (0..<1_000).prefix { _ in allowance.take(at: now, perSecond: 20, burst: 50) }.count
        }
        #expect(taken(at: 1_000) == 50)
        #expect(taken(at: 1_049) == 0)
        #expect(taken(at: 1_050) == 1)
        #expect(taken(at: 2_050) == 20)
        #expect(taken(at: 1_000_000_000) == 50)
        // A clock that stands still or goes back gives nothing.
        #expect(taken(at: 5) == 0)
    }
}
