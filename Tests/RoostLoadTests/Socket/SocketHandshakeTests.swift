import Glibc
import Testing

@testable import RoostLoad

@Suite struct SocketHandshakeTests {
    let listener: SocketListener
    let target: SocketTarget
    let owner = RecordingOwner()

    init() throws {
        listener = try SocketListener()
        target = try SocketTarget(url: listener.url)
    }

    /// Connects, answers the upgrade with `answer`, and runs turns until the connection has ended.
    private func ending(after answer: String) throws -> [SocketEnding] {
        let loop = try SocketLoop()
        _ = loop.connect(to: target, from: nil, owner: owner)
        let peer = try listener.accept()
        loop.look()
        peer.send(answer)
        #expect(loop.run { !owner.endings.isEmpty })
        loop.look()
        #expect(owner.openings == 0)
        #expect(loop.openCount == 0)
        return owner.endings
    }

    @Test func opens() throws {
        let connection = try OpenConnection()
        #expect(connection.socket.isOpen)
        #expect(connection.loop.openCount == 1)
        #expect(connection.owner.endings.isEmpty)
    }

    @Test func sendsTheRequestOfTheStandard() throws {
        let loop = try SocketLoop()
        let socket = loop.connect(to: target, from: nil, owner: owner)
        let peer = try listener.accept()
        loop.look()
        let lines = try peer.readHead().split(separator: "\r\n").map(String.init)
        #expect(lines.first == "GET /v1/socket HTTP/1.1")
        let expected = [
            "Host: 127.0.0.1:\(listener.port)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: roost.v1",
        ]
        for line in expected { #expect(lines.contains(line)) }
        #expect(lines.contains { $0.wholeMatch(of: /Sec-WebSocket-Key: [A-Za-z0-9+\/]{22}==/) != nil })
        #expect(!socket.isOpen)
        #expect(!socket.send("too early"))
    }

    @Test func connectsFromTheGivenAddress() throws {
        let loop = try SocketLoop()
        for source in [0x7F00_0001, 0x7F00_0002, 0x7F00_0103] as [UInt32] {
            _ = loop.connect(to: target, from: source, owner: owner)
            #expect(try listener.accept().sourceAddress == source)
        }
    }

    @Test func readsFramesThatArriveWithTheAnswer() throws {
        let connection = try OpenConnection(following: serverText("a") + serverText("b"))
        #expect(connection.loop.run { connection.owner.texts == ["a", "b"] })
    }

    @Test func readsAnAnswerInPieces() throws {
        let loop = try SocketLoop()
        let socket = loop.connect(to: target, from: nil, owner: owner)
        let peer = try listener.accept()
        loop.look()
        for byte in SocketPeer.accepting.utf8 {
            #expect(!socket.isOpen)
            peer.send([byte])
            loop.look()
        }
        #expect(loop.run { socket.isOpen })
    }

    @Test func reportsARefusal() throws {
        #expect(try ending(after: "HTTP/1.1 503 Service Unavailable\r\n\r\n") == [.refused(status: 503)])
    }

    @Test func endsOnAnInvalidAnswer() throws {
        #expect(try ending(after: "220 mail ready\r\n\r\n") == [.failed("the answer is not HTTP")])
    }

    @Test func endsOnTooLongAnAnswer() throws {
        let answer = "HTTP/1.1 101 ok\r\nX: " + String(repeating: "x", count: HarnessLimits.handshakeBytesMax)
        #expect(try ending(after: answer) == [.failed("the answer to the upgrade is too long")])
    }

    @Test func endsWhenThePeerCloses() throws {
        let loop = try SocketLoop()
        _ = loop.connect(to: target, from: nil, owner: owner)
        let peer = try listener.accept()
        loop.look()
        _ = try peer.readHead()
        peer.send("HTTP/1.1 101 Swi")
        peer.hangUp()
        #expect(loop.run { owner.endings == [.failed("the peer hung up during the handshake")] })
    }

    @Test func endsWhenNobodyAnswers() throws {
        let loop = try SocketLoop(handshakeSeconds: 0.05)
        let socket = loop.connect(to: target, from: nil, owner: owner)
        let peer = try listener.accept()
        // A turn waits no longer than until the first deadline.
        let begin = SocketLoop.now()
        while owner.endings.isEmpty, SocketLoop.now() < begin + 10_000_000_000 {
            loop.turn(until: begin + 10_000_000_000)
        }
        #expect(owner.endings == [.failed("no answer to the upgrade in 0.05 s")])
        #expect(SocketLoop.now() < begin + 10_000_000_000)
        #expect(!socket.isOpen)
        _ = try peer.readHead()
        #expect(peer.readEnd() == 0)
    }

    @Test func endsOnlyLateConnections() throws {
        let loop = try SocketLoop(handshakeSeconds: 0.05)
        let quick = RecordingOwner()
        let socket = loop.connect(to: target, from: nil, owner: quick)
        let peer = try listener.accept()
        loop.look()
        peer.send(SocketPeer.accepting)
        #expect(loop.run { socket.isOpen })
        _ = loop.connect(to: target, from: nil, owner: owner)
        #expect(loop.run { owner.endings.count == 1 })
        loop.look()
        #expect(socket.isOpen)
        #expect(quick.endings.isEmpty)
    }

    @Test func endsWhenNobodyListens() throws {
        let loop = try SocketLoop()
        let port = try SocketListener().port
        let gone = try SocketTarget(url: "ws://127.0.0.1:\(port)/")
        _ = loop.connect(to: gone, from: nil, owner: owner)
        #expect(owner.endings.isEmpty, "nothing is said from within connect")
        #expect(loop.run { owner.endings == [.failed("connect: Connection refused")] })
    }

    @Test func endsWhenTheSourceAddressIsForeign() throws {
        let loop = try SocketLoop()
        // TEST-NET-1, RFC 5737.
        _ = loop.connect(to: target, from: 0xC000_0201, owner: owner)
        #expect(owner.endings.isEmpty)
        let far = SocketLoop.now() + 10_000_000_000
        loop.turn(until: far)
        #expect(owner.endings == [.failed("bind: Cannot assign requested address")])
        #expect(SocketLoop.now() < far, "it doesn't wait first")
    }

    @Test func endsWhenClosedBeforeItIsOpen() throws {
        let loop = try SocketLoop()
        let socket = loop.connect(to: target, from: nil, owner: owner)
        let peer = try listener.accept()
        loop.look()
        peer.send(SocketPeer.accepting)
        socket.close(code: 1_000)
        #expect(loop.run { !owner.endings.isEmpty })
        loop.look()
        #expect(owner.endings == [.failed("closed before it was open")])
        #expect(owner.openings == 0)
    }

    @Test func reportsThatNoDescriptorIsFree() async {
        // Runs in its own process, because the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            let loop = try SocketLoop()
            let listener = try SocketListener()
            let target = try SocketTarget(url: listener.url)
            let owner = RecordingOwner()
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 3
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let socket = loop.connect(to: target, from: nil, owner: owner)
            socket.send("nobody hears it")
            precondition(owner.endings.isEmpty)
            loop.turn(until: SocketLoop.now() + 10_000_000_000)
            precondition(owner.endings == [.failed("socket: Too many open files")])
            // The next attempt works again.
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let next = loop.connect(to: target, from: nil, owner: owner)
            let peer = try listener.accept()
            loop.look()
            peer.send(SocketPeer.accepting)
            precondition(loop.run { next.isOpen })
        }
    }
}
