/// Names of the faults, in words.
extension Fault {
    /// The rest of a line that begins with a number.
    var title: String {
        switch self {
        case .lost: "lost: never came to a device that was there to the end"
        case .duplicated: "duplicated: came or was stored twice"
        case .reordered: "reordered: came or was stored in another order"
        case .nonMember: "non-member: came to a user who does not belong to the conversation"
        case .altered: "altered: not what was sent"
        case .ghost: "ghost: shown as present, although gone"
        case .absent: "absent: shown as gone, although present"
        case .stuckTyping: "stuck typing: shown as typing long after it stopped"
        case .wrongUnread: "wrong unread: a count of unread messages that cannot be"
        case .ownReturned: "own returned: an own message came back although its ok had come on this connection"
        case .stuckBehind: "stuck behind: welcome, but never told that it is live"
        case .neverBack: "never back: not let in again after its connection was lost"
        case .gap: "gap: announced as left out by the relay"
        }
    }
}
