/// Number of online members of a conversation.
public struct OnlineCount: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// Number of members who are shown to others in any state but `offline`. The user is one of them.
    public var online: Int64
    /// Number of members.
    public var of: Int64

    /// Creates one.
    public init(_ conversation: String, online: Int64, of: Int64) {
        self.conversation = conversation
        self.online = online
        self.of = of
    }
}

extension OnlineCount {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation"), let online = members.integer("online"),
            let all = members.integer("of")
        else { return nil }
        self.init(conversation, online: online, of: all)
    }

    /// The conversations of a `presence` event or of the answer to `watch`.
    public static func list(reading members: JSONMembers) -> [OnlineCount] {
        (members.objects("conversations") ?? []).compactMap(OnlineCount.init(reading:))
    }
}
