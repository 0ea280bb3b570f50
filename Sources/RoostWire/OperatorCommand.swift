/// A command that only operators and services may send: their token's `scope` has `admin` or `service`. Every `Text` is
/// borrowed, as in `Command`.
public enum OperatorCommand {
    /// The users who are shown as here, a page of them.
    case people(after: Text?, limit: Int?)
    /// Returns a user's profile as shown, where it comes from, and the user's devices.
    case person(Text)
    /// Returns the recipients of an event, and the members it hasn't reached yet; a page of them.
    case whereabouts(Whereabouts)
    /// Users and groups of whose name a word begins so, and what has this id or code; a page of them.
    case find(prefix: Text, after: Text?, limit: Int?)
    /// Closes the connections of a user, or of one device.
    case disconnect(user: Text, device: Text?)
    /// Refuses a user's existing tokens, or those of one device, and closes the connections. `isUnknown`: the relay may
    /// not know the user yet.
    case revoke(user: Text, device: Text?, isUnknown: Bool)
    /// Refuses the tokens of a sign-in until this time, and closes its connections.
    case endSignIn(Text, until: Timestamp?)
    /// Stops the relay as SIGTERM does.
    case drain
    /// Begins or ends the stream of statistics.
    case statistics(isActive: Bool, limit: Int?)

    /// Returns the presence of these users.
    case states([Text])
    /// The next of the messages that a user has written are erased: those above this position, and up to this time.
    case eraseMessages(user: Text, after: Position?, until: Timestamp?)
    /// A conversation is erased with everything in it.
    case eraseConversation(Text)

    /// Sets or changes a user's profile, or deletes it for good: then only its version is left.
    case profile(user: Text, ProfileChange, isDeleted: Bool?)
    /// The user has come by a link of another, the inviter: the two are contacts, and their conversation is opened.
    case introduce(user: Text, inviter: Text)
    /// Shows the inviter and the target of the invitation with this code, to a visitor without an account.
    case showInvitation(code: Text)
    /// Returns a page of users' reports, in the order of numbers.
    case reports(after: Int64?, limit: Int?, ReportState?)
    /// A report with the message, and what was written around it.
    case showReport(Int64)
    /// The reported message is deleted.
    case removeReported(Int64)
    /// A report needs nothing more. A service says for which operator it asks.
    case closeReport(Int64, note: Text?, by: Text?)

    /// A page of the log for a consumer.
    case feed(Feed)
    /// A consumer has processed everything up to here.
    case ackFeed(consumer: Text, Position)
    /// A consumer isn't needed any more.
    case forgetFeed(consumer: Text)

    /// The sessions that may send a command.
    public enum Senders: Sendable {
        /// Only operators.
        case operators
        /// Only services: what the log says, which operators needn't know.
        case services
        /// Both: services may have to close connections, and to know whether a user is online.
        case both
    }

    /// The sessions that may send it.
    public var senders: Senders {
        switch self {
        case .person, .disconnect, .revoke, .endSignIn, .states, .eraseMessages, .eraseConversation, .profile, .reports,
            .showReport, .removeReported, .closeReport:
            .both
        case .people, .find, .whereabouts, .drain, .statistics: .operators
        case .feed, .ackFeed, .forgetFeed, .introduce, .showInvitation: .services
        }
    }

    /// `feed`.
    public struct Feed {
        /// The name of the cursor.
        public var consumer: Text
        /// Only events above this position; nil for those above the cursor.
        public var after: Position?
        /// Most events in the answer.
        public var limit: Int?
        /// Whether the answer waits until there is something.
        public var waits: Bool

        /// Creates one.
        @inlinable
        public init(consumer: Text, after: Position?, limit: Int?, waits: Bool) {
            self.consumer = consumer
            self.after = after
            self.limit = limit
            self.waits = waits
        }
    }

    /// `admin.message`.
    public struct Whereabouts {
        /// The way in which the event is named.
        public enum Event {
            case position(Position)
            case message(conversation: Text, SequenceNumber)
        }

        /// The event.
        public var event: Event
        /// The last user of the page before.
        public var after: Text?
        /// Most members in the answer.
        public var limit: Int?

        /// Creates one.
        @inlinable
        public init(_ event: Event, after: Text?, limit: Int?) {
            self.event = event
            self.after = after
            self.limit = limit
        }
    }
}
