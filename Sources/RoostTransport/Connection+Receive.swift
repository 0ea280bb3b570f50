internal import CLibwebsockets
internal import RoostFraming
internal import RoostWire

/// The callback of libwebsockets for all events. Returning non-zero ends the connection. For some reasons `wsi` is a
/// placeholder without a connection, so only the reasons named here use it.
func serverCallback(
    _ wsi: OpaquePointer?,
    _ reason: lws_callback_reasons,
    _: UnsafeMutableRawPointer?,
    _ bytes: UnsafeMutableRawPointer?,
    _ count: Int
) -> Int32 {
    guard let wsi else { return 0 }
    switch reason {
    case LWS_CALLBACK_RAW_RX:
        connection(of: wsi)?.received(UnsafeMutableRawBufferPointer(start: bytes, count: count))
    case LWS_CALLBACK_RAW_WRITEABLE: connection(of: wsi)?.becameWritable()
    case LWS_CALLBACK_RAW_ADOPT: connection(of: wsi)?.adopted(wsi)
    case LWS_CALLBACK_RAW_CLOSE: connection(of: wsi)?.ended()
    case LWS_CALLBACK_WSI_DESTROY:
        guard let held = lws_get_opaque_user_data(wsi) else { return 0 }
        let connection = Unmanaged<Connection>.fromOpaque(held)
        connection.takeUnretainedValue().ended()
        connection.takeUnretainedValue().core.socketCount -= 1
        connection.takeUnretainedValue().core.countChange()
        connection.release()
    default: break
    }
    return 0
}

private func connection(of wsi: OpaquePointer) -> Connection? {
    lws_get_opaque_user_data(wsi).map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
}

extension Connection {
    fileprivate func adopted(_ wsi: OpaquePointer) {
        self.wsi = wsi
        setTimeout(core.settings.headerTimeoutSeconds)
    }

    /// Takes bytes of requests or frames. Frames are unmasked in place.
    func receivedPlain(_ bytes: UnsafeMutableRawBufferPointer) {
        switch phase {
        case .open, .closing: receivedFrames(bytes)
        case .preface, .request: receivedRequest(UnsafeRawBufferPointer(bytes))
        case .leaving, .draining, .ended: break
        }
    }

    private func receivedFrames(_ bytes: UnsafeMutableRawBufferPointer) {
        guard !isFinishing else { return }
        if phase == .open { core.events?.heard(from: self) }
        var input = bytes
        var pongs = Pongs()
        var isNew = false
        let isGuest = standing == .guest
        if !isGuest { core.countChange() }
        let bounds = isGuest ? core.frameBounds.guest : core.frameBounds.stranger
        while phase == .open || phase == .closing, !isFinishing {
            switch reader.next(&input, within: bounds) {
            case .wait:
                if reader.heldBytes + partial.bytes > 0 { core.notePartial(reader.heldBytes, of: self, isNew: isNew) }
                return send(pongs)
            case .message(let message, let isBinary): if phase == .open { deliver(message, isBinary) }
            case .joinedMessage(let isBinary):
                let message = reader.takeMessage()
                isNew = true
                if phase == .open { message.withUnsafeBytes { deliver($0, isBinary) } }
            case .ping(let payload): if takesControl(), phase == .open { pongs.add(payload) }
            case .pong, .emptyFragment: _ = takesControl()
            case .close(let payload): peerCloses(payload)
            case .fault(let code): fail(code)
            }
        }
        send(pongs)
    }

    // Fails the connection, and returns false, if it sends too many frames that carry nothing.
    private func takesControl() -> Bool {
        let settings = core.settings
        guard
            controls.take(
                at: core.monotonicMilliseconds, perSecond: settings.controlFramesPerSecond,
                burst: settings.controlFramesBurst)
        else {
            fail(.rateLimited)
            return false
        }
        return true
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer, _ isBinary: Bool) {
        core.counters.messagesIn += 1
        core.counters.bytesIn += bytes.count
        if isBinary {
            core.events?.receivedBinary(bytes, on: self)
            return
        }
        // RFC 6455, section 8.1. Whether a text is valid is decided at its end.
        guard Text.isValid(bytes) else { return fail(.invalidText) }
        core.events?.received(bytes, on: self)
    }

    private func send(_ pongs: Pongs) {
        guard !pongs.isEmpty, phase == .open || phase == .leaving else { return }
        guard unsent.isEmpty else {
            laterPong = pongs.newest
            return
        }
        send(pongs.bytes)
    }
}

/// The answers to the pings of one read, oldest first. A client that sends many at once gets only the newest few
/// answered, as RFC 6455, section 5.5.3 allows, so that its pings cost no more than other bytes.
private struct Pongs {
    private static let max = 16

    private var payloads: [[UInt8]] = []

    var isEmpty: Bool { payloads.isEmpty }
    var newest: [UInt8]? { payloads.last.map(ControlFrame.pong) }
    var bytes: [UInt8] { payloads.flatMap(ControlFrame.pong) }

    mutating func add(_ payload: [UInt8]) {
        if payloads.count == Pongs.max { payloads.removeFirst() }
        payloads.append(payload)
    }
}
