/// A user who can't come back into a group.
public struct Ban: Sendable, Equatable {
    /// The user.
    public var user: String
    /// The member who banned the user.
    public var by: String
    /// When that was.
    public var time: Timestamp
    /// Why, if that was said.
    public var reason: ReportReason?
}

/// The answer to `conversation.bans`: one page of banned users.
public struct BanPage: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The bans.
    public var bans: [Ban]
    /// The value for `after` to get the next page; nil on the last page.
    public var next: String?
}

extension BanPage {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation"), let bans = members.objects("bans") else { return nil }
        self.conversation = conversation
        self.bans = bans.compactMap { ban in
            guard let user = ban.string("user"), let by = ban.string("by"), let time = ban.time("time") else {
                return nil
            }
            return Ban(user: user, by: by, time: time, reason: ban.word("reason"))
        }
        next = members.string("next")
    }
}
