import Logging
import RoostCore
import RoostTransport
import RoostWire

/// What the log says of connections: who came, who was turned away or left, and why. Never a token, a body, or
/// anything else that a client may choose freely, except the names of users and devices.
extension Gateway {
    /// Writes a line of this kind, unless there have been too many.
    func note(_ level: Logger.Level, _ event: String, _ text: Logger.Message, _ metadata: Logger.Metadata) {
        guard log.logLevel <= level, let leftOut = logBudget.take(event, at: now.monotonic) else { return }
        var metadata = metadata
        metadata[LogLine.eventKey] = "\(event)"
        if leftOut > 0 { metadata["leftOut"] = .stringConvertible(leftOut) }
        log.log(level: level, text, metadata: metadata)
    }

    func refused(_ connection: Connection, _ response: HTTPResponse) {
        guard let refusal = response.refusal else { return }
        note(
            .info, "request.refused", "A request was refused",
            [
                "connection": .stringConvertible(connection.id), "address": "\(connection.clientAddress)",
                "status": .stringConvertible(response.status), "code": "\(refusal.code)",
                "reason": "\(refusal.reason)",
            ])
    }

    /// A token was not good.
    func noteRefusal(of id: SessionID, _ refusal: Refusal) {
        var metadata: Logger.Metadata = [
            "session": .stringConvertible(id.value), "code": "\(refusal.code.word)", "reason": "\(refusal.reason)",
        ]
        if let connection = relay.attachment(of: id) as? Connection {
            metadata["address"] = "\(connection.clientAddress)"
            metadata["connection"] = .stringConvertible(connection.id)
        }
        note(.info, "token.refused", "A token was refused", metadata)
    }

    /// The sessions that have begun or ended since the last turn.
    func noteComings() {
        for coming in relay.takeComings() {
            var metadata: Logger.Metadata = ["session": .stringConvertible(coming.session.value)]
            if let connection = coming.attachment as? Connection {
                metadata["address"] = "\(connection.clientAddress)"
                metadata["connection"] = .stringConvertible(connection.id)
            }
            if let user = coming.user { metadata["user"] = "\(user)" }
            if let device = coming.device { metadata["device"] = "\(device)" }
            guard let reason = coming.ended else {
                note(.debug, "session.welcomed", "A device has come", metadata)
                continue
            }
            metadata["reason"] = "\(reason.word)"
            metadata["seconds"] = .stringConvertible(coming.milliseconds / 1_000)
            if let error = coming.lastError { metadata["error"] = "\(error.word)" }
            if let code = coming.closed { metadata["code"] = .stringConvertible(Int(code.rawValue)) }
            let level: Logger.Level = coming.isOrdinary ? .debug : .info
            note(level, "session.ended", coming.user == nil ? "A stranger is gone" : "A device is gone", metadata)
        }
    }
}
