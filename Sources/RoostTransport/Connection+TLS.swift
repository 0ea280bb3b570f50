internal import RoostFraming
internal import RoostTLS
internal import RoostWire

/// TLS between the socket and everything else: what arrives is decrypted before it is read, and what is written is
/// encrypted before it is sent. libwebsockets only sees bytes, so that reading, writing and ending stay as they are.
extension Connection {
    /// Takes bytes as they came over the network.
    func received(_ bytes: UnsafeMutableRawBufferPointer) {
        // The header of a proxy isn't encrypted.
        guard let tls, phase != .preface else { return receivedPlain(bytes) }
        // A handshake is dear: up to a millisecond with an RSA key.
        if !tls.isOpen { core.countChange() }
        do throws(TLSFailure) {
            let goesOn = try tls.receive(UnsafeRawBufferPointer(bytes)) {
                sendAsIs($0)
                // A peer can ask for new keys again and again, and not read what it is answered.
                if unsent.count > core.settings.unsentBytesMax { core.end(self) }
            } plain: {
                receivedPlain($0)
                return phase != .draining && phase != .ended
            }
            guard !goesOn else { return }
            // The peer sends nothing more. A WebSocket connection without a close frame is lost.
            if phase == .open || phase == .closing { core.end(self) } else { finish() }
        } catch {
            if !isTold {
                core.counters.refusedTLS += 1
                core.events?.refused(self, .brokenTLS(error.description))
            }
            // The peer should get the alert, so its socket isn't closed at once.
            finish()
        }
    }
}

extension HTTPResponse {
    /// The refusal of a connection whose TLS failed. Only for the log; the client never gets it.
    static func brokenTLS(_ reason: String) -> HTTPResponse { .refusal(400, code: "broken_tls", reason: reason) }

    /// The refusal of a request for which a client needs a certificate.
    static var needsCertificate: HTTPResponse {
        .refusal(403, code: "no_certificate", reason: "this path requires a client certificate that is trusted")
    }
}
