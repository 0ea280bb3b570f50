public import RoostWire

/// An event that a client reports to its application, in order. Durable events (`message`, `edited`, `deleted`,
/// `reacted`, `conversation`) are acked once the application asks for the next one.
public enum RoostEvent: Sendable, Equatable {
    /// A session began. Missed events follow.
    case connected(Welcome)
    /// The session was lost, or a try to get one failed.
    case disconnected(Disconnection)
    /// A message from anyone, on any device but this one.
    case message(Message)
    /// A message has a new body.
    case edited(MessageEdit)
    /// A message was deleted.
    case deleted(MessageDeletion)
    /// A member reacted, or took a reaction back.
    case reacted(Reaction)
    /// A conversation changed: its name, its members, their roles.
    case conversation(ConversationChange)
    /// More messages were missed than the server sends by itself; `history` returns them.
    case gap(Gap)
    /// How far a member has got.
    case receipt(Watermark)
    /// A user began or stopped typing.
    case typing(Typing)
    /// The presence of users.
    case presence([Presence])
    /// A signal, which isn't stored.
    case signal(Signal)
    /// The relay is about to stop. The client reconnects by itself after this time.
    case drain(Duration)
}

/// The server's answer to `hello`.
public struct Welcome: Sendable, Equatable {
    /// The user of this session.
    public var user: String
    /// The device.
    public var device: String
    /// Whether the device has missed nothing.
    public var isUpToDate: Bool
    /// Identifies the server's log. If it has changed, the log was started anew or restored from a backup, and
    /// positions and sequences that the application kept refer to other events.
    public var epoch: String
    /// What an acked message survives; nil if this version doesn't know the word.
    public var durability: Durability?
    /// When the token expires, by the server's clock.
    public var expires: Timestamp?
    /// The server's time.
    public var time: Timestamp
    /// Name and version.
    public var server: String
    /// The server's limits.
    public var limits: ServerLimits
}

/// The limits in `welcome` that clients need. A limit that the server doesn't name has this version's default.
public struct ServerLimits: Sendable, Equatable {
    /// Most bytes of a command.
    public var frameBytes = Limits().frameBytes
    /// Most bytes of a body that isn't text.
    public var bodyBytes = Limits().bodyBytes
    /// Most Unicode scalars of a text.
    public var textScalars = Limits().textScalars
    /// Most messages on a history page.
    public var historyMax = Limits().historyMax
    /// Most members of a group.
    public var membersMax = Limits().membersMax
    /// How long "is typing" lasts.
    public var typing = Duration.milliseconds(Limits().typingMilliseconds)
}

/// Why there is no session, and what happens next.
public struct Disconnection: Sendable, Equatable {
    /// The close code; nil if the connection never opened, or if the client gave it up.
    public var code: UInt16?
    /// One line.
    public var reason: String
    /// When the client tries again; nil if it won't, or only after the application has taken the waiting events.
    public var willRetryIn: Duration?
    /// Whether the session has ended for good. This is then the last event.
    public var isFinal: Bool
}
