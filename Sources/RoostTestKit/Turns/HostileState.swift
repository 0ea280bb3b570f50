import RoostCore
import RoostWire

/// A state that a hostile user would like the relay to be in: a user in as many conversations as there may be, others
/// who share one of many with it, and a group as large as there may be.
public struct HostileState {
    /// The state to start from.
    public private(set) var snapshot = Snapshot()
    /// Number of groups, and of direct conversations, that the hub is in.
    public let conversations: Int
    /// Members of the large group.
    public let members: Int
    private var users: [String: Int32] = [:]
    private var position: Int64 = 0

    /// Users who share the last one of their conversations with the hub.
    public var distant: [String] { (0..<min(1_000, members / 10)).map { "distant\($0)" } }
    /// Members of the large group besides the hub and its owner.
    public func crowd(_ count: Int) -> [String] { (0..<min(count, members - 2)).map { "crowd\($0)" } }

    /// Creates it.
    public init(conversations: Int, members: Int) {
        self.conversations = conversations
        self.members = members
        snapshot.epoch = "turns"
        let hub = user("hub")
        for number in 0..<conversations {
            add("cdirect\(number)", .direct, [hub, user("peer\(number)")])
            add("cgroup\(number)", .group, [user("opener\(number % 100)"), hub])
            add("ctwin\(number)", .group, [user("twin"), user("filler\(number % 100)")])
        }
        for name in distant {
            let one = user(name)
            for number in 0..<50 { add("c\(name)-\(number)", .group, [one, user("filler\(number)")]) }
        }
        add("cshared", .group, [hub, user("twin")] + distant.map { user($0) })
        add("clarge", .group, [user("owner"), hub] + crowd(members).map { user($0) })
        add("cmiddle", .group, [user("owner"), hub] + crowd(254).map { user($0) })
        addErased(of: crowd(members).map { user($0) })
        snapshot.head = Position(position)
    }

    private mutating func user(_ name: String) -> Int32 {
        if let known = users[name] { return known }
        let number = Int32(users.count + 1)
        users[name] = number
        snapshot.users.append(.init(UserNumber(number), name: name))
        snapshot.devices.append(
            .init(DeviceNumber(number), user: UserNumber(number), name: "phone", cursor: Position(1_000_000)))
        return number
    }

    private mutating func add(_ id: String, _ kind: ConversationKind, _ members: [Int32]) {
        position += 1
        let number = ConversationNumber(Int32(snapshot.conversations.count + 1))
        var conversation = Snapshot.Conversation(number, id: id, kind: kind, name: kind == .group ? id : "")
        conversation.lastPosition = Position(position)
        conversation.lastSequence = SequenceNumber(100)
        snapshot.conversations.append(conversation)
        for (place, user) in members.enumerated() {
            let role: MemberRole = kind == .group && place == 0 ? .owner : .member
            var member = Snapshot.Member(number, UserNumber(user), role: role)
            member.joinedAt = Position(position)
            snapshot.members.append(member)
        }
    }

    /// Adds a group that all but one have left.
    private mutating func addErased(of former: [Int32]) {
        add("cleft", .group, [user("last")])
        let number = ConversationNumber(Int32(snapshot.conversations.count))
        for user in former {
            var member = Snapshot.Member(number, UserNumber(user), role: nil)
            member.joinedAt = Position(position)
            member.leftAt = Position(position)
            snapshot.members.append(member)
        }
    }
}
