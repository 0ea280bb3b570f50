import RoostClient

/// Whether the app has a session with the relay.
public enum ConnectionState: Sendable, Equatable {
    /// The app hasn't asked for one, or `disconnect` has ended it.
    case offline
    /// A try is under way.
    case connecting
    /// There is a session. Everything that was missed has come once `Roost.isUpToDate`.
    case connected
    /// The last try failed; the next one comes at this time.
    case waiting(until: ContinuousClock.Instant)
    /// There will be no session until the app does something and calls `connect` anew, as with another token. After
    /// `store` it is tried again by itself, too.
    case failed(ConnectionFailure)
}

/// Why there will be no session.
public enum ConnectionFailure: Sendable, Equatable {
    /// The token is not valid, or was revoked: sign in again.
    case signedOut
    /// The same device is in use elsewhere.
    case takenOver
    /// The token is another user's than the file: give out this user's, and `connect` anew, or open the file as the
    /// other user, by `RoostSettings.user`. Nothing was sent, and nothing that waits is lost.
    case wrongUser
    /// The store on this device can't be written, as on a full disk: one line for the developer.
    case store(String)
    /// A server answered but refuses this client, or can't be trusted: a wrong address, or a certificate without a
    /// trusted signature. One line for the developer.
    case refused(String)
    /// Anything else, such as a mistake of the app's: the close code (Docs/Protocol.md, section 10), nil if the
    /// connection never opened, and one line for the developer.
    case ended(code: Int?, String)

    init(_ lost: Disconnection) {
        switch lost.code {
        case _ where lost.isOfAnotherUser: self = .wrongUser
        // Docs/Protocol.md, section 10.
        case 4_500, 4_503: self = .signedOut
        case 4_501: self = .takenOver
        case _ where lost.isRefused: self = .refused(lost.reason)
        default: self = .ended(code: lost.code.map(Int.init), lost.reason)
        }
    }
}
