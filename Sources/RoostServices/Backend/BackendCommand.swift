import RoostWire

/// A command of the relay that a backend may give over HTTP. The body's members are those of Docs/Protocol.md, and the
/// relay judges them: what is allowed is said in one place.
struct BackendCommand: Sendable {
    /// Whether `Idempotency-Key` becomes the command's `key`.
    enum Key: Sendable {
        /// It has to be there: without it, a request that is sent again would be carried out twice.
        case required
        /// If it isn't there, we make one, so that we may ask the relay again ourselves.
        case optional
        /// The command has none: to carry it out twice is as good as once.
        case none
    }

    let path: String
    let type: CommandType
    let word: APIKey.Word
    /// The members that are handed on. Others are ignored.
    let members: [StaticString]
    /// Members that need more than the route's word, and the word that they need.
    var asking: [(member: StaticString, word: APIKey.Word)] = []
    /// Members that are set for a key without a word, so that the command doesn't do what takes it.
    var lacking: [(member: StaticString, word: APIKey.Word)] = []
    var key = Key.none
    /// The status if it was carried out now, and not before.
    var status = 200
    /// Whether it may be given again if its answer was lost.
    var isRepeatable = true

    static let all: [BackendCommand] =
        messages + conversations + moderation + invites + [
            BackendCommand(path: "presence", type: .states, word: .presence, members: ["users"]),
            BackendCommand(
                path: "sessions/disconnect", type: .disconnect, word: .sessions, members: ["user", "device"]),
            BackendCommand(
                path: "sessions/revoke", type: .revoke, word: .sessions, members: ["user", "device", "sid", "until"]),
        ]

    private static let messages: [BackendCommand] = [
        BackendCommand(
            path: "messages", type: .send, word: .send,
            members: ["as", "to", "kind", "body", "replyTo", "thread", "mentions", "read"], key: .required,
            status: 201),
        BackendCommand(
            path: "messages/edit", type: .edit, word: .send,
            members: ["as", "conversation", "sequence", "body", "mentions", "ifVersion"],
            // Refused edits leave no trace, and one that changes nothing isn't refused.
            asking: [("ifVersion", .read)]),
        BackendCommand(
            path: "messages/delete", type: .delete, word: .send, members: ["as", "conversation", "sequence"]),
        BackendCommand(
            path: "messages/react", type: .react, word: .send,
            members: ["as", "conversation", "sequence", "reaction", "remove"]),
        BackendCommand(
            path: "messages/history", type: .history, word: .read,
            members: ["as", "conversation", "before", "after", "limit", "events"]),
        BackendCommand(
            path: "signals", type: .signal, word: .send, members: ["as", "to", "kind", "body"], isRepeatable: false),
    ]

    private static let invites: [BackendCommand] = [
        // If it is made twice, there is a second one with a lost code: it ends by itself.
        BackendCommand(
            path: "invites", type: .createInvite, word: .conversations,
            members: ["as", "conversation", "kind", "uses", "after"], status: 201, isRepeatable: false),
        BackendCommand(path: "invites/list", type: .invites, word: .conversations, members: ["as"]),
        BackendCommand(path: "invites/revoke", type: .revokeInvite, word: .conversations, members: ["as", "invite"]),
        BackendCommand(path: "invites/open", type: .openInvite, word: .conversations, members: ["as", "code"]),
        BackendCommand(path: "joins/list", type: .joins, word: .conversations, members: ["as", "conversation"]),
        // A repetition finds that the user waits no more.
        BackendCommand(
            path: "joins/accept", type: .acceptJoin, word: .conversations, members: ["as", "conversation", "user"]),
        BackendCommand(
            path: "joins/refuse", type: .refuseJoin, word: .conversations, members: ["as", "conversation", "user"]),
    ]

    // These set a state, so they need no key.
    private static let moderation: [BackendCommand] = [
        BackendCommand(
            path: "conversations/ban", type: .ban, word: .conversations,
            members: ["as", "conversation", "user", "reason"]),
        BackendCommand(
            path: "conversations/unban", type: .unban, word: .conversations, members: ["as", "conversation", "user"]),
        BackendCommand(
            path: "conversations/bans", type: .bans, word: .conversations,
            members: ["as", "conversation", "after", "limit"]),
        BackendCommand(
            path: "conversations/timeout", type: .setTimeout, word: .conversations,
            members: ["as", "conversation", "user", "after", "reason"]),
        BackendCommand(
            path: "conversations/posting", type: .setPosting, word: .conversations,
            members: ["as", "conversation", "posting"]),
        BackendCommand(
            path: "conversations/joining", type: .setJoining, word: .conversations,
            members: ["as", "conversation", "joining"]),
    ]

    private static let conversations: [BackendCommand] = [
        BackendCommand(
            path: "conversations", type: .create, word: .conversations, members: ["as", "kind", "name", "members"],
            key: .required, status: 201),
        BackendCommand(
            path: "conversations/get", type: .get, word: .conversations, members: ["as", "conversation"]),
        BackendCommand(
            path: "conversations/list", type: .list, word: .conversations, members: ["as", "before", "limit"]),
        BackendCommand(
            path: "conversations/members", type: .members, word: .conversations,
            members: ["as", "conversation", "sequence", "after", "limit", "presence"],
            asking: [("sequence", .read), ("presence", .presence)]),
        BackendCommand(
            path: "conversations/rename", type: .rename, word: .conversations,
            members: ["as", "conversation", "name"], key: .optional),
        BackendCommand(
            path: "conversations/add", type: .add, word: .conversations, members: ["as", "conversation", "users"],
            key: .optional),
        BackendCommand(
            path: "conversations/remove", type: .remove, word: .conversations,
            members: ["as", "conversation", "users"], key: .optional),
        BackendCommand(
            path: "conversations/role", type: .setRole, word: .conversations,
            members: ["as", "conversation", "user", "role"], key: .optional),
        BackendCommand(
            path: "conversations/leave", type: .leave, word: .conversations, members: ["as", "conversation"],
            lacking: [("keep", .erase)], key: .optional),
    ]
}
