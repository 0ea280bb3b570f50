import Glibc
import Testing

@testable import RoostLoad

@Suite struct SocketEndTests: ConnectedSuite {
    let connection: OpenConnection

    init() throws { connection = try OpenConnection() }

    // MARK: Close

    @Test func closesByHandshake() throws {
        socket.send("last words")
        socket.close(code: 1_000)
        #expect(!socket.isOpen)
        #expect(!socket.send("too late"))
        socket.close(code: 1_001)
        loop.look()
        #expect(try peer.readFrame().payload == Array("last words".utf8))
        #expect(try peer.readFrame() == (8, [3, 232]))
        peer.send(serverText("on the way") + serverClose(1_000, "bye") + serverText("means nothing"))
        loop.look()
        #expect(socket.tail.count == 0, "what follows a close frame isn't kept")
        peer.hangUp()
        #expect(loop.run { owner.endings == [.closed(code: 1_000, reason: "bye")] })
        #expect(owner.texts == ["on the way"])
        #expect(loop.openCount == 0)
    }

    @Test func echoesAClose() throws {
        peer.send(serverClose(4_000, "drain"))
        loop.look()
        #expect(try peer.readFrame() == (8, [0x0F, 0xA0]))
        #expect(!socket.isOpen)
        #expect(owner.endings.isEmpty, "the server hangs up first")
        peer.hangUp()
        #expect(loop.run { owner.endings == [.closed(code: 4_000, reason: "drain")] })
    }

    @Test func echoesACloseWithoutCode() throws {
        peer.send(serverFrame(8, []))
        loop.look()
        #expect(try peer.readFrame() == (8, []))
        peer.hangUp()
        #expect(loop.run { owner.endings == [.closed(code: 1_005, reason: "")] })
    }

    @Test func reportsTheCloseReasonEvenIfThePeerThenResets() throws {
        peer.send(serverText("one") + serverClose(4_001, "too slow"))
        loop.look()
        peer.reset()
        #expect(loop.run { owner.endings == [.closed(code: 4_001, reason: "too slow")] })
        #expect(owner.texts == ["one"])
    }

    @Test func readsMessagesSentBeforeAFailedWrite() throws {
        // The peer sends something and ends. A failing write must not hide what it sent.
        peer.send(serverText("one") + serverClose(4_001, "too slow"))
        peer.hangUp()
        // The first write makes the peer's system answer with a reset.
        while socket.ending == nil {
            try #require(socket.send("into the void"))
            socket.flush(loop)
        }
        #expect(loop.doomed.isEmpty, "however many turns it takes to read it")
        #expect(loop.run { owner.endings == [.closed(code: 4_001, reason: "too slow")] })
        #expect(owner.texts == ["one"])
    }

    @Test func reportsAStreamThatEndsWithoutACloseFrame() throws {
        peer.send(serverText("whole") + serverText("cut").dropLast())
        peer.hangUp()
        #expect(loop.run { owner.endings == [.closed(code: 1_006, reason: "")] })
        #expect(owner.texts == ["whole"])
    }

