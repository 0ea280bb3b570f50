/// Commands about contacts and prospects.
public enum ContactCommand {
    /// The user is asked to become a contact, or a contact gets another label. The kind says what the other is to the
    /// user; nil for the relay's first one.
    case invite(user: Text, kind: Text?, label: Text?)
    /// An invitation is accepted, or a contact gets another label.
    case accept(user: Text, label: Text?)
    /// An invitation is declined.
    case decline(user: Text)
    /// A contact ends, or an invitation is taken back.
    case remove(user: Text)
    /// A page of the user's contacts; of one state if it is named.
    case list(after: Text?, limit: Int?, state: ContactState?)
    /// A prospect is written down, or changed if its id is named. An absent note stays as it is.
    case setProspect(id: Text?, name: Text, note: Text?)
    /// A prospect is crossed out.
    case removeProspect(id: Text)
    /// A page of the user's prospects.
    case prospects(after: Text?, limit: Int?)

    /// Whether it changes nothing.
    public var isQuestion: Bool {
        switch self {
        case .list, .prospects: true
        case .invite, .accept, .decline, .remove, .setProspect, .removeProspect: false
        }
    }
}

/// The state of a contact or an invitation, as one of the two users sees it.
public enum ContactState: WireWord {
    /// Both want it.
    case accepted
    /// The user has invited the other, who hasn't answered.
    case sent
    /// The other has invited the user.
    case received

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .accepted: "accepted"
        case .sent: "sent"
        case .received: "received"
        }
    }
}
