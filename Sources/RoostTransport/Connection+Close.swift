internal import CLibwebsockets
public import RoostWire

extension Connection {
    /// Ends the connection. A close frame with this code and its reason goes out after everything that `write` has
    /// accepted. The handler then gets only `closed`, at the latest 11 s later if the peer neither reads nor answers.
    /// A repeated call does nothing.
    public func close(_ code: CloseCode) { close(code.rawValue, reason: code.reason) }

    func close(_ code: UInt16, reason: StaticString) {
        precondition(core.library.isHere, "only the loop's thread closes its connections")
        guard phase == .open, let wsi else { return }
        phase = .closing
        closeCode = code
        closeReason = reason
        message.clear()
        if lws_partial_buffered(wsi) != 0 {
            lws_set_timeout(wsi, PENDING_TIMEOUT_CLOSE_SEND, core.settings.closeFlushSeconds)
        }
        lws_callback_on_writable(wsi)
    }

    /// Hands the close frame to the library, which sends it and waits for the peer's close frame.
    func giveReason() {
        guard let wsi else { return }
        let start = UnsafeMutablePointer(mutating: closeReason.utf8Start)
        lws_close_reason(wsi, lws_close_status(UInt32(closeCode)), start, closeReason.utf8CodeUnitCount)
    }
}
