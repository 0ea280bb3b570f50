import RoostCore
import RoostTransport

/// Passes events of the transport to the Relay.
extension Gateway {
    func admit(_ request: UpgradeRequest) -> HTTPResponse? {
        guard case .serving = phase, relay.isServing else {
            return .refusal(503, code: "draining", reason: "the relay is stopping", retryAfterSeconds: 5)
        }
        guard origins.allows(origin: request.origin, host: request.host) else {
            return .refusal(403, code: "forbidden_origin", reason: "this Origin is not allowed to connect")
        }
        return nil
    }

    func opened(_ connection: Connection) {
        let session = relay.open(at: now)
        session.attachment = connection
        connection.attachment = session
    }

    func received(_ message: UnsafeRawBufferPointer, on connection: Connection) {
        guard let session = session(of: connection) else { return }
        relay.receive(message, from: session, at: now)
    }

    func heard(from connection: Connection) {
        guard let session = session(of: connection) else { return }
        relay.hear(from: session, at: now)
    }

    func writable(_ connection: Connection) {
        guard let session = session(of: connection) else { return }
        flush(session)
    }

    func closed(_ connection: Connection, isClean: Bool) {
        guard let session = session(of: connection) else { return }
        connection.attachment = nil
        relay.close(session, isClean: isClean, at: now)
    }

    private func session(of connection: Connection) -> Session? {
        guard let attachment = connection.attachment else { return nil }
        // Only `opened` attaches anything, and it attaches a session. So no frame has to pay for a checked cast.
        return unsafeDowncast(attachment, to: Session.self)
    }
}
