public import RoostWire

/// The commands of Docs/Protocol.md, section 11.
extension OperatorClient {
    /// Users who are here, a page of them.
    /// - Parameter after: `next` of the page before.
    public func people(after: String? = nil, limit: Int? = nil) async throws(RoostFailure) -> Reply {
        try await ask(.people) { command in
            if let after { command.member("after", after) }
            if let limit { command.member("limit", Int64(limit)) }
        }
    }

    /// Returns a user's profile as shown, where it comes from, and the user's devices.
    public func person(_ user: String) async throws(RoostFailure) -> Reply {
        try await ask(.person) { $0.member("user", user) }
    }

    /// The conversations of a user, a page of them, as that user's own devices see them. The token needs the scope
    /// `service`.
    /// - Parameter before: `next` of the page before.
    public func conversations(of user: String, before: String? = nil) async throws(RoostFailure) -> Reply {
        try await ask(.list) { command in
            command.member("as", user)
            if let before { command.member("before", before) }
        }
    }

    /// Returns the presence of these users, at most 500.
    public func presence(of users: [String]) async throws(RoostFailure) -> [UserPresence] {
        let reply = try await ask(.states) { command in
            command.beginArray("users")
            for user in users { command.element(user) }
            command.endArray()
        }
        return UserPresence.list(reading: reply.members)
    }

    /// Erases the next of the messages that a user has written.
    /// - Parameters:
    ///   - after: `position` of the page before; nil to begin.
    ///   - until: only messages whose time isn't later than this, the same for every page; nil for all.
    public func erase(
        messagesOf user: String, after: String? = nil, until: Timestamp? = nil
    ) async throws(RoostFailure) -> ErasurePage {
        let reply = try await ask(.erase) { command in
            command.member("user", user)
            if let after { command.member("after", after) }
            if let until { command.member("until", until.milliseconds) }
        }
        guard let page = ErasurePage(reading: reply.members) else { throw .unexpectedReply }
        return page
    }

    /// Returns the recipients of an event, named by its position, and the members it hasn't reached yet; a page of
    /// members.
    public func whereabouts(ofPosition position: String, after: String? = nil) async throws(RoostFailure) -> Reply {
        try await ask(.whereabouts) { command in
            command.member("position", position)
            if let after { command.member("after", after) }
        }
    }

    /// The same for a message.
    public func whereabouts(
        of sequence: SequenceNumber, in conversation: String, after: String? = nil
    ) async throws(RoostFailure) -> Reply {
        try await ask(.whereabouts) { command in
            command.member("conversation", conversation)
            command.member("sequence", sequence.value)
            if let after { command.member("after", after) }
        }
    }

    /// Closes the connections of a user, or of one device. They may come back.
    public func disconnect(_ user: String, device: String? = nil) async throws(RoostFailure) -> Reply {
        try await ask(.disconnect) { command in
            command.member("user", user)
            if let device { command.member("device", device) }
        }
    }

    /// Refuses a user's existing tokens, or those of one device, and closes the connections.
    /// - Parameter isUnknown: whether the relay may not know the user yet. Otherwise an unknown name is an error, if
    ///   the relay refuses unknown names.
    public func revoke(
        _ user: String, device: String? = nil, isUnknown: Bool = false
    ) async throws(RoostFailure) -> Reply {
        try await ask(.revoke) { command in
            command.member("user", user)
            if let device { command.member("device", device) }
            if isUnknown { command.member("unknown", true) }
        }
    }

    /// Refuses the tokens of a sign-in (claim `sid`), and closes its connections.
    /// - Parameter until: when the last of its tokens expires, at most a day from now; nil if none is valid for more
    ///   than an hour. Then the relay forgets the sign-in.
    public func revoke(signIn: String, until: Timestamp? = nil) async throws(RoostFailure) -> Reply {
        try await ask(.revoke) { command in
            command.member("sid", signIn)
            if let until { command.member("until", until.milliseconds) }
        }
    }

    /// Returns a page of users' reports, oldest first.
    /// - Parameters:
    ///   - after: `next` of the page before.
    ///   - state: only reports in this state; nil for all.
    public func reports(
        after: Int64? = nil, limit: Int? = nil, state: ReportState? = nil
    ) async throws(RoostFailure) -> Reply {
        try await ask(.reports) { command in
            if let after { command.member("after", after) }
            if let limit { command.member("limit", Int64(limit)) }
            if let state { command.member("state", word: state.word) }
        }
    }

    /// Users and groups of whose name a word begins so, and what has this id or is the invitation of this code; a page.
    public func find(_ prefix: String, after: String? = nil) async throws(RoostFailure) -> Reply {
        try await ask(.findAnything) { command in
            command.member("prefix", prefix)
            if let after { command.member("after", after) }
        }
    }

    /// A report with the message, and what was written around it. The relay logs who reads that.
    public func report(_ number: Int64) async throws(RoostFailure) -> Reply {
        try await ask(.showReport) { $0.member("report", number) }
    }

    /// Deletes the reported message, as its author could.
    public func removeReported(_ number: Int64) async throws(RoostFailure) -> Reply {
        try await ask(.removeReported) { $0.member("report", number) }
    }

    /// A report needs nothing more.
    public func closeReport(_ number: Int64, note: String? = nil) async throws(RoostFailure) -> Reply {
        try await ask(.closeReport) { command in
            command.member("report", number)
            if let note { command.member("note", note) }
        }
    }

    /// Stops the relay, as SIGTERM does.
    public func drain() async throws(RoostFailure) -> Reply { try await ask(.drain) }

    /// Returns samples of the past. From now on `samples` delivers each new one.
    public func statistics(limit: Int? = nil) async throws(RoostFailure) -> Reply {
        try await ask(.statistics) { command in
            if let limit { command.member("limit", Int64(limit)) }
        }
    }
}

/// The feed (Docs/Protocol.md, section 12), for services: their token's `scope` has `service`.
extension OperatorClient {
    /// A page of the log. One page of a session may be under way.
    /// - Parameters:
    ///   - consumer: whose cursor it is.
    ///   - after: only events above this position, `position` of the page before; nil for those above the cursor.
    ///   - limit: most events, 1 to 256.
    ///   - waits: whether the answer waits until there is something, 8 s at most.
    public func feed(
        _ consumer: String, after: String? = nil, limit: Int? = nil, waits: Bool = false
    ) async throws(RoostFailure) -> FeedPage {
        let reply = try await ask(.feed) { command in
            command.member("consumer", consumer)
            if let after { command.member("after", after) }
            if let limit { command.member("limit", Int64(limit)) }
            if waits { command.member("wait", true) }
        }
        guard let page = FeedPage(reading: reply.members) else { throw .unexpectedReply }
        return page
    }

    /// Acks that the consumer has processed everything up to here, so that it gets only later events, even after a
    /// restart of either side. Events acked less than a second before a crash of the relay may come again.
    @discardableResult
    public func ackFeed(_ consumer: String, _ position: String) async throws(RoostFailure) -> Reply {
        try await ask(.ackFeed) { command in
            command.member("consumer", consumer)
            command.member("position", position)
        }
    }

    /// The consumer isn't needed any more: its cursor is forgotten.
    @discardableResult
    public func forgetFeed(_ consumer: String) async throws(RoostFailure) -> Reply {
        try await ask(.forgetFeed) { $0.member("consumer", consumer) }
    }
}
