import RoostClient
import RoostStore
public import RoostWire

/// Membership and writing rights in a group. Owner and admins decide, each about members of a lower role. All of it
/// needs a session, and calling it again changes nothing. `barrier(at:)` of a conversation says why the user can't
/// write.
extension Roost {
    /// Removes a user from a group for good: it can't be added and can't join until it is unbanned.
    public func ban(_ user: String, from conversation: String, reason: ReportReason? = nil) async throws {
        let line = ConversationLine.Event.banned(users: [user], count: 1, reason)
        try await GroupChange.change(conversation, line, engine) { client throws(RoostFailure) in
            try await client.moderation.ban(user, from: conversation, reason: reason)
        }
    }

    /// Lifts a ban: the user can be added again.
    public func unban(_ user: String, from conversation: String) async throws {
        try await GroupChange.change(conversation, .unbanned(user: user), engine) { client throws(RoostFailure) in
            try await client.moderation.unban(user, from: conversation)
        }
    }

    /// Keeps a member from writing for a time of 1 s to 28 days; zero ends that.
    public func timeOut(
        _ user: String, in conversation: String, for time: Duration, reason: ReportReason? = nil
    ) async throws {
        let (seconds, attoseconds) = time.components
        let milliseconds = seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000
        let line = { @Sendable (began: Timestamp) -> ConversationLine.Event in
            let until = Timestamp(milliseconds: began.milliseconds &+ milliseconds)
            return .timeout(user: user, milliseconds == 0 ? nil : MemberTimeout(until: until, reason: reason))
        }
        try await GroupChange.change(conversation, engine, line) { client throws(RoostFailure) in
            try await client.moderation.timeOut(user, in: conversation, milliseconds: milliseconds, reason: reason)
        }
    }

    /// Says who may write in a group: all members, or only the owner and the admins.
    public func setPosting(_ rule: PostingRule, in conversation: String) async throws {
        try await GroupChange.change(conversation, .posting(rule), engine) { client throws(RoostFailure) in
            try await client.moderation.setPosting(rule, in: conversation)
        }
    }

    /// Says how often a member may write in a group: once in a time of 1 s to 6 hours, or with zero as often as it
    /// wants. The owner and the admins always may. `pause(after:at:)` of a conversation says when the user may write
    /// next.
    public func setSlow(to time: Duration, in conversation: String) async throws {
        let (seconds, attoseconds) = time.components
        let milliseconds = seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000
        try await GroupChange.change(conversation, .slow(milliseconds), engine) { client throws(RoostFailure) in
            try await client.moderation.setSlow(to: milliseconds, in: conversation)
        }
    }

    /// Says how people come into a group by its links: at once, or when an admin has let them in.
    public func setJoining(_ rule: JoiningRule, in conversation: String) async throws {
        try await GroupChange.change(conversation, .joining(rule), engine) { client throws(RoostFailure) in
            try await client.moderation.setJoining(rule, in: conversation)
        }
    }

    /// Returns a page of users who are banned from a group. `next` of one page is `after` of the following one.
    public func bans(of conversation: String, after: String? = nil) async throws -> BanPage {
        try await engine.patience { [engine] () throws(RoostFailure) in
            try await engine.client.moderation.bans(of: conversation, after: after)
        }
    }
}
