import RoostStore
import RoostWire

/// The progress of the user's own message. It only goes forward, but for `failed`, from which `retry` leads back to
/// `sending`.
public enum MessageState: Sendable, Hashable {
    /// It waits for the relay, safe on this device.
    case sending
    /// The relay has stored it.
    case sent
    /// Devices of `count` of `others` members have it.
    case delivered(count: Int, others: Int)
    /// `count` of `others` members have read it.
    case read(count: Int, others: Int)
    /// The relay refused it. It waits for its user: `retry` if that may help, `replace`, or `discard`.
    case failed(SendFailure)

    /// 0 for `sending` and `failed`, then up.
    public var rank: Int {
        switch self {
        case .sending, .failed: 0
        case .sent: 1
        case .delivered: 2
        case .read: 3
        }
    }
}

/// Why the relay refused a message or a conversation.
public struct SendFailure: Error, Hashable {
    /// The reason to show to people.
    public enum Reason: Sendable, Hashable {
        /// It is longer than the relay accepts.
        case tooLong
        /// The user may not write there, or is no longer a member.
        case notAllowed
        /// The relay's operator lets only users write to each other who know each other: send an invitation first
        /// (Docs/Protocol.md, section 15).
        case noRelationship
        /// The user has blocked the recipient.
        case youBlocked
        /// The conversation or the message isn't there.
        case notFound
        /// The relay could not be asked often enough.
        case unreachable
        /// The message was edited meanwhile, on another device: an edit that named the version before it isn't stored.
        /// `replace` stores a text over the newer one, and `discard` keeps that.
        case changedElsewhere
        /// The relay doesn't accept it as it is.
        case notAccepted
    }

    /// The reason to show to people; `Sentences` has a text for each.
    public var reason: Reason
    /// Whether the same try may succeed.
    public var canRetry: Bool
    /// One line for the developer, of the relay's.
    public var detail: String

    /// - Parameter namesVersion: whether it was an edit of one version of a message.
    init(_ failure: OutboxItem.Failure, namesVersion: Bool = false) {
        switch failure.code {
        case .conflict where namesVersion: (reason, canRetry) = (.changedElsewhere, false)
        case .tooLarge: (reason, canRetry) = (.tooLong, false)
        case .forbidden: (reason, canRetry) = (.notAllowed, true)
        case .noRelationship: (reason, canRetry) = (.noRelationship, true)
        case .blocked: (reason, canRetry) = (.youBlocked, true)
        case .notFound, .gone: (reason, canRetry) = (.notFound, true)
        case .rateLimited, .busy, .unavailable, .notReady, .unauthorized, .tokenExpired:
            (reason, canRetry) = (.unreachable, true)
        case .badJSON, .badRequest, .unknownType, .conflict, .badPosition, .usernameTaken:
            (reason, canRetry) = (.notAccepted, false)
        }
        detail = failure.reason
    }
}
