import RoostStore

/// Texts for people when something doesn't work. An app replaces them to use other words or another language.
public struct Sentences: Sendable, Equatable {
    /// There is no session, and something waits.
    public var offline = "No internet connection. Message will send when you're back online."
    /// The relay couldn't be asked often enough.
    public var unreachable = "Failed to send message. Tap to retry."
    /// A message is longer than the relay accepts.
    public var tooLong = "This message is too long."
    /// The user may not write there.
    public var notAllowed = "You can't write to this conversation."
    /// The relay lets only users write to each other who know each other.
    public var noRelationship = "You can write to each other once your invitation is accepted."
    /// The user has blocked the other one of a direct conversation.
    public var youBlocked = "You have blocked this person."
    /// The conversation or the message isn't there any more.
    public var notFound = "This conversation is no longer there."
    /// A message was edited on another device meanwhile.
    public var changedElsewhere = "Another device of yours has edited this message."
    /// The relay doesn't accept it as it is.
    public var notAccepted = "This message can't be sent."
    /// The token isn't valid any more.
    public var signedOut = "Please sign in again."
    /// The same device is in use elsewhere.
    public var takenOver = "This account is in use in another window of this device."
    /// The token is another user's.
    public var wrongUser = "Another account is signed in on this device."
    /// The store can't be written.
    public var storeFailed = "This device has no room for messages."
    /// Anything else, before a line for the developer.
    public var somethingWrong = "Something went wrong: "

    /// The texts in English.
    public init() {}

    /// Why a message or a conversation waits for its user.
    public func sentence(for failure: SendFailure) -> String {
        switch failure.reason {
        case .tooLong: tooLong
        case .notAllowed: notAllowed
        case .noRelationship: noRelationship
        case .youBlocked: youBlocked
        case .notFound: notFound
        case .unreachable: unreachable
        case .changedElsewhere: changedElsewhere
        case .notAccepted: notAccepted
        }
    }

    /// The text of a banner; nil if there is nothing to say: while there is a session, or one begins and nothing waits.
    public func banner(for session: RoostSnapshot) -> String? {
        switch session.connection {
        case .connected: nil
        case .connecting, .offline, .waiting: session.pendingCount > 0 ? offline : nil
        case .failed(.signedOut): signedOut
        case .failed(.takenOver): takenOver
        case .failed(.wrongUser): wrongUser
        case .failed(.store): storeFailed
        case .failed(.ended(_, let line)): somethingWrong + line
        case .failed(.refused(let line)): somethingWrong + line
        }
    }

    /// The text of an alert about an error that a method of `Roost` or `ConversationTimeline` has thrown.
    public func sentence(for error: any Error) -> String {
        switch error {
        case let failure as LocalFailure where failure.mayPass: storeFailed
        case OutboxFailure.full: storeFailed
        case let failure as SendFailure: sentence(for: failure)
        default: somethingWrong + "\(error)"
        }
    }
}
