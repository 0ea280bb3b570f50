internal import CLibwebsockets

/// The callback of libwebsockets for dialers. Returning non-zero ends the connection.
func dialerCallback(
    _ wsi: OpaquePointer?,
    _ reason: lws_callback_reasons,
    _: UnsafeMutableRawPointer?,
    _ bytes: UnsafeMutableRawPointer?,
    _ count: Int
) -> Int32 {
    guard let wsi else { return 0 }
    switch reason {
    case LWS_CALLBACK_CLIENT_RECEIVE: connection(of: wsi)?.received(UnsafeRawBufferPointer(start: bytes, count: count))
    case LWS_CALLBACK_CLIENT_WRITEABLE: return connection(of: wsi)?.becameWritable() ?? 0
    case LWS_CALLBACK_CLIENT_ESTABLISHED: connection(of: wsi)?.established(wsi)
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        connection(of: wsi)?.peerCloses(UnsafeRawBufferPointer(start: bytes, count: count))
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
        guard let place = bytes?.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self) else { return -1 }
        return connection(of: wsi)?.addHeaders(wsi, place, count) ?? 0
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        let text = bytes.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: count), as: UTF8.self) }
        if let distrust = shim_lws_distrust(wsi) {
            connection(of: wsi)?.end(distrust: String(cString: distrust))
            return 0
        }
        let status = lws_http_client_http_response(wsi)
        connection(of: wsi)?.end(
            failure: text.map { String($0.prefix { $0 != "\0" }) } ?? "connection refused",
            status: status > 0 ? Int(status) : nil
        )
    case LWS_CALLBACK_CLIENT_CLOSED: connection(of: wsi)?.ended()
    case LWS_CALLBACK_WSI_DESTROY:
        guard let connection = connection(of: wsi) else { return 0 }
        connection.ended()
        connection.release()
    default: break
    }
    return 0
}

private func connection(of wsi: OpaquePointer) -> DialedConnection? {
    lws_get_opaque_user_data(wsi).map { Unmanaged<DialedConnection>.fromOpaque($0).takeUnretainedValue() }
}
