internal import CLibwebsockets

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
    case LWS_CALLBACK_RECEIVE:
        connection(of: wsi)?.received(UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
    case LWS_CALLBACK_SERVER_WRITEABLE: return connection(of: wsi)?.becameWritable() ?? 0
    case LWS_CALLBACK_RECEIVE_PONG: connection(of: wsi)?.heard()
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE: connection(of: wsi)?.hasPeerClosed = true
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return connection(of: wsi)?.confirmUpgrade(wsi) ?? -1
    case LWS_CALLBACK_HTTP: return connection(of: wsi)?.answer(wsi) ?? -1
    case LWS_CALLBACK_ESTABLISHED: connection(of: wsi)?.established(wsi)
    case LWS_CALLBACK_CLOSED: connection(of: wsi)?.ended()
    case LWS_CALLBACK_WSI_DESTROY:
        guard let held = lws_get_opaque_user_data(wsi) else { return 0 }
        let connection = Unmanaged<Connection>.fromOpaque(held)
        connection.takeUnretainedValue().ended()
        connection.takeUnretainedValue().core.forget(connection)
    // The method CONNECT would turn the connection into a raw socket without any timeout.
    case LWS_CALLBACK_RAW_ADOPT, LWS_CALLBACK_RAW_CONNECTED, LWS_CALLBACK_RAW_RX: return -1
    default: break
    }
    return 0
}

private func connection(of wsi: OpaquePointer) -> Connection? {
    lws_get_opaque_user_data(wsi).map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
}

extension Connection {
    func established(_ wsi: OpaquePointer) {
        self.wsi = wsi
        phase = .open
        core.openCount += 1
        core.counters.opened += 1
        core.events?.opened(self)
    }

    func heard() {
        if phase == .open { core.events?.heard(from: self) }
    }

    /// Returns non-zero to make the library close the connection.
    func becameWritable() -> Int32 {
        if phase == .closing {
            // Returns -1 only once. A second time would cut the connection, and a reset might overtake the close frame.
            phase = .awaitingPeer
            giveReason()
            return -1
        }
        guard phase == .open, isWaiting, let wsi, lws_partial_buffered(wsi) == 0 else { return 0 }
        isWaiting = false
        core.events?.writable(self)
        return 0
    }

    /// The library has ended the socket. For a WebSocket connection this is called twice, and the first call counts.
    func ended() {
        guard wsi != nil else { return }
        wsi = nil
        core.openCount -= 1
        if hasPeerClosed {
            core.counters.closedByPeer += 1
        } else if phase == .closing || phase == .awaitingPeer {
            core.counters.closedByServer += 1
        } else {
            core.counters.dropped += 1
        }
        phase = .ended
        message.clear()
        core.events?.closed(self, isClean: hasPeerClosed)
        attachment = nil
    }
}
