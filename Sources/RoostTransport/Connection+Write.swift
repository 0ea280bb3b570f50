internal import CLibwebsockets
public import RoostProtocol

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
            let count = core.gather(&outbox)
            core.counters.writes += 1
            core.counters.bytesOut += count
            if shim_lws_write_raw(wsi, core.scratch.baseAddress, count) < 0 {
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

extension ServerCore {
    /// Fills the scratch buffer with whole frames and returns their bytes. It ends between two frames, so that a close
    /// frame may always follow; the buffer grows when one frame is longer than it.
    func gather(_ outbox: inout Outbox) -> Int {
        var count = outbox.fill(UnsafeMutableRawBufferPointer(rebasing: scratch[..<min(scratch.count, roomToFill)]))
        let missing = outbox.restOfHead
        if missing > 0 {
            growScratch(to: count + missing)
            count += outbox.fill(UnsafeMutableRawBufferPointer(rebasing: scratch[count..<count + missing]))
        }
        return count
    }

    private var roomToFill: Int { max(settings.writeBytes, 4_096) }

    private func growScratch(to needed: Int) {
        guard needed > scratch.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, scratch.count * 2), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(scratch))
        scratch.deallocate()
        scratch = larger
    }
}
