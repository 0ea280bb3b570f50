internal import CLibwebsockets
internal import Glibc
public import RoostFraming
internal import RoostTLS

extension Connection {
    /// Bytes that were taken from an outbox and that the socket hasn't taken.
    public var unsentBytes: Int { unsent.count }

    /// Writes as much as the socket takes. Returns true if the kernel has taken everything. After false, `writable` is
    /// called later, or `closed` if the socket has failed. When the socket takes no more, at most one write of
    /// `writeBytes` is copied; the rest stays in the outbox.
    public func write(_ outbox: inout Outbox) -> Bool {
        assert(core.library.isHere, "only the loop's thread writes to its connections")
        guard phase == .open || phase == .leaving else {
            outbox.removeAll()
            return true
        }
        while true {
            guard unsent.isEmpty else {
                isWaiting = true
                return false
            }
            if outbox.isEmpty { return true }
            let bytes = core.buffer.fill(from: &outbox)
            core.counters.writes += 1
            core.counters.bytesOut += bytes.count
            guard send(bytes) else { return false }
        }
    }

    /// Sends bytes, by TLS if the connection has that. Returns false if the socket is dead.
    @discardableResult
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let tls else { return sendAsIs(bytes) }
        var isAlive = tls.isOpen
        tls.encrypt(bytes) { isAlive = sendAsIs($0) }
        return isAlive
    }

    /// Sends bytes, and keeps a copy of what the socket doesn't take. Returns false if the socket is dead.
    ///
    /// This doesn't go through libwebsockets, which would keep the rest for itself and then read nothing from this peer
    /// until the rest is sent.
    @discardableResult
    func sendAsIs(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard phase != .ended, phase != .draining else { return false }
        guard unsent.isEmpty else {
            unsent.append(contentsOf: bytes)
            return true
        }
        var sent = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        if sent == bytes.count { return true }
        if sent < 0 {
            guard errno == EAGAIN || errno == EINTR else {
                core.end(self)
                return false
            }
            sent = 0
        }
        unsent.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[sent...]))
        if let wsi { lws_callback_on_writable(wsi) }
        return true
    }

    /// Sends bytes, and keeps what the socket doesn't take.
    func send(_ bytes: [UInt8]) { bytes.withUnsafeBytes { _ = send($0) } }

    /// The socket takes more.
    func becameWritable() {
        let wasUnsent = !unsent.isEmpty
        if wasUnsent {
            var rest: [UInt8] = []
            swap(&rest, &unsent)
            rest.withUnsafeBytes { _ = sendAsIs($0) }
        }
        guard unsent.isEmpty, phase != .ended else { return }
        if let pong = laterPong {
            laterPong = nil
            if phase == .open { send(pong) }
        }
        drainIfSent()
        switch phase {
        case .request:
            if wasUnsent { setRequestTimeout() }
            if !isNextWaiting { serveRequest() }
        case .open:
            guard isWaiting, unsent.isEmpty else { return }
            isWaiting = false
            core.events?.writable(self)
        // The close frame is on its way; from now on the peer has time to answer it.
        case .closing: setTimeout(core.settings.closeFlushSeconds)
        case .preface, .leaving, .draining, .ended: break
        }
    }
}
