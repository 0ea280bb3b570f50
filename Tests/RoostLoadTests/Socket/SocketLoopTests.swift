import Testing

@testable import RoostLoad

@Suite struct SocketLoopTests {
    @Test(arguments: [0, 200_000, 15_000_000, 100_000_000] as [UInt64])
    func waitsUntilTheDeadline(_ nanoseconds: UInt64) throws {
        let loop = try SocketLoop()
        let deadline = SocketLoop.now() + nanoseconds
        loop.turn(until: deadline)
        // It never wakes too early, not even after the first of several steps. How late it wakes depends on the
        // machine.
        #expect(SocketLoop.now() >= deadline)
        #expect(loop.wokeAt >= deadline)
    }

    @Test func looksIfTheDeadlineIsOver() throws {
        let loop = try SocketLoop()
        loop.turn(until: 0)
        loop.turn(until: SocketLoop.now() - 1)
        #expect(loop.openCount == 0)
    }

    @Test func doesNotWaitForTheDeadlineIfSomethingHappens() throws {
        let connection = try OpenConnection()
        connection.peer.send(serverText("wake up"))
        let far = SocketLoop.now() + 60_000_000_000
        while connection.owner.texts.isEmpty { connection.loop.turn(until: far) }
        #expect(SocketLoop.now() < far)
    }

    @Test func reportsHowLongItDidNotRead() throws {
        let loop = try SocketLoop()
        loop.turn(until: 0)
        let woke = loop.wokeAt
        while SocketLoop.now() < woke + 3_000_000 {}
        loop.turn(until: 0)
        #expect(loop.lastTurn >= 3_000_000)
    }

    @Test func serves500Connections() throws {
        let loop = try SocketLoop()
        let listener = try SocketListener()
        let target = try SocketTarget(url: listener.url)
        let owners = (0..<500).map { _ in RecordingOwner() }
        var peers: [SocketPeer] = []
        var sockets: [ClientSocket] = []
        for owner in owners {
            sockets.append(loop.connect(to: target, from: nil, owner: owner))
            peers.append(try listener.accept())
        }
        loop.look()
        for peer in peers { peer.send(SocketPeer.accepting) }
        #expect(loop.run { loop.openCount == 500 })
        for (number, socket) in sockets.enumerated() { socket.send("\(number)") }
        loop.turn(until: 0)
        for (number, peer) in peers.enumerated() {
            _ = try peer.readHead()
            let payload = try peer.readFrame().payload
            #expect(payload == Array("\(number)".utf8))
            peer.send(serverFrame(1, payload))
        }
        #expect(loop.run { loop.received == 500 })
        for (number, owner) in owners.enumerated() { #expect(owner.texts == ["\(number)"]) }
    }
}
