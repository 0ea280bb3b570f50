internal import CLibwebsockets
public import RoostFraming

extension Connection {
    /// Writes as much as the socket takes. Returns true if the kernel has taken everything. After false, `writable` is
    /// called later, or `closed` if the socket has failed. When the socket takes no more, the library copies at most
    /// one write of `writeBytes`; the rest stays in the outbox.
    public func write(_ outbox: inout Outbox) -> Bool {
        assert(core.library.isHere, "only the loop's thread writes to its connections")
        guard phase == .open, let wsi else {
            outbox.removeAll()
            return true
        }
        while true {
            // If we wrote while the library still holds bytes, it would queue without a bound and mix up its framing.
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

    // Ends the connection of a dead socket, which the library doesn't always notice by itself.
    private func fail() {
        guard let wsi else { return }
        phase = .closing
        message.clear()
        shim_lws_kill(wsi)
        core.library.serveTimers()
    }
}
