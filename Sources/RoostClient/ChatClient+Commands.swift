public import RoostWire

/// The other commands of Docs/Protocol.md, one method each. They need a session (otherwise they throw `notConnected`)
/// and are not repeated automatically. `@user` may name the direct conversation with a user.
extension ChatClient {
    // MARK: Messages

    /// Gives one of the user's own messages a new text, and other mentions.
    /// - Parameter version: the version that the message must have, or it is refused with `conflict`; nil if any.
    public func edit(
        _ conversation: String, _ sequence: SequenceNumber, text: String, mentions: [String] = [],
        ifVersion version: Int64? = nil
    ) async throws(RoostFailure) {
        try await request(.edit) { command in
            command.member("conversation", conversation)
            command.member("sequence", sequence.value)
            command.member("body", text)
            if !mentions.isEmpty { command.list("mentions", mentions) }
            if let version { command.member("ifVersion", version) }
        }
    }

    /// Gives one of the user's own messages of another kind a new body.
    /// - Parameter version: the version that the message must have, or it is refused with `conflict`; nil if any.
    public func edit(
        _ conversation: String, _ sequence: SequenceNumber, json: [UInt8], ifVersion version: Int64? = nil
    ) async throws(RoostFailure) {
        guard JSONValue.isValid(json) else { throw .invalid("the body isn't JSON") }
        try await request(.edit) { command in
            command.member("conversation", conversation)
            command.member("sequence", sequence.value)
            command.member("body", raw: json)
            if let version { command.member("ifVersion", version) }
        }
    }

    /// Deletes a message: the user's own, or any as owner or admin. The server sends a reason to the author and all
    /// members.
    public func delete(
        _ conversation: String, _ sequence: SequenceNumber, reason: ReportReason? = nil
    ) async throws(RoostFailure) {
        try await request(.delete) { command in
            command.member("conversation", conversation)
            command.member("sequence", sequence.value)
            if let reason { command.member("reason", word: reason.word) }
        }
    }

    /// Reacts to a message, or takes a reaction back.
    public func react(
        _ conversation: String, _ sequence: SequenceNumber, _ reaction: String, isRemoval: Bool = false
    ) async throws(RoostFailure) {
        try await request(.react) { command in
            command.member("conversation", conversation)
            command.member("sequence", sequence.value)
            command.member("reaction", reaction)
            if isRemoval { command.member("remove", true) }
        }
    }

    /// Returns a page of messages, oldest first: the newest ones, or those before or after a sequence, but not both.
    /// - Parameters:
    ///   - thread: the message with which a thread began, for messages of that thread only.
    ///   - hasEvents: whether to say, too, what else happened to the conversation between the messages.
    public func history(
        of conversation: String, thread: SequenceNumber? = nil, before: SequenceNumber? = nil,
        after: SequenceNumber? = nil, limit: Int? = nil, hasEvents: Bool = false
    ) async throws(RoostFailure) -> HistoryPage {
        try await request(.history) { command in
            command.member("conversation", conversation)
            if let thread { command.member("thread", thread.value) }
            if let before { command.member("before", before.value) }
            if let after { command.member("after", after.value) }
            if let limit { command.member("limit", Int64(limit)) }
            if hasEvents { command.member("events", true) }
        } _: {
            HistoryPage(reading: $0)
        }
    }

    /// Sends a signal, which isn't stored, to the connected devices of a conversation. `json` is any JSON value. There
    /// is no reply; without a session the signal is lost.
    public func signal(_ kind: String, json: [UInt8], to: String) throws(RoostFailure) {
        guard JSONValue.isValid(json) else { throw .invalid("the body isn't JSON") }
        guard session.requests.isReady else { throw .notConnected }
        let failure = session.requests.transmit(.signal) { command in
            command.member("to", to)
            command.member("kind", kind)
            command.member("body", raw: json)
        }
        if let failure { throw failure }
    }

    // MARK: State

