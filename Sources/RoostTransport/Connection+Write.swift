internal import CLibwebsockets
public import RoostWire

extension Connection {
    /// Writes as much as the socket takes; true when all is handed to the kernel. On false, `writable` will be called,
    /// or `closed` if the socket has failed. At most one write of `writeBytes` is copied into the library's memory
    /// when the socket takes no more; the rest stays in the outbox.
    public func write(_ outbox: inout Outbox) -> Bool {
        guard phase == .open, let wsi else {
            outbox.removeAll()
            return true
        }
        while true {
            // Writing while the library holds a rest would queue without bound and confuse its framing.
            if lws_partial_buffered(wsi) != 0 {
                isWaiting = true
                return false
            }
            if outbox.isEmpty { return true }
            let bytes = core.buffer.fill(from: &outbox)
            core.counters.writes += 1
            core.counters.bytesOut += bytes.count
            if shim_lws_write_raw(wsi, bytes.baseAddress, bytes.count) < 0 {
                fail()
                return false
            }
        }
    }

    // The socket is dead, and the library won't notice by itself in every case.
    private func fail() {
        guard let wsi else { return }
        phase = .closing
        message.clear()
        shim_lws_kill(wsi)
        core.library.serveTimers()
    }
}
