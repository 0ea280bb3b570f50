public import RoostWire

/// Membership and writing rights in a group (Docs/Protocol.md, section 4). Owner and admins decide, each about members
/// of a lower role; for others these throw `RoostFailure.refused` with `forbidden`. Calling one again changes nothing.
public struct Moderation: Sendable {
    let client: ChatClient

    /// Removes a user from a group for good: it can't be added and can't join until it is unbanned.
    /// - Throws: `RoostFailure.refused` with `not_found` if the user never was a member.
    @discardableResult
    public func ban(
        _ user: String, from conversation: String, reason: ReportReason? = nil
    ) async throws(RoostFailure) -> Answer {
        try await change(.ban, user, in: conversation, reason)
    }

    /// Lifts a ban: the user can be added again.
    @discardableResult
    public func unban(_ user: String, from conversation: String) async throws(RoostFailure) -> Answer {
        try await change(.unban, user, in: conversation, nil)
    }

    /// Keeps a member from writing for a time of 1 s to 28 days.
    @discardableResult
    public func timeOut(
        _ user: String, in conversation: String, milliseconds: Int64, reason: ReportReason? = nil
    ) async throws(RoostFailure) -> Answer {
        try await client.request(.setTimeout) { command in
            command.member("conversation", conversation)
            command.member("user", user)
            command.member("after", milliseconds)
            if let reason { command.member("reason", word: reason.word) }
        } _: {
            Answer(reading: $0)
        }
    }

    /// Ends the time-out of a member.
    @discardableResult
    public func endTimeout(of user: String, in conversation: String) async throws(RoostFailure) -> Answer {
        try await timeOut(user, in: conversation, milliseconds: 0)
    }

    /// Says who may write in a group.
    @discardableResult
    public func setPosting(_ rule: PostingRule, in conversation: String) async throws(RoostFailure) -> Answer {
        try await client.request(.setPosting) { command in
            command.member("conversation", conversation)
            command.member("posting", word: rule.word)
        } _: {
            Answer(reading: $0)
        }
    }

    /// Says how often a member may write in a group: once in a time of 1 s to 6 hours, or with 0 as often as it wants.
    /// The owner and the admins always may.
    @discardableResult
    public func setSlow(
        to milliseconds: Int64, in conversation: String
    ) async throws(RoostFailure) -> Answer {
        try await client.request(.setSlow) { command in
            command.member("conversation", conversation)
            command.member("after", milliseconds)
        } _: {
            Answer(reading: $0)
        }
    }

    /// Says how people come into a group by its links: at once, or when an admin has let them in.
    @discardableResult
    public func setJoining(_ rule: JoiningRule, in conversation: String) async throws(RoostFailure) -> Answer {
        try await client.request(.setJoining) { command in
            command.member("conversation", conversation)
            command.member("joining", word: rule.word)
        } _: {
            Answer(reading: $0)
        }
    }

    /// Returns a page of banned users. `next` of one page is `after` of the following one.
    public func bans(
        of conversation: String, after: String? = nil, limit: Int? = nil
    ) async throws(RoostFailure) -> BanPage {
        try await client.request(.bans) { command in
            command.member("conversation", conversation)
            if let after { command.member("after", after) }
            if let limit { command.member("limit", Int64(limit)) }
        } _: {
            BanPage(reading: $0)
        }
    }

    private func change(
        _ type: CommandType, _ user: String, in conversation: String, _ reason: ReportReason?
    ) async throws(RoostFailure) -> Answer {
        try await client.request(type) { command in
            command.member("conversation", conversation)
            command.member("user", user)
            if let reason { command.member("reason", word: reason.word) }
        } _: {
            Answer(reading: $0)
        }
    }
}

extension ChatClient {
    /// Membership and writing rights in groups.
    public nonisolated var moderation: Moderation { Moderation(client: self) }
}
