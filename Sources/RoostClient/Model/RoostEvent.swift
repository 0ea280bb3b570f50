public import RoostWire

/// What a client tells its application, in the order in which it happened. Durable events (`message`, `edited`,
/// `deleted`, `reacted`, `conversation`) are acked once the application asks for the next one.
public enum RoostEvent: Sendable, Equatable {
    /// A session is up. What was missed follows.
    case connected(Welcome)
    /// There is no session any more, or a try to get one failed.
    case disconnected(Disconnection)
    /// A message of anybody, on any device but this one.
    case message(Message)
    /// A message has a new body.
    case edited(MessageEdit)
    /// A message is gone.
    case deleted(MessageDeletion)
    /// Somebody reacted, or took it back.
    case reacted(Reaction)
    /// A conversation changed: its name, its members, their roles.
    case conversation(ConversationChange)
    /// More was missed than the server sends by itself; `history` has it.
    case gap(Gap)
    /// How far a member has got.
    case receipt(Watermark)
    /// Somebody types, or stopped.
    case typing(Typing)
    /// Who is here.
    case presence([Presence])
    /// Something that isn't stored.
    case signal(Signal)
    /// The relay is about to stop; the client comes back by itself after this time.
    case drain(Duration)
}

/// The server's answer to `hello`.
public struct Welcome: Sendable, Equatable {
    /// Who the server takes this client for.
    public var user: String
    /// The device.
    public var device: String
    /// Whether nothing was missed.
    public var isUpToDate: Bool
    /// Names the server's log. If it is another one than before, the log began anew or was restored from a backup, and
    /// positions and sequences that the application kept name other events.
    public var epoch: String
    /// What an acked message survives; nil if this version doesn't know the word.
    public var durability: Durability?
    /// When the token ends, by the server's clock.
    public var expires: Timestamp?
    /// The server's clock.
    public var time: Timestamp
    /// Name and version.
    public var server: String
    /// What the server takes.
    public var limits: ServerLimits
}

/// The bounds that a server told in `welcome`, as far as clients need them; the defaults of this version where it
/// didn't say.
public struct ServerLimits: Sendable, Equatable {
    /// Bytes of one command.
    public var frameBytes = Limits().frameBytes
    /// Bytes of a body that isn't text.
    public var bodyBytes = Limits().bodyBytes
    /// Unicode scalars of a text.
    public var textScalars = Limits().textScalars
    /// Messages of one page of history.
    public var historyMax = Limits().historyMax
    /// Members of a group.
    public var membersMax = Limits().membersMax
    /// How long "is typing" lasts.
    public var typing = Duration.milliseconds(Limits().typingMilliseconds)
}

/// Why there is no session, and what comes next.
public struct Disconnection: Sendable, Equatable {
    /// The close code; nil if the connection never opened or was given up by the client.
    public var code: UInt16?
    /// One line.
    public var reason: String
    /// When the client tries again; nil if it doesn't, or not before the application has taken the events that wait.
    public var willRetryIn: Duration?
    /// Whether the session is over for good. It is the last event then.
    public var isFinal: Bool
}
