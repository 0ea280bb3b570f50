/// Commands about invitations: links that a user makes, by which others become contacts or join a group.
public enum InviteCommand {
    /// A new one: to a group, or to become a contact. The kind says what those who open it become to the user; nil for
    /// the relay's first kind.
    case create(conversation: Text?, kind: Text?, uses: Int?, milliseconds: Int64?)
    /// The user's own.
    case list
    /// Revokes one of the user's own.
    case revoke(id: Text)
    /// Shows the inviter and the target.
    case show(code: Text)
    /// The user follows one.
    case open(code: Text)

    /// Lists users who wait to join a group; without one, groups that the user itself waits for.
    case joins(conversation: Text?)
    /// Accepts or refuses a waiting user.
    case answerJoin(conversation: Text, user: Text, isAccepted: Bool)

    /// Whether it changes nothing.
    public var isQuestion: Bool {
        switch self {
        case .list, .show: true
        // Those that are over are forgotten.
        case .create, .revoke, .open, .joins, .answerJoin: false
        }
    }
}
