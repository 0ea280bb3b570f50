import RoostClient
import RoostKit
import RoostWire

/// Says when there is no point in going on: when the relay has refused for good, or a first try shows that somebody has
/// to change something. Whatever may pass by itself is tried again, for as long as the chat runs. Pure.
struct SessionJudge {
    /// Who the user said to be; nil if only the token tells.
    let user: String?
    /// Whether another token can't be had.
    let isTokenFixed: Bool
    private var wasConnected = false

    init(user: String?, isTokenFixed: Bool) {
        self.user = user
        self.isTokenFixed = isTokenFixed
    }

    /// Why the chat ends, in one line; nil if it goes on.
    mutating func end(_ session: RoostSnapshot) -> String? {
        if session.connection == .connected {
            wasConnected = true
            if let user, let named = session.user, user != named { return "the token is for \(named), not for \(user)" }
            return nil
        }
        if case .failed(.store) = session.connection { return nil }
        if let line = ConnectionLine.end(session) { return line }
        guard let lost = session.lastLoss else { return nil }
        if isTokenFixed, lost.code == CloseCode.tokenExpired.rawValue {
            let reason = wasConnected || lost.reason.isEmpty ? "the token has expired" : lost.reason
            return "refused: \(reason) (\(CloseCode.tokenExpired.rawValue))"
        }
        return lost.isRefused && !wasConnected ? "can't connect: \(ConnectionLine.reason(session))" : nil
    }
}
