import RoostWire

/// Checks that a user may watch other users.
final class WatchRequest: Chore {
    private let user: User
    private let others: [User]
    private let directory: Directory
    private let done: ([Presence.Watch]?) -> Void
    private var allowed: [Presence.Watch] = []
    private var sight: Sight?

    /// - Parameter done: called with all of them, or with nil if one may not be watched.
    init(_ others: [User], by user: User, _ directory: Directory, _ done: @escaping ([Presence.Watch]?) -> Void) {
        self.user = user
        self.others = others
        self.directory = directory
        self.done = done
    }

    func work(_ steps: inout Int) -> Bool {
        while allowed.count < others.count {
            guard steps > 0 else { return false }
            // A search goes on where it stopped, with all steps that there are.
            if sight == nil { steps -= 1 }
            let other = others[allowed.count]
            var sight = sight ?? directory.policy.sight(of: other, by: user, direct: directory.direct(user, other))
            switch sight.search(&steps) {
            case .open:
                self.sight = sight
                return false
            case .refused:
                done(nil)
                return true
            case .allowed(let shared):
                self.sight = nil
                allowed.append(Presence.Watch(user: other, shared: shared))
            }
            // Somebody may have left since the first ones were looked at.
            if allowed.count == others.count, let gone = allowed.firstIndex(where: { !$0.isAllowed(to: user) }) {
                allowed.removeSubrange(gone...)
            }
        }
        done(allowed)
        return true
    }
}
