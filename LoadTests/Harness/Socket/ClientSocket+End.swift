import Glibc

extension ClientSocket {
    /// Begins the close handshake. Queued messages go first, and nothing more can be sent. Messages may still arrive.
    /// `ended` follows when the peer has answered and closed the connection, or after `SocketLoop.closeSeconds`. A
    /// connection that isn't open yet is given up.
    func close(code: UInt16) {
        guard let loop else { return }
        switch phase {
        case .connecting, .upgrading:
            // The answer may have arrived already. It must not open the connection any more.
            isReading = false
            loop.endSoon(self, .failed("closed before it was open"))
        case .open:
            phase = .closing
            loop.closes.add(key, now: SocketLoop.now())
            queueClose(code)
        case .closing, .awaitingEnd, .ended: return
        }
    }

    /// Drops the connection at once and without an `ended`. Unsent bytes are lost, and the peer gets a reset (SO_LINGER
    /// with no time), as from a device that lost its network.
    func drop() {
        guard phase != .ended else { return }
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(key.descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        release()
    }

    /// Ends the connection: frees its memory and notifies the owner. Only from the loop's turn.
    func end(_ ending: SocketEnding) {
        guard phase != .ended, let owner else { return }
        release()
        owner.ended(self, ending)
    }

    /// Frees everything except what is being handed out right now.
    func release() {
        guard phase != .ended else { return }
        loop?.forget(self)
        phase = .ended
        owner = nil
        loop = nil
        unsent.clear()
        encrypted.clear()
        if !isHandingOut { clearReceived() }
        if key.descriptor >= 0 { Glibc.close(key.descriptor) }
    }

    func clearReceived() {
        reader.clear()
        tail.clear()
        hasBacklog = false
    }
}
