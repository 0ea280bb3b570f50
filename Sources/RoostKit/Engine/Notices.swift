import RoostClient
import RoostWire

/// State of the moment: users who type, users who are online. None of it is stored, and a lost connection ends it.
/// Confined to the engine.
final class Notices {
    /// Users shown by name in one conversation (Docs/Protocol.md, section 8).
    static let typingMax = 20
    /// Users whose presence is kept: the relay's bound of what a session may watch (section 9).
    static let presencesMax = 1_000

    private var typing: [String: [String]] = [:]
    private var several: Set<String> = []
    private(set) var presences: [String: UserPresence] = [:]
    private var counts: [String: OnlineCount] = [:]

    /// The users who type in a conversation, and whether several more do.
    func typing(in conversation: String) -> (users: [String], others: Bool) {
        (typing[conversation] ?? [], several.contains(conversation))
    }

    func take(_ change: TypingChange) {
        switch change.who {
        case .several:
            if change.isActive { several.insert(change.conversation) } else { several.remove(change.conversation) }
        case .user(let user):
            var users = typing[change.conversation] ?? []
            users.removeAll { $0 == user }
            if change.isActive, users.count < Notices.typingMax { users.append(user) }
            typing[change.conversation] = users.isEmpty ? nil : users
        }
    }

    /// A user's message ends their typing, whichever of the two events comes first.
    func sent(_ user: String, in conversation: String) {
        typing[conversation]?.removeAll { $0 == user }
    }

    /// The user left a conversation or came into it: the relay doesn't send the end of typing from before.
    func endTyping(in conversation: String) {
        typing[conversation] = nil
        several.remove(conversation)
    }

    func take(_ users: [UserPresence]) {
        for one in users where presences[one.user] != nil || presences.count < Notices.presencesMax {
            presences[one.user] = one
        }
    }

    func take(_ told: [OnlineCount]) {
        // No more are watched, so no more are sent; the bound is for a relay that sends others.
        for one in told where counts[one.conversation] != nil || counts.count < Watching.conversationsMax {
            counts[one.conversation] = one
        }
    }

    /// Forgets users and conversations that are no longer watched, because their state becomes stale.
    func forget(users: [String], conversations: [String]) {
        for user in users { presences[user] = nil }
        for conversation in conversations { counts[conversation] = nil }
    }

    /// Number of online members of a conversation; nil if it isn't watched.
    func online(in conversation: String) -> OnlineCount? { counts[conversation] }

    /// Ends all typing and counts, because the session has ended.
    func endTyping() -> Set<String> {
        let ended = Set(typing.keys).union(several).union(counts.keys)
        counts = [:]
        typing = [:]
        several = []
        return ended
    }

    /// Another user begins.
    func forgetAll() {
        _ = endTyping()
        presences = [:]
    }
}
