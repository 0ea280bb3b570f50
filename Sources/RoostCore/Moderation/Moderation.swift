import RoostWire

/// The bans and time-outs of a group, and whether all members may write. It is stored in the conversation. Commands are
/// judged by the changes that are under way as well as by the committed ones. Loop thread only.
struct Moderation {
    private(set) var restrictions = RestrictionList()
    /// The slow mode.
    var pace = Pace()
    /// Rule for users who follow links.
    var joining = Joining()
    /// Changes that were handed to the writer and are not committed yet: by user, the newest.
    private var pending: [UserNumber: Pending] = [:]

    private struct Pending {
        var newest: StoredRestriction?
        var underWay = 0
    }

    init(_ stored: [StoredRestriction] = [], slow time: Int64 = 0, _ rule: JoiningRule = .open) {
        restrictions = RestrictionList(stored)
        pace.set(time)
        joining.set(rule)
    }

    /// Whether no user is restricted, so that a message looks no further.
    var isOpen: Bool { restrictions.isEmpty && pending.isEmpty }

    /// The restriction of a user once every change on its way is committed; nil if there is none, or it is over.
    func restriction(of user: UserNumber, at now: Timestamp) -> StoredRestriction? {
        let expected = pending[user].map { $0.newest } ?? restrictions[user]
        return expected.flatMap { $0.isOver(at: now) ? nil : $0 }
    }

    /// Whether the user can't come in.
    func bans(_ user: UserNumber, at now: Timestamp) -> Bool {
        !isOpen && restriction(of: user, at: now)?.isBan == true
    }

    /// Whether only the owner and the admins may write.
    func isForAnnouncements(at now: Timestamp) -> Bool { restriction(of: .none, at: now) != nil }

    /// Whether the group has as many restrictions as it may have. One under way counts, although it may lift another.
    func isFull(at now: Timestamp, atMost most: Int) -> Bool {
        restrictions.count(at: now) + pending.count >= most
    }

    /// Whether a change of this user's restriction is under way.
    func isUnderWay(_ user: UserNumber) -> Bool { pending[user] != nil }

    /// A change was handed to the writer.
    mutating func expect(_ restriction: StoredRestriction?, of user: UserNumber) {
        pending[user] = Pending(newest: restriction, underWay: (pending[user]?.underWay ?? 0) + 1)
    }

    /// The outcome of a change is known.
    mutating func settle(_ user: UserNumber) {
        guard var one = pending[user] else { return }
        one.underWay -= 1
        pending[user] = one.underWay > 0 ? one : nil
    }

    /// A change was stored.
    mutating func set(_ restriction: StoredRestriction?, of user: UserNumber, at time: Timestamp) {
        restrictions.set(restriction, of: user, at: time)
    }
}
