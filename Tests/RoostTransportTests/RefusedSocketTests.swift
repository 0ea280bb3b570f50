import Glibc
import Testing

@testable import RoostTransport

/// Sockets that were answered before their request was read.
@Suite struct RefusedSocketTests {
    /// Both ends of a connection.
    private func pair() -> (own: Int32, peer: Int32) {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// Whether the peer can still send, so that its request doesn't reset the connection.
    private func takesInput(_ peer: Int32) -> Bool { send(peer, "x", 1, Int32(MSG_NOSIGNAL)) == 1 }

    @Test func onlySoManyAreKeptOpen() {
        var refused = RefusedSockets(max: 2)
        let peers = (0..<3).map { _ in
            let (own, peer) = pair()
            refused.answer(own, with: Array("no".utf8), isLast: false)
            return peer
        }
        #expect(peers.map(takesInput) == [true, true, false])
        // A socket is kept for a whole beat.
        refused.closeOld()
        #expect(peers.map(takesInput) == [true, true, false])
        refused.closeOld()
        #expect(peers.map(takesInput) == [false, false, false])
        for peer in peers {
            var answer = [UInt8](repeating: 0, count: 8)
            #expect(recv(peer, &answer, answer.count, 0) == 2)
            close(peer)
        }
    }
}
