internal import CLibwebsockets
internal import Glibc
internal import RoostFraming
internal import RoostTLS
public import RoostWire

extension Connection {
    /// Ends the connection. A close frame with this code and its reason goes out after everything that `write` has
    /// accepted. The handler then gets only `closed`, at the latest 11 s later if the peer neither reads nor answers.
    /// A repeated call does nothing.
    public func close(_ code: CloseCode) {
        precondition(core.library.isHere, "only the loop's thread closes its connections")
        guard phase == .open else { return }
        phase = .closing
        end = .server
        setTimeout(core.settings.closeFlushSeconds)
        send(ControlFrame.close(code.rawValue, reason: code.reason))
        // A stranger that ignores the close frame keeps no other client out.
        if phase == .closing, standing != .guest, !core.letGo(self) { core.end(self) }
    }

    /// Makes room for another connection at once. A peer that has sent no request gets no answer to it.
    func giveWay() {
        core.counters.gaveWay += 1
        if phase == .open {
            end = .server
            send(ControlFrame.close(CloseCode.overloaded.rawValue, reason: CloseCode.overloaded.reason))
        }
        core.end(self)
    }

    /// Fails the connection (RFC 6455, section 7.1.7): nothing more is read, and a close frame with this code goes out.
    func fail(_ code: CloseCode) {
        if phase == .open { end = .failure(code) }
        core.counters.failed[code, default: 0] += 1
        leave(with: ControlFrame.close(code.rawValue, reason: code.reason))
    }

    /// The peer's close frame: the answer to ours, or the end that it wants. Whatever follows it is ignored (RFC 6455,
    /// section 1.4).
    func peerCloses(_ payload: [UInt8]) {
        switch ControlFrame.answer(toClose: payload) {
        case .failure(let fault): fail(fault.code)
        case .success(let code):
            if phase == .open { end = .peer }
            leave(with: ControlFrame.close(code))
        }
    }

    private func leave(with farewell: [UInt8]) {
        dropInput()
        // Ours has gone out already.
        guard phase == .open else { return finish() }
        self.farewell = farewell
        phase = .leaving
        core.ends.leaving.append(self)
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
        if let tls {
            tls.close { sendAsIs($0) }
            guard unsent.isEmpty, phase != .ended else { return }
        }
        tellClosed()
        dropInput()
        guard core.letGo(self) else { return core.end(self) }
        phase = .draining
        shutdown(descriptor, Int32(SHUT_WR))
        setTimeout(core.settings.closeFlushSeconds)
    }

    /// The library has ended the socket.
    func ended() {
        wsi = nil
        tellClosed()
        dropInput()
        core.uncount(self)
        phase = .ended
        // The wheel of time-outs may keep the connection for a minute.
        unsent = []
        tls = nil
        laterPong = nil
        farewell = []
        slots.timeout = Timeouts.Slot()
    }

    /// Releases what has arrived and is not going to be used.
    private func dropInput() {
        head = []
        reader = FrameReader()
        core.partialFrames.note(0, of: self, at: &partial)
    }

    /// Notifies the handler, once.
    func tellClosed() {
        guard isTold else { return }
        isTold = false
        core.openCount -= 1
        switch end {
        case .peer: core.counters.closedByPeer += 1
        case .server, .failure: core.counters.closedByServer += 1
        case .loss: core.counters.dropped += 1
        }
        core.events?.closed(self, by: end)
        attachment = nil
    }

    /// Ends the connection after so many seconds; 0 means never. Replaces an earlier call.
    func setTimeout(_ seconds: Int32) {
        guard phase != .ended else { return }
        core.timeouts.set(self, after: seconds, at: core.monotonicMilliseconds)
    }
}