    /// Shows others that the user types, or has stopped. Typing ends by itself (`ServerLimits.typing`), so call this
    /// again while the user keeps typing. Lost without a session.
    /// - Parameter replyTo: the message in whose thread the user types; nil for the conversation itself.
    public func typing(in conversation: String, replyTo: SequenceNumber? = nil, isActive: Bool = true) {
        guard session.requests.isReady else { return }
        _ = session.requests.transmit(.typing) { command in
            command.member("to", conversation)
            if let replyTo { command.member("replyTo", replyTo.value) }
            if !isActive { command.member("active", false) }
        }
    }

    /// Reports that the user has read up to a message. Without a session this is kept for later.
    public func read(_ conversation: String, upTo sequence: SequenceNumber) {
        session.standing.read(conversation, upTo: sequence)
    }

    /// Reports whether this device is in use. Repeated on every connection.
    public func setActivity(_ activity: PresenceActivity) async throws(RoostFailure) {
        session.standing.note(activity)
        guard session.requests.isReady else { return }
        try await request(.presence) { $0.member("state", word: activity.word) }
    }

    /// Sets the user's status, on all devices. Nil leaves a part unchanged; an empty text removes the text. The server
    /// keeps it.
    /// - Parameter time: after how long the status ends by itself, at most a year; nil if it stays.
    public func setStatus(
        _ state: StatusChoice? = nil, text: String? = nil, after time: Duration? = nil
    ) async throws(RoostFailure) {
        try await request(.status) { command in
            if let time { command.member("after", max(1, time.wholeMilliseconds)) }
            if let state { command.member("state", word: state.word) }
            if let text { command.member("text", text) }
        }
    }

    /// Changes what others see of the user, on all devices; nil leaves a setting unchanged. The server keeps the
    /// settings. Returns the new settings and the exceptions.
    public func setPrivacy(_ change: PrivacyChange = PrivacyChange()) async throws(RoostFailure) -> OwnPrivacy {
        try await request(
            .privacy,
            { command in
                if let presence = change.presence { command.member("presence", word: presence.word) }
                if let lastSeen = change.lastSeen { command.member("lastSeen", word: lastSeen.word) }
                if let read = change.read { command.member("read", word: read.word) }
            }, OwnPrivacy.init(reading:))
    }

    /// Makes an exception from the settings for these users; nil removes it. The user sees of them only as much as it
    /// shows.
    public func except(_ users: [String], _ exception: PrivacyException?) async throws(RoostFailure) {
        try await request(.except) { command in
            command.list("users", users)
            command.member("as", word: exception?.word ?? "none")
        }
    }

    /// Returns the user's own devices, and why those that are away are away.
    public func devices() async throws(RoostFailure) -> [OwnDevice] {
        try await request(.devices, { _ in }, { OwnDevice.list(reading: $0) })
    }

    /// Watches the presence of these users, on later connections too. Returns their present states.
    public func watch(_ users: [String]) async throws(RoostFailure) -> [UserPresence] {
        if let refusal = session.standing.refusal(toWatch: users) { throw refusal }
        let presences = try await request(.watch, { $0.list("users", users) }, { UserPresence.list(reading: $0) })
        session.standing.watched(users)
        return presences
    }

    /// Watches how many members of these conversations are online, on later connections too. Returns the present
    /// counts.
    public func watch(conversations: [String]) async throws(RoostFailure) -> [OnlineCount] {
        if let refusal = session.standing.refusal(toCount: conversations) { throw refusal }
        let counts = try await request(
            .watch, { $0.list("conversations", conversations) }, { OnlineCount.list(reading: $0) })
        session.standing.counted(conversations)
        return counts
    }

    /// Stops watching how many members of these conversations are online.
    public func unwatch(conversations: [String]) async throws(RoostFailure) {
        session.standing.uncounted(conversations)
        try await request(.unwatch) { $0.list("conversations", conversations) }
    }

    /// Stops watching these users.
    public func unwatch(_ users: [String]) async throws(RoostFailure) {
        session.standing.unwatched(users)
        try await request(.unwatch) { $0.list("users", users) }
    }

    // MARK: Conversations

