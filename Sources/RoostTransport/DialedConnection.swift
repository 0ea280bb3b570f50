internal import CLibwebsockets
internal import Glibc

/// One attempt of a dialer to connect, and the connection that results. Dialer loop's thread only. It reports its end
/// exactly once.
final class DialedConnection {
    static let protocolName = "roost-dialer"
    // RFC 6455, section 5.5.
    private static let reasonBytesMax = 123

    private let dialer: Dialer
    private let core: DialerCore
    private var wsi: OpaquePointer?
    private var sending: [[UInt8]] = []
    private var next = 0
    private var isOpen = false
    private var isOver = false
    private var isClosing = false
    private var hasGivenReason = false
    private var isReleased = false
    private var closeCode: UInt16 = 1006
    private var closeReason = ""
    private var message = SplitMessage()

    init(_ dialer: Dialer, core: DialerCore) {
        self.dialer = dialer
        self.core = core
    }

    // MARK: Life

    func connect() {
        let address = dialer.address
        let host = address.authorityHost
        let authority = address.port == (address.isSecure ? 443 : 80) ? host : "\(host):\(address.port)"
        let held = Unmanaged.passRetained(self)
        let settings = dialer.settings
        let texts = [settings.address ?? address.host, address.path, authority, settings.subprotocol]
        let wsi = withCStrings(texts) { strings in
            var info = lws_client_connect_info()
            info.context = core.library.context
            info.address = strings[0]
            info.port = Int32(address.port)
            info.path = strings[1]
            info.host = strings[2]
            info.protocol = strings[3]
            info.ietf_version_or_minus_one = -1
            // A redirect would hand the token to another server.
            info.ssl_connection = Int32(LCCSCF_HTTP_NO_FOLLOW_REDIRECT.rawValue)
            if address.isSecure { info.ssl_connection |= Int32(LCCSCF_USE_SSL.rawValue) }
            info.opaque_user_data = held.toOpaque()
            return DialedConnection.protocolName.withCString { name in
                info.local_protocol_name = name
                return lws_client_connect_via_info(&info)
            }
        }
        if wsi == nil {
            end(failure: "cannot connect to \(authority)")
            if !isReleased { release() }
        } else if !isOver {
            self.wsi = wsi
        }
    }

    func established(_ wsi: OpaquePointer) {
        self.wsi = wsi
        isOpen = true
        dialer.becameOpen()
        if isClosing { lws_callback_on_writable(wsi) }
    }

    func close(_ code: UInt16, reason: String) {
        guard !isOver, !isClosing, let wsi else { return }
        closeCode = code
        closeReason = reason
        isClosing = true
        if isOpen {
            flush()
        } else {
            shim_lws_kill(wsi)
            core.library.serveTimers()
        }
    }

    /// The peer's close frame: two bytes of code and a reason, or nothing.
    func peerCloses(_ payload: UnsafeRawBufferPointer) {
        guard !isClosing else { return }
        closeCode = payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : 1005
        closeReason = String(decoding: payload.dropFirst(2), as: UTF8.self)
    }

    func ended() { end(failure: "the connection ended before it was open") }

    func end(failure: String, status: Int? = nil) { end(.failed(reason: failure, status: status)) }

    /// The server's certificate is not one to trust, and why.
    func end(distrust: String) { end(.untrusted(reason: "the relay's certificate is not trusted: \(distrust)")) }

    private func end(_ failure: DialerEvent) {
        guard !isOver else { return }
        isOver = true
        wsi = nil
        message.clear()
        core.forget(dialer)
        dialer.ended(isOpen ? .closed(code: closeCode, reason: closeReason) : failure)
    }

    /// Releases the reference that the library held.
    func release() {
        isReleased = true
        Unmanaged.passUnretained(self).release()
    }

    // MARK: Sending

    func flush() {
        if let wsi, isOpen, !isOver { lws_callback_on_writable(wsi) }
    }

    /// Sends queued messages while the socket takes them. Returns non-zero to close the connection.
    func becameWritable() -> Int32 {
        guard let wsi, isOpen else { return 0 }
        while lws_partial_buffered(wsi) == 0 {
            guard let text = nextText() else {
                // Returns -1 only once. A second time would cut the connection before the peer has read everything.
                guard isClosing, !hasGivenReason else { return 0 }
                hasGivenReason = true
                giveReason(wsi)
                return -1
            }
            if write(text, to: wsi) < 0 { return -1 }
            dialer.sent(text.count)
        }
        lws_callback_on_writable(wsi)
        return 0
    }

    private func nextText() -> [UInt8]? {
        if next == sending.count {
            sending = dialer.takeQueued()
            next = 0
        }
        guard next < sending.count else { return nil }
        defer { next += 1 }
        return sending[next]
    }

    // The library frames and masks the bytes in place, so it gets a copy with room in front.
    private func write(_ text: [UInt8], to wsi: OpaquePointer) -> Int32 {
        let room = shim_lws_pre()
        return withUnsafeTemporaryAllocation(byteCount: room + text.count + 1, alignment: 16) { buffer in
            text.withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(rebasing: buffer[room..<room + text.count]).copyMemory(from: source)
            }
            let start = buffer.baseAddress?.advanced(by: room).assumingMemoryBound(to: UInt8.self)
            return lws_write(wsi, start, text.count, LWS_WRITE_TEXT)
        }
    }

    private func giveReason(_ wsi: OpaquePointer) {
        var reason = Array(closeReason.utf8.prefix(DialedConnection.reasonBytesMax))
        lws_close_reason(wsi, lws_close_status(UInt32(closeCode)), &reason, reason.count)
    }

    // MARK: Receiving

    /// Takes a part of a message as the library read it.
    func received(_ part: UnsafeRawBufferPointer) {
        guard let wsi, !isClosing else { return }
        if lws_frame_is_binary(wsi) != 0 { return close(1003, reason: "text messages only") }
        let announced = lws_remaining_packet_payload(wsi)
        let room = dialer.settings.messageBytesMax - message.count - part.count
        guard room >= 0, announced <= room else { return close(1009, reason: "message too long") }
        let isLast = lws_is_final_fragment(wsi) != 0
        if isLast, !message.isPending { return dialer.onEvent(.text(Array(part))) }
        message.append(part, endsFrame: announced == 0)
        guard isLast else { return }
        let whole = Array(message.contents)
        message.clear()
        dialer.onEvent(.text(whole))
    }

    // MARK: Handshake

    /// Adds the caller's headers at `place`, which has `room` bytes. Returns non-zero to give up the connection.
    func addHeaders(_ wsi: OpaquePointer, _ place: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, _ room: Int)
        -> Int32
    {
        // If `close` asked the library to end this connection, a later timeout of the library's own has replaced that.
        guard !isClosing, let start = place.pointee else { return -1 }
        for header in dialer.settings.headers {
            let name = Array("\(header.name):".utf8CString)
            let value = Array(header.value.utf8)
            let done = name.withUnsafeBytes { name in
                lws_add_http_header_by_name(
                    wsi,
                    name.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    value,
                    Int32(value.count),
                    place,
                    start + room
                )
            }
            if done != 0 { return -1 }
        }
        return 0
    }
}

private func withCStrings<Result>(_ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies.map { UnsafePointer($0) })
}
