import RoostClient
import RoostKit
import RoostWire

/// Decides when there is no point in going on: when the relay has refused for good, or a first try shows that the user
/// has to change something. Whatever may pass by itself is tried again, for as long as the chat runs. Pure.
struct SessionJudge {
    /// The user that was given; nil if only the token names them.
    let user: String?
    /// Whether another token can't be had.
    let isTokenFixed: Bool
    private let words: Words
    private var wasConnected = false

    init(user: String?, isTokenFixed: Bool, _ words: Words) {
        (self.user, self.words) = (user, words)
        self.isTokenFixed = isTokenFixed
    }

    /// Why the chat ends, in one line; nil if it goes on.
    mutating func end(_ session: RoostSnapshot) -> String? {
        if session.connection == .connected {
            wasConnected = true
            if let user, let named = session.user, user != named { return words(.otherUser(named, wanted: user)) }
            return nil
        }
        if case .failed(.store) = session.connection { return nil }
        if let line = ConnectionLine.end(session, words) { return line }
        guard let lost = session.lastLoss else { return nil }
        if isTokenFixed, lost.code == CloseCode.tokenExpired.rawValue {
            let reason = wasConnected ? words(.closed(.tokenExpired)) : words.why(lost)
            return words(.refused(reason: reason)) + " (\(CloseCode.tokenExpired.rawValue))"
        }
        return lost.isRefused && !wasConnected ? words(.cannotConnect(reason: words.why(lost))) : nil
    }
}
