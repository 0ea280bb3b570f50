import RoostWire

/// A direct conversation begun by a stranger, until its receiver has accepted it: the sender has said one thing, and
/// sees nothing of the receiver.
struct Request {
    /// The user who may accept it.
    let receiver: UserNumber
    /// Whether the receiver doesn't want to see it. The sender doesn't learn of it.
    var isDropped = false
    /// Messages of the sender on their way to the log.
    var messagesUnderWay = 0
    /// Ends of the request on their way to the log.
    var acceptsUnderWay = 0

    init(to receiver: UserNumber) { self.receiver = receiver }

    /// Takes the stored form.
    init(_ stored: StoredRequest) {
        receiver = stored.receiver
        isDropped = stored.isDropped
    }
}

/// The opener of a conversation, and the others' reaction to it.
struct Opening {
    /// Nil if that isn't known.
    let opener: User?
    /// Whether a user other than the opener has written to it or changed something in it.
    var isAnswered = false
    /// Nil unless it waits to be accepted.
    var request: Request?

    init(opener: User?) { self.opener = opener }
}

extension Conversation {
    /// The user who opened it; nil if unknown.
    var opener: User? { opening.opener }

    /// Whether a user other than the opener has written to it or changed something in it.
    var isAnswered: Bool { opening.isAnswered }

    /// Whether it waits to be accepted, or was dropped.
    @inline(__always)
    var isRequest: Bool { opening.request != nil }

    /// Whether it waits for this user, or this user has dropped it.
    func isRequest(to user: User) -> Bool { opening.request?.receiver == user.number }
}

extension Member {
    /// Whether what is unread there is counted among all that the user has unread.
    var counts: Bool { !conversation.isRequest(to: user) }

    /// The state of the request for the member until it is accepted; nil for an ordinary conversation.
    var requestWord: StaticString? {
        guard let request = conversation.opening.request else { return nil }
        return request.receiver != user.number ? "sent" : request.isDropped ? "dropped" : "received"
    }
}

/// The requests of one user.
struct Requests {
    private struct Sent {
        let conversation: ConversationNumber
        let time: Timestamp
    }

    /// Unaccepted ones.
    private var sent: [Sent] = []
    /// Number of those that wait for the user, or were dropped by it. They don't count against any bound of the user's.
    private(set) var received = 0

    /// Checks that the user may send another. Those that have waited for so long don't count any more.
    /// - Throws: `too_large`.
    mutating func check(atMost most: Int, since time: Timestamp) throws(Refusal) {
        sent.removeAll { $0.time < time }
        guard sent.count < most else {
            throw Refusal(.tooLarge, "\(most) of your messages to strangers wait to be accepted")
        }
    }

    fileprivate mutating func noteSent(_ conversation: ConversationNumber, at time: Timestamp) {
        sent.append(Sent(conversation: conversation, time: time))
    }

    fileprivate mutating func forgetSent(_ conversation: ConversationNumber) {
        sent.removeAll { $0.conversation == conversation }
    }

    fileprivate mutating func countReceived(_ difference: Int) { received += difference }
}

extension Directory {
    /// Requests that begin and end.
    var requests: OpenRequests { OpenRequests(directory: self) }
}

/// Requests that begin and end, as their conversations and both users know it. It owns nothing.
struct OpenRequests {
    fileprivate let directory: Directory

    /// The conversation waits to be accepted from now on.
    func begin(_ request: Request, in conversation: Conversation, at time: Timestamp) {
        conversation.opening.request = request
        conversation.opener?.contacts.requests.noteSent(conversation.number, at: time)
        directory.user(request.receiver)?.contacts.requests.countReceived(1)
    }

    /// The conversation is like others from now on, or it was erased.
    func end(_ conversation: Conversation) {
        guard let request = conversation.opening.request else { return }
        conversation.opening.request = nil
        conversation.opener?.contacts.requests.forgetSent(conversation.number)
        directory.user(request.receiver)?.contacts.requests.countReceived(-1)
    }
}
