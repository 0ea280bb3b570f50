import Testing

@testable import RoostLoad

@Suite struct SocketMessageTests: ConnectedSuite {
    let connection: OpenConnection

    init() throws { connection = try OpenConnection() }

    @Test func sendsAndReceives() throws {
        #expect(socket.send("one"))
        #expect(socket.send(""))
        #expect(socket.send(String(repeating: "x", count: 70_000)))
        loop.turn(until: 0)
        #expect(try peer.readFrame() == (1, Array("one".utf8)))
        #expect(try peer.readFrame() == (1, []))
        #expect(try peer.readFrame() == (1, [UInt8](repeating: 120, count: 70_000)))
        peer.send(serverText("hi") + serverText(""))
        #expect(loop.run { owner.texts == ["hi", ""] })
        #expect(owner.times.allSatisfy { $0 > 0 && $0 <= SocketLoop.now() })
        #expect((loop.sent, loop.sentBytes) == (3, 70_003))
        #expect((loop.received, loop.receivedBytes) == (2, 2))
    }

    @Test func sendsQueuedMessagesBeforeItWaits() throws {
        peer.echoOnce()
        socket.send("now")
        // One turn without other news: the peer sends nothing before it has received this.
        loop.turn(until: SocketLoop.now() + 10_000_000_000)
        #expect(owner.texts == ["now"])
    }

    @Test func sendsWhatACallbackQueuedInTheSameTurn() throws {
        owner.whenReceived = { socket, text in for part in 0..<3 { socket.send("\(text) \(part)") } }
        peer.send(serverText("echo"))
        #expect(loop.run { !owner.texts.isEmpty })
        for part in 0..<3 { #expect(try peer.readFrame().payload == Array("echo \(part)".utf8)) }
    }

    @Test func readsMessagesSplitAnywhere() throws {
        // Each message is longer than one read, and no frame ends with a read. The peer can't send it at once.
        let texts = (0..<3_000).map { "\($0) " + String(repeating: "y", count: $0) }
        var stream = texts.flatMap(serverText)[...]
        while owner.texts.count < texts.count, !stream.isEmpty || loop.run(until: { owner.texts.count == texts.count })
        {
            stream = stream.dropFirst(peer.sendAvailable(stream.prefix(1_000_000)))
            loop.turn(until: 0)
        }
        #expect(owner.texts == texts)
        #expect(socket.tail.bytes.baseAddress == nil, "an idle connection keeps no buffer")
    }

    @Test(arguments: [
        HarnessLimits.readBytes - 11, HarnessLimits.readBytes - 10, HarnessLimits.readBytes - 9,
        HarnessLimits.readBytes, 3 * HarnessLimits.readBytes, HarnessLimits.messageBytesMax,
    ])
    func receivesMessagesAboveARead(_ size: Int) throws {
        let text = String(repeating: "z", count: size)
        var stream = (serverText("before") + serverText(text) + serverText("after"))[...]
        #expect(
            loop.run {
                stream = stream.dropFirst(peer.sendAvailable(stream))
                return owner.texts.count == 3
            }
        )
        #expect(owner.texts == ["before", text, "after"])
        #expect(socket.tail.bytes.baseAddress == nil)
    }

    @Test func endsOnTooLongAMessage() throws {
        let length = HarnessLimits.messageBytesMax + 1
        peer.send([0x81, 127] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) })
        #expect(loop.run { owner.endings == [.failed("message too long")] })
    }

    @Test func endsOnAnInvalidFrame() throws {
        peer.send(serverText("good") + [0xF1, 0] + serverText("after"))
        #expect(loop.run { !owner.endings.isEmpty })
        #expect(owner.texts == ["good"])
        #expect(owner.endings == [.failed(FrameHeader.Violation.reservedBits.rawValue)])
        #expect(loop.openCount == 0)
    }

    @Test func joinsFragmentsAndAnswersPingsInBetween() throws {
        peer.send(serverFrame(1, Array("one, ".utf8), isFinal: false) + serverFrame(9, Array("are you there".utf8)))
        loop.look()
        peer.send(serverFrame(0, Array("two".utf8)))
        #expect(loop.run { owner.texts == ["one, two"] })
        #expect(try peer.readFrame() == (10, Array("are you there".utf8)))
    }

    @Test func sendsAsFastAsThePeerReads() throws {
        // Far more than the system's buffers hold, so that most of it waits.
        let text = [UInt8](repeating: 120, count: 1_000_000)
        var accepted = 0
        while accepted < 4, socket.send(text) { accepted += 1 }
        #expect(accepted == 4)
        #expect(!socket.send(text), "above \(HarnessLimits.sendBytesMax) bytes it says no")
        #expect(socket.send("small"), "but less than what is left it takes")
        loop.turn(until: 0)
        #expect(socket.unsent.count > 0)
        let total = 4 * (text.count + 14) + 11
        #expect(loop.run { peer.readAvailable() && peer.unread.count == total })
        for _ in 0..<4 { #expect(try peer.readFrame().payload == text) }
        #expect(try peer.readFrame().payload == Array("small".utf8))
        #expect(socket.unsent.bytes.baseAddress == nil)
        #expect(loop.sent == 5)
        // The owner is notified of room several times.
        for _ in 0..<4 { #expect(socket.send(text)) }
        #expect(loop.run { peer.readAvailable() && peer.unread.count == 4 * (text.count + 14) })
    }

    @Test func givesEveryConnectionATurn() throws {
        // One peer has sent more than a turn reads. The other one's message doesn't wait until all of that is read.
        let readBytes = HarnessLimits.handshakeBytesMax + 1_024
        let connection = try OpenConnection(readBytes: readBytes)
        let (loop, owner, peer) = (connection.loop, connection.owner, connection.peer)
        let bound = SocketLoop.readsPerTurn * readBytes
        let other = RecordingOwner()
        let second = loop.connect(to: try SocketTarget(url: connection.listener.url), from: nil, owner: other)
        let secondPeer = try connection.listener.accept()
        loop.look()
        secondPeer.send(SocketPeer.accepting)
        #expect(loop.run { second.isOpen })
        let one = serverText(String(repeating: "f", count: 1_000))
        let flood = Array(repeating: one, count: 1_000).flatMap(\.self)
        let begun = peer.sendAvailable(flood)
        try #require(begun > 2 * bound + one.count, "or else a turn may well read all of it")
        secondPeer.send(serverText("me too"))
        for _ in 0..<2 {
            let before = loop.receivedBytes
            loop.turn(until: 0)
            #expect(loop.receivedBytes - before <= UInt64(bound))
        }
        #expect(other.texts == ["me too"])
        #expect(owner.texts.count < begun / one.count)
        // Bytes that a turn left unread are read without a further event.
        let far = SocketLoop.now() + 10_000_000_000
        while owner.texts.count < begun / one.count, SocketLoop.now() < far { loop.turn(until: far) }
        #expect(owner.texts.count == begun / one.count)
        #expect(SocketLoop.now() < far)
    }
}
