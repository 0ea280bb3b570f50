import RoostClient
import RoostKit
import RoostWire

/// What is said of the session.
enum ConnectionLine {
    /// Why there will be no session, and what to do; nil if there may be one by itself.
    static func end(_ session: RoostSnapshot) -> String? {
        guard case .failed(let failure) = session.connection else { return nil }
        let code = session.lastLoss?.code.map { " (\($0))" } ?? ""
        switch failure {
        case .takenOver:
            return "another chat has taken over the device \(session.device)\(code); "
                + "to have several, name each with --device"
        case .signedOut, .wrongUser, .refused, .ended:
            return "refused: \(TerminalText.printable(session.lastLoss?.reason ?? "by the relay"))\(code)"
        case .store(let line): return "the store on this device: \(TerminalText.printable(line))"
        }
    }

    /// Why there is no session now.
    static func reason(_ session: RoostSnapshot) -> String {
        guard let lost = session.lastLoss else { return "not connected" }
        if let hint = hint(lost) { return "\(TerminalText.printable(lost.reason)): \(hint)" }
        return TerminalText.printable(lost.reason)
    }

    /// What is probably wrong, where a server answers and is none of ours.
    static func hint(_ lost: Disconnection) -> String? {
        switch lost.reason {
        case "HTTP status 404": "there is no relay at this path; a relay's is /v1/socket"
        case "HTTP status 403": "the relay, or a proxy before it, doesn't let this client in"
        default: nil
        }
    }
}
