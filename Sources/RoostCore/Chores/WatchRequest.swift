import RoostWire

/// Checks that a user may watch other users, and counts the members of conversations that it watches.
final class WatchRequest: Chore {
    /// The result.
    struct Outcome {
        /// All of the users; nil if one may not be watched.
        var watches: [Presence.Watch]?
        /// The gate wouldn't let the user watch one of them, or doesn't.
        var areStrangers = false
    }

    private let user: User
    private let others: [User]
    private let conversations: [Conversation]
    private let counts: GroupCounts
    private let directory: Directory
    private let done: (Outcome) -> Void
    private var areStrangers = false
    private var allowed: [Presence.Watch] = []
    private var counted = 0
    private var sight: Sight?

    init(
        _ others: [User], _ conversations: [Conversation], by user: User, _ counts: GroupCounts,
        _ directory: Directory, _ done: @escaping (Outcome) -> Void
    ) {
        self.user = user
        self.others = others
        self.conversations = conversations
        self.counts = counts
        self.directory = directory
        self.done = done
    }

    func work(_ steps: inout Int) -> Bool {
        while counted < conversations.count {
            guard counts.count(conversations[counted], &steps) else { return false }
            counted += 1
        }
        while allowed.count < others.count {
            guard steps > 0 else { return false }
            // A search goes on where it stopped, with all steps that there are.
            if sight == nil { steps -= 1 }
            let other = others[allowed.count]
            var sight = sight ?? directory.policy.sight(of: other, by: user, direct: directory.direct(user, other))
            let outcome = sight.search(&steps)
            areStrangers = areStrangers || sight.isOfStrangers
            switch outcome {
            case .open:
                self.sight = sight
                return false
            case .refused:
                done(Outcome(areStrangers: sight.isOfStrangers))
                return true
            case .allowed(let shared):
                self.sight = nil
                allowed.append(Presence.Watch(user: other, shared: shared))
            }
            // A user may have left since the first ones were looked at.
            if allowed.count == others.count,
                let gone = allowed.firstIndex(where: { !$0.isAllowed(to: user, directory.policy) })
            {
                allowed.removeSubrange(gone...)
            }
        }
        done(Outcome(watches: allowed, areStrangers: areStrangers))
        return true
    }
}
