internal import CLibwebsockets
internal import Glibc

/// The HTTP connections whose peer has not taken its response yet. While libwebsockets waits for such a socket to
/// become writable it does not read from it, and goes on polling for input: a peer that sends more requests and reads
/// nothing would keep the loop spinning until a timeout. Such a peer is cut. Loop thread; empty nearly always.
struct UnreadResponses {
    private struct Waiting {
        var connection: Connection
        var wsi: OpaquePointer
    }

    private enum Outcome { case taken, waits, misused }

    private var waiting: [Waiting] = []

    /// Looks after a connection that a response was written to.
    mutating func add(_ connection: Connection, _ wsi: OpaquePointer) {
        waiting.append(Waiting(connection: connection, wsi: wsi))
    }

    /// Forgets those that have taken their response and cuts those that send instead; returns how many.
    mutating func check() -> Int {
        guard !waiting.isEmpty else { return 0 }
        var cut = 0
        waiting.removeAll { one in
            switch UnreadResponses.outcome(of: one) {
            case .taken: return true
            case .waits: return false
            case .misused:
                shim_lws_kill(one.wsi)
                cut += 1
                return true
            }
        }
        return cut
    }

    private static func outcome(of one: Waiting) -> Outcome {
        // The library's pointer dies when the connection is forgotten.
        guard !one.connection.isForgotten, one.connection.phase == .request else { return .taken }
        var state = pollfd(fd: lws_get_socket_fd(one.wsi), events: Int16(POLLIN | POLLOUT), revents: 0)
        guard poll(&state, 1, 0) > 0 else { return .waits }
        if state.revents & Int16(POLLOUT) != 0, lws_partial_buffered(one.wsi) == 0 { return .taken }
        return state.revents & Int16(POLLIN) != 0 ? .misused : .waits
    }
}
