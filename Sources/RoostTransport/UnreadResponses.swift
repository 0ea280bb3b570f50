internal import CLibwebsockets
internal import Glibc

/// The HTTP connections whose peer has not read its response yet. While libwebsockets waits for such a socket to become
/// writable, it doesn't read from it but still polls for input. So a peer that sends more requests and reads nothing
/// would keep the loop spinning until a timeout. Such a peer is cut. Loop thread only; nearly always empty.
struct UnreadResponses {
    private struct Waiting {
        var connection: Connection
        var wsi: OpaquePointer
    }

    private enum Outcome { case taken, waits, misused }

    private var waiting: [Waiting] = []

    /// Adds a connection to which a response was written.
    mutating func add(_ connection: Connection, _ wsi: OpaquePointer) {
        waiting.append(Waiting(connection: connection, wsi: wsi))
    }

    /// Forgets peers that have read their response, and cuts those that send more instead. Returns how many it cut.
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
        // The library's pointer is invalid once the connection is forgotten.
        guard !one.connection.isForgotten, one.connection.phase == .request else { return .taken }
        var state = pollfd(fd: lws_get_socket_fd(one.wsi), events: Int16(POLLIN | POLLOUT), revents: 0)
        guard poll(&state, 1, 0) > 0 else { return .waits }
        if state.revents & Int16(POLLOUT) != 0, lws_partial_buffered(one.wsi) == 0 { return .taken }
        return state.revents & Int16(POLLIN) != 0 ? .misused : .waits
    }
}