    /// Returns the user's conversations, newest first. `next` of one page is `before` of the following one.
    public func conversations(before: String? = nil, limit: Int? = nil) async throws(RoostFailure) -> ConversationPage {
        try await request(.list) { command in
            if let before { command.member("before", before) }
            if let limit { command.member("limit", Int64(limit)) }
        } _: {
            ConversationPage(reading: $0)
        }
    }

    /// Returns one of the user's conversations as it is now.
    public func conversation(_ conversation: String) async throws(RoostFailure) -> ConversationSummary {
        try await request(.get) {
            $0.member("conversation", conversation)
        } _: { members in
            members.object("conversation").flatMap(ConversationSummary.init(reading:))
        }
    }

    /// Creates a group. With a `key`, it is safe to call again.
    public func createGroup(
        _ name: String, members: [String], key: String? = nil
    ) async throws(RoostFailure) -> CreatedConversation {
        try await request(.create) { command in
            command.member("kind", word: ConversationKind.group.word)
            command.member("name", name)
            command.list("members", members)
            if let key { command.member("key", key) }
        } _: {
            CreatedConversation(reading: $0)
        }
    }

    /// Returns the direct conversation with a user, and creates it if necessary.
    public func openDirect(with user: String) async throws(RoostFailure) -> CreatedConversation {
        try await request(.create) { command in
            command.member("kind", word: ConversationKind.direct.word)
            command.list("members", [user])
        } _: {
            CreatedConversation(reading: $0)
        }
    }

    /// Renames a group. With a `key`, it is safe to call again.
    @discardableResult
    public func rename(
        _ conversation: String, to name: String, key: String? = nil
    ) async throws(RoostFailure) -> Answer {
        try await request(.rename) { command in
            command.member("conversation", conversation)
            command.member("name", name)
            if let key { command.member("key", key) }
        } _: {
            Answer(reading: $0)
        }
    }

    /// Adds users to a group. With a `key`, it is safe to call again.
    @discardableResult
    public func add(
        _ users: [String], to conversation: String, key: String? = nil
    ) async throws(RoostFailure) -> Answer {
        try await request(.add) { command in
            command.member("conversation", conversation)
            command.list("users", users)
            if let key { command.member("key", key) }
        } _: {
            Answer(reading: $0)
        }
    }

    /// Removes users from a group. With a `key`, it is safe to call again.
    @discardableResult
    public func remove(
        _ users: [String], from conversation: String, key: String? = nil
    ) async throws(RoostFailure) -> Answer {
        try await request(.remove) { command in
            command.member("conversation", conversation)
            command.list("users", users)
            if let key { command.member("key", key) }
        } _: {
            Answer(reading: $0)
        }
    }

    /// Gives a member of a group another role. With a `key`, it is safe to call again.
    @discardableResult
    public func setRole(
        _ role: MemberRole, of user: String, in conversation: String, key: String? = nil
    ) async throws(RoostFailure) -> Answer {
        try await request(.setRole) { command in
            command.member("conversation", conversation)
            command.member("user", user)
            command.member("role", word: role.word)
            if let key { command.member("key", key) }
        } _: {
            Answer(reading: $0)
        }
    }

    /// Returns a page of the members of a conversation and how far each has got, in the order in which they joined.
    /// With a sequence, also how many of all have received and read it. `next` of a page is the `after` of the one
    /// behind it. With `presence`, also how each of them is, as the user may know.
    public func members(
        of conversation: String, sequence: SequenceNumber? = nil, after: String? = nil, limit: Int? = nil,
        presence: Bool = false
    ) async throws(RoostFailure) -> MemberList {
        try await request(.members) { command in
            command.member("conversation", conversation)
            if let sequence { command.member("sequence", sequence.value) }
            if let after { command.member("after", after) }
            if let limit { command.member("limit", Int64(limit)) }
            if presence { command.member("presence", true) }
        } _: {
            MemberList(reading: $0)
        }
    }

    /// Leaves a group, or hides a direct conversation until its next message. With a `key`, it is safe to call again.
    public func leave(_ conversation: String, key: String? = nil) async throws(RoostFailure) {
        try await request(.leave) { command in
            command.member("conversation", conversation)
            if let key { command.member("key", key) }
        }
    }
}
