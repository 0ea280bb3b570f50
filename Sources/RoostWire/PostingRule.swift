/// The members of a group who may write in it.
public enum PostingRule: UInt8, WireWord {
    /// All of them.
    case all = 0
    /// The owner and the admins: a group for announcements.
    case admins = 1

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .all: "all"
        case .admins: "admins"
        }
    }
}

/// A time during which a member may not write in a group.
public struct MemberTimeout: Hashable, Sendable {
    /// When it ends.
    public var until: Timestamp
    /// Why, if that was said.
    public var reason: ReportReason?

    /// Creates one.
    public init(until: Timestamp, reason: ReportReason? = nil) {
        self.until = until
        self.reason = reason
    }
}

extension MemberTimeout {
    /// Reads one; nil if it doesn't say when it ends.
    init?(reading members: JSONMembers) {
        guard let until = members.time("until") else { return nil }
        self.init(until: until, reason: members.word("reason"))
    }
}
