/// The names of command members (Docs/Protocol.md, sections 3–9).
enum Member: Int, CaseIterable, Sendable {
    case active, after, `as`, background, before, body, consumer, conversation, conversations, device, id, key, kind
    case lastSeen, limit, members, name, `operator`, pingSeconds, pongSeconds, position, presence, reaction, read
    case remove, replyTo, resume, role, sequence, sid, state, text, to, token, type, until, user, users
    case wait

    static let vocabulary = Vocabulary<Member> { $0.word }

    /// The name on the wire.
    var word: StaticString {
        switch self {
        case .active: "active"
        case .after: "after"
        case .as: "as"
        case .background: "background"
        case .before: "before"
        case .body: "body"
        case .consumer: "consumer"
        case .conversation: "conversation"
        case .conversations: "conversations"
        case .device: "device"
        case .id: "id"
        case .key: "key"
        case .kind: "kind"
        case .lastSeen: "lastSeen"
        case .limit: "limit"
        case .members: "members"
        case .name: "name"
        case .operator: "operator"
        case .pingSeconds: "pingSeconds"
        case .pongSeconds: "pongSeconds"
        case .position: "position"
        case .presence: "presence"
        case .reaction: "reaction"
        case .read: "read"
        case .remove: "remove"
        case .replyTo: "replyTo"
        case .resume: "resume"
        case .role: "role"
        case .sequence: "sequence"
        case .sid: "sid"
        case .state: "state"
        case .text: "text"
        case .to: "to"
        case .token: "token"
        case .type: "type"
        case .until: "until"
        case .user: "user"
        case .users: "users"
        case .wait: "wait"
        }
    }
}
