internal import CLibwebsockets
internal import Glibc
internal import RoostFraming
public import RoostWire

extension Connection {
    /// Ends the connection. A close frame with this code and its reason goes out after everything that `write` has
    /// accepted. The handler then gets only `closed`, at the latest 11 s later if the peer neither reads nor answers.
    /// A repeated call does nothing.
    public func close(_ code: CloseCode) {
        precondition(core.library.isHere, "only the loop's thread closes its connections")
        guard phase == .open else { return }
        phase = .closing
        hasClosed = true
        setTimeout(core.settings.closeFlushSeconds)
        send(ControlFrame.close(code.rawValue, reason: code.reason))
    }

    /// Fails the connection (RFC 6455, section 7.1.7): nothing more is read, and a close frame with this code goes out.
    func fail(_ code: CloseCode) {
        if phase == .open { hasClosed = true }
        leave(with: ControlFrame.close(code.rawValue, reason: code.reason))
    }

    /// The peer's close frame: the answer to ours, or the end that it wants. Whatever follows it is ignored (RFC 6455,
    /// section 1.4).
    func peerCloses(_ payload: [UInt8]) {
        switch ControlFrame.answer(toClose: payload) {
        case .failure(let fault): fail(fault.code)
        case .success(let code):
            if phase == .open { hasPeerClosed = true }
            leave(with: ControlFrame.close(code))
        }
    }

    private func leave(with farewell: [UInt8]) {
        // Ours has gone out already.
        guard phase == .open else { return finish() }
        self.farewell = farewell
        phase = .leaving
        core.leaving.append(self)
    }

    /// Sends the close frame of a connection that leaves, at the end of the turn.
    func sendFarewell() {
        guard phase == .leaving else { return }
        setTimeout(core.settings.closeFlushSeconds)
        send(farewell)
        tellClosed()
        finish()
    }

    // MARK: End

    /// Lets the connection drain as soon as everything has been sent.
    func finish() {
        isFinishing = true
        drainIfSent()
    }

    /// Drains a connection that is to end, if it has sent everything.
    func drainIfSent() {
        guard isFinishing, unsent.isEmpty, phase != .draining, phase != .ended else { return }
        tellClosed()
        head = []
        guard core.beginDraining(self) else { return core.end(self) }
        phase = .draining
        shutdown(descriptor, Int32(SHUT_WR))
        setTimeout(core.settings.closeFlushSeconds)
    }

    /// The library has ended the socket.
    func ended() {
        wsi = nil
        tellClosed()
        if phase == .draining { core.drainingCount -= 1 }
        phase = .ended
    }

    /// Tells the handler, once.
    func tellClosed() {
        guard isTold else { return }
        isTold = false
        core.openCount -= 1
        if hasPeerClosed {
            core.counters.closedByPeer += 1
        } else if hasClosed {
            core.counters.closedByServer += 1
        } else {
            core.counters.dropped += 1
        }
        core.events?.closed(self, isClean: hasPeerClosed)
        attachment = nil
    }

    /// Ends the connection after so many seconds; 0 means never. Replaces an earlier call.
    func setTimeout(_ seconds: Int32) {
        guard let wsi else { return }
        lws_set_timeout(wsi, seconds > 0 ? PENDING_TIMEOUT_USER_OK : NO_PENDING_TIMEOUT, seconds)
    }
}
