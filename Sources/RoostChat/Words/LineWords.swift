import RoostKit
import RoostStore
import RoostWire

/// Describes changes of a conversation in words. Pure.
struct LineWords {
    /// The user of this terminal, who is "you".
    let user: String
    let called: Names
    let words: Words

    /// One sentence, safe to print.
    func sentence(_ line: ConversationLine) -> String { words(phrase(line.event, by: who(line.by), line.by)) }

    private func phrase(_ event: ConversationLine.Event, by: Person, _ id: String) -> LinePhrase {
        switch event {
        case .created: .created(by)
        case .added(let users, _) where users == [id]: .joined(by)
        case .added(let users, let count): .added(by, people: users.map(who), more: count - users.count)
        case .removed(let users, let count): .removed(by, people: users.map(who), more: count - users.count)
        case .left(let owner): .left(by, owner: owner.map(who))
        case .renamed(let name): .renamed(by, to: name)
        case .described: .described(by)
        case .role(let user, let role): .role(by, person: who(user), role)
        case .expiry(0): .expiryOff(by)
        case .expiry(let milliseconds): .expiry(by, milliseconds: milliseconds)
        case .pinned: .pinned(by)
        case .banned(let users, let count, let reason):
            .banned(by, people: users.map(who), more: count - users.count, reason)
        case .unbanned(let user): .unbanned(by, person: who(user))
        case .timeout(let user, nil): .timeoutEnded(by, person: who(user))
        case .timeout(let user, let timeout?):
            .timeout(by, person: who(user), until: words.time(timeout.until), timeout.reason)
        case .posting(let rule): .posting(by, rule)
        case .joining(let rule): .joining(by, rule)
        case .slow(0): .slowOff(by)
        case .slow(let milliseconds): .slow(by, milliseconds: milliseconds)
        }
    }

    private func who(_ one: String) -> Person { one == user ? .you : .other(called.short(one)) }
}
