import RoostCore
import RoostWire

/// The bans and time-outs of a group, and whether all may write: from the log, by rules of its own.
struct ModerationTruth {
    /// Banned users.
    private(set) var banned: Set<Int> = []
    /// Timed-out users, and when that ends, in milliseconds.
    private(set) var timeouts: [Int: Int64] = [:]
    /// Whether only the owner and the admins may write.
    private(set) var isForAnnouncements = false
    /// Whether those who come by links are let in by admins alone.
    var asks = false
    /// Milliseconds between two messages of a member; 0 for none.
    private(set) var slow: Int64 = 0
    /// When each user wrote last while there was a wait, since the relay's process began.
    private var lasts: [Int: Int64] = [:]
    /// The longest slow mode that was asked for, which may be under way.
    var slowAskedFor: Int64 = 0
    /// Whether a restriction was asked for, which may be under way.
    var wasAskedFor = false

    /// Applies a stored change.
    /// - Parameter user: the restricted user; nil for all members.
    mutating func apply(_ restriction: StoredRestriction?, of user: Int?, at time: Timestamp) {
        // Expired time-outs are forgotten, also if the clock is set back later.
        timeouts = timeouts.filter { $0.value > time.milliseconds }
        guard let user else {
            isForAnnouncements = restriction != nil
            return
        }
        banned.remove(user)
        timeouts[user] = nil
        guard let restriction else { return }
        if restriction.isBan { banned.insert(user) } else { timeouts[user] = restriction.until.milliseconds }
    }

    /// A stored change.
    mutating func apply(slow time: Int64) {
        slow = time
        if time == 0 { lasts = [:] }
    }

    /// A stored message.
    mutating func note(_ append: Append, by user: Int) {
        if slow > 0, append.kind == .message { lasts[user] = append.time.milliseconds }
    }

    /// Times of messages for slow mode aren't stored.
    mutating func processEnded() { lasts = [:] }

    /// Why a message comes too early; nil if it doesn't. A clock that was set back says nothing.
    private func haste(of append: Append, by user: Int, as role: MemberRole) -> String? {
        guard slow > 0, role < .admin, append.kind == .message, let last = lasts[user] else { return nil }
        let wait = append.time.milliseconds - last
        return 0..<slow ~= wait ? "user \(user) writes after \(wait) ms, and may after \(slow)" : nil
    }

    /// Why a member may not have written or reacted at this time; nil if it may.
    func mistake(in append: Append, by user: Int, as role: MemberRole) -> String? {
        guard role != .owner, !append.isErasing else { return nil }
        if let haste = haste(of: append, by: user, as: role) { return haste }
        switch append.kind {
        case .message, .edit, .react:
            if timeouts[user] ?? 0 > append.time.milliseconds { return "user \(user) writes while it is timed out" }
            guard isForAnnouncements, role < .admin, append.kind != .react else { return nil }
            return "user \(user) writes where only admins may"
        case .conversation:
            switch append.change {
            case .leave, .erase, nil: return nil
            default: break
            }
            return timeouts[user] ?? 0 > append.time.milliseconds ? "user \(user) acts while it is timed out" : nil
        case .delete, .state: return nil
        }
    }
}

/// Checks, in the order of the log, that restricted users do nothing that they may not.
struct ModerationCheck {
    let ledger: Ledger

    /// A restriction is set by a user with the right to it: it can't restrict the owner, itself, or a user of its own
    /// rank.
    func judge(_ restriction: StoredRestriction?, of user: Int?, by sender: Int, in conversation: ConversationTruth) {
        let role = conversation.members[sender]?.role ?? .member
        if role < .admin { ledger.blame("user \(sender) changed a group without being admin") }
        guard let user, restriction != nil, let other = conversation.members[user]?.role else { return }
        if other >= role { ledger.blame("user \(sender) restricts user \(user), who is as high") }
    }

    /// The author may write, and a banned user doesn't come in.
    func check(_ append: Append, _ sender: Int, in conversation: ConversationTruth) {
        guard conversation.kind == .group else { return }
        let role = conversation.members[sender]?.role ?? .member
        if let mistake = conversation.moderation.mistake(in: append, by: sender, as: role) {
            ledger.blame("\(mistake), in \(conversation.id)")
        }
        conversation.moderation.note(append, by: sender)
        guard case .add(let members) = append.change else { return }
        for user in members.compactMap({ ledger.users[$0.user.value] })
        where conversation.moderation.banned.contains(user) {
            ledger.blame("user \(user) is added to \(conversation.id), which it is banned from")
        }
    }
}
