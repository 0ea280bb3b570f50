public import RoostWire

/// An event that a client reports to its application, in order. Durable events (`message`, `edited`, `deleted`,
/// `reacted`, `conversation`, `state`) are acked once the application asks for the next one.
public enum RoostEvent: Sendable, Equatable {
    /// A session began. Missed events follow. `isResumed` says whether the relay took the position that the
    /// application named; if it named one and it wasn't taken, what the application keeps is out of date.
    case connected(Welcome, isResumed: Bool)
    /// The session was lost, or a try to get one failed.
    case disconnected(Disconnection)
    /// A message from anyone, on any device but this one.
    case message(Message)
    /// A message has a new body.
    case edited(MessageEdit)
    /// A message was deleted.
    case deleted(MessageDeletion)
    /// A member reacted, or took a reaction back.
    case reacted(MessageReaction)
    /// A conversation changed: its name, its members, their roles.
    case conversation(ConversationEvent)
    /// A setting of the user's own was set or removed, on another device.
    case state(StateChange)
    /// More messages were missed than the server sends by itself; `history` returns them. After a reset, ask for the
    /// conversation anew as well (`conversation`).
    case gap(MessageGap)
    /// Everything that this device missed has been reported, up to this position.
    case live(position: String)
    /// A member's receipts: the newest delivered and read messages.
    case receipt(Receipt)
    /// A user began or stopped typing, or several did. Forget who types when the session ends, and when the device goes
    /// to the background.
    case typing(TypingChange)
    /// The presence of users. `late` is the extra delay of this report if the server has too many changes to send them
    /// all in time.
    case presence([UserPresence], late: Duration? = nil)
    /// Numbers of online members in watched conversations.
    case onlineCounts([OnlineCount])
    /// Number of unread messages in all conversations that aren't muted, for an app's icon. `Welcome.badge` has the
    /// number before the first change.
    case badge(unread: Int)
    /// The profile of a watched user, of the other member of a direct conversation, or of the user.
    case profile(UserProfile)
    /// The user's own status was changed, on this device or another. `Welcome.status` has the status before that.
    case status(OwnStatus)
    /// The user's privacy settings were changed, on this device or another. `privacy()` also returns the exceptions.
    case privacy(PrivacySettings)
    /// A contact of the user, or an invitation, has changed.
    case contact(ContactChange)
    /// The user's prospects were changed on another device, and are so many.
    case prospects(count: Int)
    /// Number of people who wait to be let into a group of which the user is an admin or, without a conversation, of
    /// groups that the user itself waits for.
    case joins(conversation: String?, waiting: Int)
    /// A signal, which isn't stored.
    case signal(Signal)
    /// The relay is about to stop. The client reconnects by itself after this time.
    case drain(Duration)

    /// Converts a server's event; nil for an answer to a command, for an event that only operators get, and for a
    /// hidden change to a message, because of a block.
    init?(_ event: Event) {
        switch event {
        case .welcome, .operatorWelcome, .ok, .error, .pong, .statistics, .hidden: return nil
        case .message(let message): self = .message(message)
        case .edit(let edit): self = .edited(edit)
        case .delete(let deletion): self = .deleted(deletion)
        case .react(let reaction): self = .reacted(reaction)
        case .conversation(let change): self = .conversation(change)
        case .state(let change): self = .state(change)
        case .signal(let signal): self = .signal(signal)
        case .gap(let gap): self = .gap(gap)
        case .live(let position): self = .live(position: position)
        case .receipt(let receipt): self = .receipt(receipt)
        case .typing(let change): self = .typing(change)
        case .presence(let users, let late): self = .presence(users, late: late)
        case .onlineCounts(let counts): self = .onlineCounts(counts)
        case .badge(let unread): self = .badge(unread: unread)
        case .profile(let profile): self = .profile(profile)
        case .status(let status): self = .status(status)
        case .privacy(let settings): self = .privacy(settings)
        case .contact(let change): self = .contact(change)
        case .prospects(let count): self = .prospects(count: count)
        case .joins(let conversation, let waiting): self = .joins(conversation: conversation, waiting: waiting)
        case .drain(let wait): self = .drain(wait)
        }
    }
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
    /// Whether a server answered but refuses this client, or can't be trusted: a wrong path, or a certificate without a
    /// trusted signature. The client tries again, but the configuration probably has to be changed.
    public var isRefused = false
    /// Whether the token, or the session, was another user's than those before, or than the application named.
    public var isOfAnotherUser = false
}
