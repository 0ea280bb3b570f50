import Testing

@testable import RoostLoad

@Suite struct SocketPauseTests: ConnectedSuite {
    let connection: OpenConnection

    init() throws { connection = try OpenConnection() }

    @Test func whilePausedHandsOutNothingAndEverythingAfterwards() throws {
        socket.isReading = false
        peer.send(serverText("one") + serverText("two"))
        loop.look()
        #expect(owner.texts.isEmpty)
        #expect(socket.isOpen)
        socket.isReading = true
        #expect(loop.run { owner.texts == ["one", "two"] })
    }

    @Test func aPauseLetsThePeersBuffersFillUp() throws {
        socket.isReading = false
        let one = serverText(String(repeating: "x", count: 1_000))
        let flood = Array(repeating: one, count: 16_000).flatMap(\.self)
        var sent = 0
        var isFull = false
        while !isFull, sent < flood.count {
            let taken = peer.sendAvailable(flood[sent...])
            isFull = taken == 0
            sent += taken
            loop.look()
        }
        #expect(isFull, "or else somebody reads")
        #expect(owner.texts.isEmpty)
        socket.isReading = true
        #expect(
            loop.run {
                if sent < flood.count { sent += peer.sendAvailable(flood[sent...]) }
                return owner.texts.count == 16_000
            }
        )
    }

    @Test func canPauseBetweenMessagesReadTogether() throws {
        owner.whenReceived = { socket, text in if text.hasSuffix("stop") { socket.isReading = false } }
        let texts = ["1", "2 stop", "3", "4 stop", "5"]
        peer.send(texts.flatMap(serverText) + serverText("cut").dropLast(2))
        #expect(loop.run { owner.texts.count == 2 })
        loop.look()
        #expect(owner.texts == ["1", "2 stop"])
        socket.isReading = true
        #expect(loop.run { owner.texts.count == 4 })
        loop.look()
        #expect(owner.texts == Array(texts.prefix(4)))
        peer.send(Array(serverText("cut").suffix(2)))
        loop.look()
        socket.isReading = true
        #expect(loop.run { owner.texts == texts + ["cut"] })
    }

    @Test func canPauseFromOpened() throws {
        let connection = try OpenConnection(whenOpened: { $0.isReading = false }, following: serverText("held"))
        connection.loop.look()
        #expect(connection.owner.texts.isEmpty)
        connection.socket.isReading = true
        #expect(connection.loop.run { connection.owner.texts == ["held"] })
    }

    @Test func sendsWhilePaused() throws {
        socket.isReading = false
        socket.send("hello")
        loop.look()
        #expect(try peer.readFrame().payload == Array("hello".utf8))
    }

    @Test func reportsTheEndAfterThePause() throws {
        socket.isReading = false
        peer.send(serverText("one") + serverClose(4_001, "too slow"))
        peer.hangUp()
        loop.look()
        #expect(owner.endings.isEmpty)
        socket.isReading = true
        #expect(loop.run { owner.endings == [.closed(code: 4_001, reason: "too slow")] })
        #expect(owner.texts == ["one"])
    }

    @Test func reportsAResetAtOnce() throws {
        socket.isReading = false
        loop.look()
        peer.reset()
        #expect(loop.run { owner.endings == [.failed("reset while nobody read")] })
    }

    @Test func canDropWithABacklog() throws {
        owner.whenReceived = { socket, _ in socket.isReading = false }
        peer.send(serverText("1") + serverText("2"))
        #expect(loop.run { owner.texts == ["1"] })
        socket.isReading = true
        socket.drop()
        loop.look()
        #expect(owner.texts == ["1"])
        #expect(socket.tail.bytes.baseAddress == nil)
    }
}
