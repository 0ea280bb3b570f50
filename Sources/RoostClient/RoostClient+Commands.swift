public import RoostWire

/// The other commands of Docs/Protocol.md, one call each. They need a session (`notConnected` else) and are not sent
/// again by themselves. A conversation may also be named `@user`: the direct one with that user.
extension RoostClient {
    // MARK: Messages

    /// Gives an own message a new text.
    public func edit(_ conversation: String, _ sequence: SequenceNumber, text: String) async throws(RoostFailure) {
        try await request("edit") { command in
            command.member("conversation", conversation)
            command.member("sequence", sequence.value)
            command.member("body", text)
        }
    }

    /// Gives an own message that isn't a text a new body.
    public func edit(_ conversation: String, _ sequence: SequenceNumber, json: [UInt8]) async throws(RoostFailure) {
        guard Self.isJSON(json) else { throw .invalid("the body isn't JSON") }
        try await request("edit") { command in
            command.member("conversation", conversation)
            command.member("sequence", sequence.value)
            command.member("body", raw: json)
        }
    }

    /// Deletes a message: an own one, or any as owner or admin.
    public func delete(_ conversation: String, _ sequence: SequenceNumber) async throws(RoostFailure) {
        try await request("delete") { command in
            command.member("conversation", conversation)
            command.member("sequence", sequence.value)
        }
    }

    /// Reacts to a message, or takes it back.
    public func react(
        _ conversation: String, _ sequence: SequenceNumber, _ reaction: String, isRemoval: Bool = false
    ) async throws(RoostFailure) {
        try await request("react") { command in
            command.member("conversation", conversation)
            command.member("sequence", sequence.value)
            command.member("reaction", reaction)
            if isRemoval { command.member("remove", true) }
        }
    }

    /// A page of messages, oldest first: the newest, or those before or after a sequence, which exclude each other.
    public func history(
        of conversation: String, before: SequenceNumber? = nil, after: SequenceNumber? = nil, limit: Int? = nil
    ) async throws(RoostFailure) -> HistoryPage {
        try await request("history") { command in
            command.member("conversation", conversation)
            if let before { command.member("before", before.value) }
            if let after { command.member("after", after.value) }
            if let limit { command.member("limit", Int64(limit)) }
        } _: { reply in
            guard let id = reply.string("conversation"), let messages = reply["messages"]?.elements else { return nil }
            return HistoryPage(
                conversation: id, messages: messages.compactMap { EventMembers($0).message() },
                hasMore: reply["more"]?.bool ?? false)
        }
    }

    /// Tells the connected devices of a conversation something that isn't stored. `json` is any JSON value. Nobody
    /// answers; it is lost if there is no session.
    public func signal(_ kind: String, json: [UInt8], to: String) throws(RoostFailure) {
        guard Self.isJSON(json) else { throw .invalid("the body isn't JSON") }
        guard session.requests.isReady else { throw .notConnected }
        let failure = session.requests.transmit("signal") { command in
            command.member("to", to)
            command.member("kind", kind)
            command.member("body", raw: json)
        }
        if let failure { throw failure }
    }

    // MARK: State

    /// Tells that the user types, or stopped. It ends by itself (`ServerLimits.typing`), so say it again while it
    /// goes on. Lost if there is no session.
    public func typing(in conversation: String, isActive: Bool = true) {
        guard session.requests.isReady else { return }
        _ = session.requests.transmit("typing") { command in
            command.member("to", conversation)
            if !isActive { command.member("active", false) }
        }
    }

    /// Tells that the user has read up to a message. Kept and told later if there is no session.
    public func read(_ conversation: String, upTo sequence: SequenceNumber) {
        session.standing.read(conversation, upTo: sequence)
    }

    /// Tells whether this device is in use. Told again on every connection.
    public func setActivity(_ activity: Activity) async throws(RoostFailure) {
        session.standing.note(activity)
        guard session.requests.isReady else { return }
        try await request("presence") { $0.member("state", word: activity.word) }
    }

    /// Asks to be told who of these users is here, from now on and on later connections too. Gives how things stand.
    public func watch(_ users: [String]) async throws(RoostFailure) -> [Presence] {
        if let refusal = session.standing.refusal(toWatch: users) { throw refusal }
        let presences = try await request("watch", { $0.list("users", users) }, { $0.presences() })
        session.standing.watched(users)
        return presences
    }

    /// Takes `watch` back.
    public func unwatch(_ users: [String]) async throws(RoostFailure) {
        session.standing.unwatched(users)
        try await request("unwatch") { $0.list("users", users) }
    }

    // MARK: Conversations

    /// The conversations of the user, the newest first; `next` of one page is `before` of the following.
    public func conversations(before: String? = nil, limit: Int? = nil) async throws(RoostFailure) -> ConversationPage {
        try await request("conversation.list") { command in
            if let before { command.member("before", before) }
            if let limit { command.member("limit", Int64(limit)) }
        } _: { reply in
            guard let list = reply["conversations"]?.elements else { return nil }
            return ConversationPage(
                conversations: list.compactMap { Conversation(EventMembers($0)) }, next: reply.string("next"))
        }
    }

    /// Makes a group. A `key` makes it safe to call again.
    public func createGroup(
        _ name: String, members: [String], key: String? = nil
    ) async throws(RoostFailure) -> CreatedConversation {
        try await request("conversation.create") { command in
            command.member("kind", word: ConversationKind.group.word)
            command.member("name", name)
            command.list("members", members)
            if let key { command.member("key", key) }
        } _: {
            CreatedConversation($0)
        }
    }

    /// The direct conversation with a user, which comes about if it isn't there.
    public func openDirect(with user: String) async throws(RoostFailure) -> CreatedConversation {
        try await request("conversation.create") { command in
            command.member("kind", word: ConversationKind.direct.word)
            command.list("members", [user])
        } _: {
            CreatedConversation($0)
        }
    }

    /// Gives a group another name.
    public func rename(_ conversation: String, to name: String) async throws(RoostFailure) {
        try await request("conversation.rename") { command in
            command.member("conversation", conversation)
            command.member("name", name)
        }
    }

    /// Adds users to a group.
    public func add(_ users: [String], to conversation: String) async throws(RoostFailure) {
        try await request("conversation.add") { command in
            command.member("conversation", conversation)
            command.list("users", users)
        }
    }

    /// Removes users from a group.
    public func remove(_ users: [String], from conversation: String) async throws(RoostFailure) {
        try await request("conversation.remove") { command in
            command.member("conversation", conversation)
            command.list("users", users)
        }
    }

    /// Gives a member of a group another role.
    public func setRole(_ role: Role, of user: String, in conversation: String) async throws(RoostFailure) {
        try await request("conversation.role") { command in
            command.member("conversation", conversation)
            command.member("user", user)
            command.member("role", word: role.word)
        }
    }

    /// Who is in a conversation and how far each has got; with a sequence also how many have got or read it.
    public func members(of conversation: String, sequence: SequenceNumber? = nil) async throws(RoostFailure)
        -> MemberList
    {
        try await request("conversation.members") { command in
            command.member("conversation", conversation)
            if let sequence { command.member("sequence", sequence.value) }
        } _: {
            MemberList($0)
        }
    }

    /// Leaves a group, or hides a direct conversation until its next message.
    public func leave(_ conversation: String) async throws(RoostFailure) {
        try await request("conversation.leave") { $0.member("conversation", conversation) }
    }
}
