/// The names of command members (Docs/Protocol.md, sections 3–9).
enum Member: Int, CaseIterable, Sendable {
    case active, after, `as`, background, before, bio, body, by, code, consumer, conversation, conversations, deleted
    case description, device, events, forward, id, ifVersion, invite, inviter, joining, keep, key, keys, kind, label
    case lastSeen, limit, members, mentions
    case name, note
    case `operator`, photo, pingSeconds, pongSeconds, position, posting, prefix, presence, prospect, reaction, read
    case reason, remove, replyTo, report, requests, resume, role, sequence, sid, state, text, thread, tier, to, token
    case type, unknown, until, user, username, users, uses, value, wait

    static let vocabulary = Vocabulary<Member> { $0.word }

    /// The name on the wire.
    var word: StaticString {
        switch self {
        case .active: "active"
        case .after: "after"
        case .as: "as"
        case .background: "background"
        case .before: "before"
        case .bio: "bio"
        case .body: "body"
        case .by: "by"
        case .code: "code"
        case .consumer: "consumer"
        case .conversation: "conversation"
        case .conversations: "conversations"
        case .deleted: "deleted"
        case .description: "description"
        case .device: "device"
        case .events: "events"
        case .forward: "forward"
        case .id: "id"
        case .ifVersion: "ifVersion"
        case .invite: "invite"
        case .inviter: "inviter"
        case .joining: "joining"
        case .keep: "keep"
        case .key: "key"
        case .keys: "keys"
        case .kind: "kind"
        case .label: "label"
        case .lastSeen: "lastSeen"
        case .limit: "limit"
        case .members: "members"
        case .mentions: "mentions"
        case .name: "name"
        case .note: "note"
        case .operator: "operator"
        case .photo: "photo"
        case .pingSeconds: "pingSeconds"
        case .pongSeconds: "pongSeconds"
        case .position: "position"
        case .posting: "posting"
        case .prefix: "prefix"
        case .presence: "presence"
        case .prospect: "prospect"
        case .reaction: "reaction"
        case .read: "read"
        case .reason: "reason"
        case .remove: "remove"
        case .replyTo: "replyTo"
        case .report: "report"
        case .requests: "requests"
        case .resume: "resume"
        case .role: "role"
        case .sequence: "sequence"
        case .sid: "sid"
        case .state: "state"
        case .text: "text"
        case .thread: "thread"
        case .tier: "tier"
        case .to: "to"
        case .token: "token"
        case .type: "type"
        case .unknown: "unknown"
        case .until: "until"
        case .user: "user"
        case .username: "username"
        case .users: "users"
        case .uses: "uses"
        case .value: "value"
        case .wait: "wait"
        }
    }
}
