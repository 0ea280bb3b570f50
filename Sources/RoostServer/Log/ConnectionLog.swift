import Logging
import RoostConfiguration
import RoostCore
import RoostTransport
import RoostWire

/// The log of connections: accepted, refused and closed ones, and why. Never a token, a body, or anything else that a
/// client may choose freely, except the names of users and devices, and the first origins that were refused. Loop
/// thread only.
final class ConnectionLog {
    var log: Logger
    private var budget = LogBudget()
    private var refusedOrigins: Set<String> = []
    /// Distinct refused origins to log. A developer who sets up a page finds its origin among the first; an attacker
    /// can invent any number.
    static let originsMax = 64

    init(_ log: Logger) { self.log = log }

    /// A request was answered with a refusal.
    func note(_ response: HTTPResponse, to connection: Connection, at now: Moment) {
        guard let refusal = response.refusal else { return }
        write(.info, "request.refused", "A request was refused", at: now) {
            [
                "connection": .stringConvertible(connection.id), "address": "\(connection.clientAddress)",
                "status": .stringConvertible(response.status), "code": "\(refusal.code)",
                "reason": "\(refusal.reason)",
            ]
        }
    }

    /// A web page was refused because of where it came from. Its developer sees no answer in the browser, so there is
    /// a line that says what to do: one for each origin.
    func noteRefusedOrigin(_ origin: String?) {
        // An origin that no browser sends isn't repeated.
        guard let origin = origin?.lowercased(), WebOrigin.isWritten(origin),
            refusedOrigins.count < ConnectionLog.originsMax, refusedOrigins.insert(origin).inserted
        else { return }
        log.notice(
            "A web page may not connect; to allow it, add its origin to listen.origins",
            metadata: [LogLine.eventKey: "origin.refused", "origin": "\(origin)"])
    }

    /// The list of origins has changed, so refused origins are logged again.
    func forgetOrigins() { refusedOrigins = [] }

    /// A token was not good.
    /// - Parameter attachment: what the host has attached to the session.
    func note(_ refusal: Refusal, to session: SessionID, _ attachment: AnyObject?, at now: Moment) {
        write(.info, "token.refused", "A token was refused", at: now) {
            var metadata = origin(of: session, attachment)
            metadata["code"] = "\(refusal.code.word)"
            metadata["reason"] = "\(refusal.reason)"
            return metadata
        }
    }

    /// A session has begun or ended.
    func note(_ coming: Coming, at now: Moment) {
        guard let reason = coming.ended else {
            return write(.debug, "session.welcomed", "A device has come", at: now) { metadata(of: coming) }
        }
        let text: Logger.Message = coming.user == nil ? "A stranger is gone" : "A device is gone"
        write(coming.isOrdinary ? .debug : .info, "session.ended", text, at: now) {
            var metadata = metadata(of: coming)
            metadata["reason"] = "\(reason.word)"
            metadata["seconds"] = .stringConvertible(coming.milliseconds / 1_000)
            if let error = coming.lastError { metadata["error"] = "\(error.word)" }
            if let code = coming.closed { metadata["code"] = .stringConvertible(Int(code.rawValue)) }
            return metadata
        }
    }

    /// A command was refused. Clients get the reason; the log has it at debug level.
    func note(_ refused: RefusedCommand, at now: Moment) {
        write(.debug, "command.refused", "A command was refused", at: now) {
            var metadata = origin(of: refused.session, refused.attachment)
            if let user = refused.user { metadata["user"] = "\(user)" }
            if let device = refused.device { metadata["device"] = "\(device)" }
            metadata["code"] = "\(refused.code.word)"
            metadata["reason"] = "\(refused.reason)"
            return metadata
        }
    }

    /// An operator had the relay do something. There is a line for each: operators are few and pay for commands.
    func note(_ deed: OperatorDeed) {
        var metadata: Logger.Metadata = ["operator": "\(deed.name)"]
        let event: String
        switch deed.kind {
        case .disconnect(let user, let device, let sessions), .revoke(let user, let device, let sessions):
            metadata["user"] = "\(user)"
            if let device { metadata["device"] = "\(device)" }
            metadata["sessions"] = .stringConvertible(sessions)
            if case .revoke = deed.kind { event = "operator.revoked" } else { event = "operator.disconnected" }
        case .endSignIn(let name, let sessions):
            metadata["signIn"] = "\(name)"
            metadata["sessions"] = .stringConvertible(sessions)
            event = "operator.revoked"
        case .eraseMessages(let user):
            metadata["user"] = "\(user)"
            event = "operator.erased"
        case .eraseConversation(let conversation):
            metadata["conversation"] = "\(conversation)"
            event = "operator.erased"
        case .closeReport(let number):
            metadata["report"] = .stringConvertible(number)
            event = "operator.closed_report"
        case .readReport(let number):
            metadata["report"] = .stringConvertible(number)
            event = "operator.read_report"
        case .removeReported(let number):
            metadata["report"] = .stringConvertible(number)
            event = "operator.removed_reported"
        case .drain: event = "operator.drained"
        }
        metadata[LogLine.eventKey] = "\(event)"
        log.notice("An operator's command was carried out", metadata: metadata)
    }

    /// Writes a line of this kind, unless there have been too many. Beyond that, `metadata` isn't even made: ten
    /// thousand connections may end in one turn.
    private func write(
        _ level: Logger.Level, _ event: String, _ text: Logger.Message, at now: Moment,
        _ metadata: () -> Logger.Metadata
    ) {
        guard log.logLevel <= level, let leftOut = budget.take(event, at: now.monotonic) else { return }
        var metadata = metadata()
        metadata[LogLine.eventKey] = "\(event)"
        if leftOut > 0 { metadata["leftOut"] = .stringConvertible(leftOut) }
        log.log(level: level, text, metadata: metadata)
    }

    private func metadata(of coming: Coming) -> Logger.Metadata {
        var metadata = origin(of: coming.session, coming.attachment)
        if let user = coming.user { metadata["user"] = "\(user)" }
        if let device = coming.device { metadata["device"] = "\(device)" }
        return metadata
    }

    private func origin(of session: SessionID, _ attachment: AnyObject?) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["session": .stringConvertible(session.value)]
        if let connection = attachment as? Connection {
            metadata["address"] = "\(connection.clientAddress)"
            metadata["connection"] = .stringConvertible(connection.id)
        }
        return metadata
    }
}
