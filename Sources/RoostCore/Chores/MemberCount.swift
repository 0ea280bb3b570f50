import RoostWire

/// The members that a `conversation.members` asks for.
struct MemberPage {
    /// The ordinal where it begins.
    let first: Int64
    let limit: Int
    /// The message of which it counts who has got and read it.
    let sequence: SequenceNumber?
    /// Whether it says how the members are.
    let hasPresence: Bool
}

/// Counts how many members have got a message, and have read it, as far as the asker may know.
final class MemberCount: Chore {
    /// The counts.
    struct Result {
        var others: Int64 = 0
        var delivered: Int64 = 0
        var read: Int64 = 0
    }

    private let members: [Member]
    private let sequence: SequenceNumber
    private let asker: User
    private let policy: Policy
    private let done: (Result) -> Void
    private var place = 0
    private var result = Result()

    init(
        _ members: [Member], of page: MemberPage, for asker: User, _ policy: Policy, _ done: @escaping (Result) -> Void
    ) {
        self.policy = policy
        self.members = members
        sequence = page.sequence ?? .none
        self.asker = asker
        self.done = done
    }

    func work(_ steps: inout Int) -> Bool {
        while place < members.count {
            guard steps > 0 else { return false }
            steps -= 1
            let member = members[place]
            place += 1
            guard member.user !== asker else { continue }
            result.others += 1
            let view = policy.receipts(of: member, to: asker)
            let isRead = view != .nothing && member.watermark.read >= sequence
            if isRead || view == .all && member.watermark.delivered >= sequence { result.delivered += 1 }
            if isRead { result.read += 1 }
        }
        done(result)
        return true
    }
}
