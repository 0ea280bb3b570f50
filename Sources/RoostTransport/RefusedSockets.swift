internal import CLibwebsockets
internal import Glibc

/// Sockets that were answered before their request was read. They are kept for one to two seconds. If they were closed
/// at once, the arriving request would reset the connection and the peer might lose the answer (RFC 9112, section 9.6).
/// Loop thread only.
struct RefusedSockets {
    /// The most sockets that are kept.
    private let max: Int
    private var recent: [Int32] = []
    private var old: [Int32] = []

    init(max: Int) { self.max = max }

    /// Sends `response` and takes over the descriptor. With `isLast`, it is closed before this returns.
    mutating func answer(_ descriptor: Int32, with response: [UInt8], isLast: Bool) {
        discardInput(of: descriptor)
        _ = response.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        shutdown(descriptor, Int32(SHUT_WR))
        if isLast || recent.count + old.count >= max {
            close(descriptor)
        } else {
            recent.append(descriptor)
        }
    }

    /// Closes the sockets that have waited for a whole beat.
    mutating func closeOld() {
        for descriptor in old {
            discardInput(of: descriptor)
            close(descriptor)
        }
        old = recent
        recent = []
    }

    private func discardInput(of descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
            _ = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        }
    }
}
