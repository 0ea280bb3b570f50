/// A command that only operators and services may send: their token's `scope` has `admin` or `service`. Every `Text` is
/// borrowed, as in `Command`.
public enum OperatorCommand {
    /// The users who are shown as here, a page of them.
    case people(after: Text?, limit: Int?)
    /// How a user is shown and why, and the user's devices.
    case person(Text)
    /// Who has an event and who waits for it, a page of them.
    case whereabouts(Whereabouts)
    /// Closes the connections of a user, or of one device.
    case disconnect(user: Text, device: Text?)
    /// Refuses the tokens that a user has, or those that one device has, and closes their connections.
    case revoke(user: Text, device: Text?)
    /// Refuses the tokens of a sign-in until this time, and closes its connections.
    case endSignIn(Text, until: Timestamp?)
    /// Stops the relay as SIGTERM does.
    case drain
    /// Begins or ends the stream of statistics.
    case statistics(isActive: Bool, limit: Int?)

    /// Whether services may send it, who need little: whom to close out, and whether somebody is there.
    public var isForServices: Bool {
        switch self {
        case .person, .disconnect, .revoke, .endSignIn: true
        case .people, .whereabouts, .drain, .statistics: false
        }
    }

    /// `admin.message`.
    public struct Whereabouts {
        /// How the event is named.
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
