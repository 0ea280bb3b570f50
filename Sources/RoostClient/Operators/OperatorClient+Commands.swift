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

    /// How a user is shown and why, and the user's devices.
    public func person(_ user: String) async throws(RoostFailure) -> Reply {
        try await ask(.person) { $0.member("user", user) }
    }

    /// Who has an event, which is named by its position, and who waits for it; a page of the members.
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
        try await end(.disconnect, user, device)
    }

    /// Refuses the tokens that a user has, or those of one device, and closes the connections.
    public func revoke(_ user: String, device: String? = nil) async throws(RoostFailure) -> Reply {
        try await end(.revoke, user, device)
    }

    /// Refuses the tokens of a sign-in (claim `sid`), and closes its connections.
    /// - Parameter until: when the longest of its tokens expires, at most a day from now; nil if none is good for more
    ///   than an hour. Then the relay forgets the sign-in.
    public func revoke(signIn: String, until: Timestamp? = nil) async throws(RoostFailure) -> Reply {
        try await ask(.revoke) { command in
            command.member("sid", signIn)
            if let until { command.member("until", until.milliseconds) }
        }
    }

    private func end(_ type: CommandType, _ user: String, _ device: String?) async throws(RoostFailure) -> Reply {
        try await ask(type) { command in
            command.member("user", user)
            if let device { command.member("device", device) }
        }
    }

    /// Stops the relay, as SIGTERM does.
    public func drain() async throws(RoostFailure) -> Reply { try await ask(.drain) }

    /// Samples of the past. From now on `samples` tells each new one.
    public func statistics(limit: Int? = nil) async throws(RoostFailure) -> Reply {
        try await ask(.statistics) { command in
            if let limit { command.member("limit", Int64(limit)) }
        }
    }
}
