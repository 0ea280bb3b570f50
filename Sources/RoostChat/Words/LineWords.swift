import RoostKit
import RoostStore
import RoostWire

/// What has happened to a conversation, in words. Pure.
struct LineWords {
    /// The user of this terminal, who is "you".
    let user: String
    let called: Names
    let clock: WallClock

    /// One sentence, safe to print.
    func sentence(_ line: ConversationLine) -> String {
        let by = who(line.by)
        switch line.event {
        case .created: return "\(by) created the group"
        case .added(let users, _) where users == [line.by]: return "\(by) joined"
        case .added(let users, let count): return "\(by) added \(all(users, count))"
        case .removed(let users, let count): return "\(by) removed \(all(users, count))"
        case .left(let owner): return "\(by) left\(owner.map(ownership) ?? "")"
        case .renamed(let name): return "\(by) renamed the group to “\(TerminalText.printable(name))”"
        case .described: return "\(by) changed the photo or description"
        case .role(let user, .owner): return "\(by) made \(whom(user)) the owner"
        case .role(let user, .admin): return "\(by) made \(whom(user)) an admin"
        case .role(let user, .member): return "\(by) made \(whom(user)) a regular member"
        case .expiry(0): return "\(by) turned off disappearing messages"
        case .expiry(let milliseconds):
            return "\(by) set messages to disappear after \(LineWords.duration(milliseconds))"
        case .pinned: return "\(by) pinned a message"
        case .banned(let users, let count, let reason): return "\(by) banned \(all(users, count))\(why(reason))"
        case .unbanned(let user): return "\(by) lifted the ban on \(whom(user))"
        case .timeout(let user, nil): return "\(by) ended the timeout of \(whom(user))"
        case .timeout(let user, let timeout?):
            return "\(by) gave \(whom(user)) a timeout until \(clock.time(timeout.until))\(why(timeout.reason))"
        case .posting(.admins): return "\(by) let only admins send messages"
        case .posting(.all): return "\(by) let everyone send messages"
        case .slow(0): return "\(by) turned off slow mode"
        case .slow(let milliseconds):
            return "\(by) turned on slow mode: \(SlowLine.span(milliseconds)) between messages"
        }
    }

    private func why(_ reason: ReportReason?) -> String {
        switch reason {
        case .spam: ": spam"
        case .harassment: ": harassment"
        case .impersonation: ": pretending to be someone else"
        case .illegal: ": illegal content"
        case .other, nil: ""
        }
    }

    private func who(_ one: String) -> String { one == user ? "You" : called.short(one) }

    private func whom(_ one: String) -> String { one == user ? "you" : called.short(one) }

    private func ownership(_ owner: String) -> String {
        owner == user ? ". You are the owner now" : ". \(called.short(owner)) is the owner now"
    }

    private func all(_ users: [String], _ count: Int) -> String {
        let more = count - users.count
        let words = users.map(whom) + (more > 0 ? ["\(more) more"] : [])
        guard let last = words.last, words.count > 1 else { return words.first ?? "\(count)" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    private static func duration(_ milliseconds: Int64) -> String {
        let days = (milliseconds + 43_200_000) / 86_400_000
        if days <= 1 { return "24 hours" }
        return days % 7 == 0 && days < 30 ? days == 7 ? "1 week" : "\(days / 7) weeks" : "\(days) days"
    }
}
