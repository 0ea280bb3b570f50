/// The names of command members (Docs/Protocol.md, sections 3–9).
enum Member: Int, CaseIterable, Sendable {
    case active, after, background, before, body, conversation, conversations, device, id, key, kind, limit, members,
        name
    case pingSeconds, pongSeconds, position, reaction, remove, replyTo, resume, role, sequence, state, text, to, token,
        type, user, users

    static let vocabulary = Vocabulary<Member> { $0.word }

    /// The name on the wire.
    var word: StaticString {
        switch self {
        case .active: "active"
        case .after: "after"
        case .background: "background"
        case .before: "before"
        case .body: "body"
        case .conversation: "conversation"
        case .conversations: "conversations"
        case .device: "device"
        case .id: "id"
        case .key: "key"
        case .kind: "kind"
        case .limit: "limit"
        case .members: "members"
        case .name: "name"
        case .pingSeconds: "pingSeconds"
        case .pongSeconds: "pongSeconds"
        case .position: "position"
        case .reaction: "reaction"
        case .remove: "remove"
        case .replyTo: "replyTo"
        case .resume: "resume"
        case .role: "role"
        case .sequence: "sequence"
        case .state: "state"
        case .text: "text"
        case .to: "to"
        case .token: "token"
        case .type: "type"
        case .user: "user"
        case .users: "users"
        }
    }
}