    @Test func findsTheEndBehindMoreThanOneTurnReads() throws {
        let one = serverText(String(repeating: "x", count: 1_000))
        let count = 2 * SocketLoop.readsPerTurn * HarnessLimits.readBytes / one.count
        var stream = Array(repeating: one, count: count).flatMap(\.self)[...]
        var hasStopped = false
        #expect(
            loop.run {
                stream = stream.dropFirst(peer.sendAvailable(stream))
                if stream.isEmpty, !hasStopped {
                    hasStopped = true
                    peer.stopSending()
                }
                return !owner.endings.isEmpty
            }
        )
        #expect(owner.endings == [.closed(code: 1_006, reason: "")])
        #expect(owner.texts.count == count)
    }

    @Test func reportsAReset() throws {
        peer.reset()
        #expect(loop.run { owner.endings == [.failed("recv: Connection reset by peer")] })
    }

    @Test func doesNotWaitForeverForAnAnswer() throws {
        let connection = try OpenConnection(closeSeconds: 0.05)
        let (loop, owner) = (connection.loop, connection.owner)
        connection.socket.close(code: 1_000)
        let begin = SocketLoop.now()
        while owner.endings.isEmpty, SocketLoop.now() < begin + 10_000_000_000 {
            loop.turn(until: begin + 10_000_000_000)
        }
        #expect(owner.endings == [.failed("no answer to the close frame in 0.05 s")])
    }

    @Test func doesNotWaitForeverForThePeerToClose() throws {
        let connection = try OpenConnection(closeSeconds: 0.05)
        connection.peer.send(serverClose(4_000, "drain"))
        #expect(connection.loop.run { connection.owner.endings == [.closed(code: 4_000, reason: "drain")] })
        #expect(try connection.peer.readFrame().opcode == 8)
        #expect(connection.peer.readEnd() == 0)
    }

    // MARK: Drop

    @Test func aDropSendsAResetAndReportsNothing() throws {
        socket.send("lost")
        socket.drop()
        #expect(!socket.isOpen)
        #expect(loop.openCount == 0)
        #expect(peer.readEnd() == ECONNRESET)
        socket.drop()
        socket.close(code: 1_000)
        socket.isReading = false
        #expect(!socket.send("too late"))
        loop.look()
        #expect(owner.endings.isEmpty)
    }

    @Test func canDropFromOpened() throws {
        let connection = try OpenConnection(whenOpened: { $0.drop() }, following: serverText("unheard"))
        connection.loop.look()
        #expect(connection.owner.texts.isEmpty)
        #expect(connection.owner.endings.isEmpty)
    }

    @Test(arguments: [1, 2, 3]) func canDropFromReceived(_ last: Int) throws {
        // The second message is in fragments. Their buffer must outlive the callback.
        let stream =
            serverText("1") + serverFrame(1, Array("2".utf8), isFinal: false) + serverFrame(0, Array(" f".utf8))
            + serverText("3") + serverText("4") + serverClose(1_000)
        let owner = owner
        owner.whenReceived = { [unowned owner] socket, _ in if owner.texts.count == last { socket.drop() } }
        peer.send(stream)
        #expect(loop.run { owner.texts.count == last })
        loop.look()
        #expect(owner.texts == Array(["1", "2 f", "3"].prefix(last)))
        #expect(owner.endings.isEmpty)
        #expect(socket.reader.isEmpty && socket.tail.bytes.baseAddress == nil, "nothing is kept")
    }

    @Test func canDropFromReceivedWithALongMessage() throws {
        // The message is handed out in the connection's own buffer.
        owner.whenReceived = { socket, _ in socket.drop() }
        var stream = serverText(String(repeating: "x", count: 2 * HarnessLimits.readBytes))[...]
        #expect(
            loop.run {
                stream = stream.dropFirst(peer.sendAvailable(stream))
                return !owner.texts.isEmpty
            }
        )
        #expect(owner.texts.map(\.utf8.count) == [2 * HarnessLimits.readBytes])
        #expect(socket.tail.bytes.baseAddress == nil)
    }

    @Test func canDropConnectionsWithEventsInTheSameTurn() throws {
        let (loop, owner, socket) = (loop, owner, socket)
        let other = RecordingOwner()
        let second = loop.connect(to: try SocketTarget(url: connection.listener.url), from: nil, owner: other)
        let secondPeer = try connection.listener.accept()
        loop.look()
        secondPeer.send(SocketPeer.accepting)
        #expect(loop.run { second.isOpen })
        // The first callback drops both and connects again. The kernel gives out the lowest descriptors, so the new
        // connections get the same ones.
        let third = RecordingOwner()
        let target = try SocketTarget(url: connection.listener.url)
        var heard = 0
        let dropBoth: (ClientSocket, String) -> Void = { _, _ in
            heard += 1
            socket.drop()
            second.drop()
            let next = [0, 1].map { _ in loop.connect(to: target, from: nil, owner: third) }
            let reused = [socket, second].filter { old in
                next.contains { $0.key.descriptor == old.key.descriptor }
            }
            // Tests that run at the same time may have taken the descriptors.
            for old in reused { #expect(loop.find(old.key) == nil, "an event of the old one finds nobody") }
        }
        owner.whenReceived = dropBoth
        other.whenReceived = dropBoth
        peer.send(serverText("a"))
        secondPeer.send(serverText("b"))
        #expect(loop.run { heard > 0 })
        loop.look()
        #expect(heard == 1)
        #expect(owner.endings.isEmpty && other.endings.isEmpty && third.endings.isEmpty)
    }

    // MARK: Afterwards

    @Test func canConnectAgainFromEnded() throws {
        let (loop, owner) = (loop, owner)
        let target = try SocketTarget(url: connection.listener.url)
        owner.whenEnded = { [unowned owner, unowned loop] socket in
            #expect(!socket.isOpen)
            if owner.endings.count == 1 { _ = loop.connect(to: target, from: nil, owner: owner) }
        }
        peer.hangUp()
        #expect(loop.run { owner.endings.count == 1 })
        let next = try connection.listener.accept()
        next.send(SocketPeer.accepting)
        #expect(loop.run { owner.openings == 2 })
        #expect(loop.openCount == 1)
    }

    @Test func releasesItsOwnerAfterTheEnd() throws {
        weak var gone: RecordingOwner?
        weak var goneSocket: ClientSocket?
        let target = try SocketTarget(url: connection.listener.url)
        do {
            let other = RecordingOwner()
            gone = other
            goneSocket = loop.connect(to: target, from: nil, owner: other)
        }
        #expect(gone != nil, "until the end it does")
        do {
            let otherPeer = try connection.listener.accept()
            loop.look()
            otherPeer.send("HTTP/1.1 404 Not Found\r\n\r\n")
            #expect(loop.run { gone == nil })
        }
        loop.look()
        #expect(goneSocket == nil)
    }

    @Test func canOutliveItsLoop() throws {
        let owner = RecordingOwner()
        var loop: SocketLoop? = try SocketLoop()
        weak let gone = loop
        let target = try SocketTarget(url: connection.listener.url)
        let socket = try #require(loop?.connect(to: target, from: nil, owner: owner))
        let otherPeer = try connection.listener.accept()
        loop?.look()
        otherPeer.send(SocketPeer.accepting)
        #expect(loop?.run { socket.isOpen } == true)
        loop = nil
        #expect(gone == nil)
        #expect(!socket.isOpen)
        #expect(!socket.send("nobody sends it"))
        socket.close(code: 1_000)
        socket.isReading = false
        socket.drop()
        _ = try otherPeer.readHead()
        #expect(otherPeer.readEnd() == 0)
        #expect(owner.endings.isEmpty)
    }
}
