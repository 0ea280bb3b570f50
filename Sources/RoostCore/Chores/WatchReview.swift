import RoostWire

/// Ends watches that are no longer allowed after a user left a conversation: those by the user, and those of the user.
/// A watch remembers the conversation that allows it, so only those of the one left are looked at closely.
final class WatchReview: Chore {
    private let user: User
    private let presence: Presence
    private let directory: Directory
    private var watches: [(session: Session, other: User)] = []
    private var sight: Sight?
    /// The user left another conversation meanwhile.
    private var isStale = true

    init(of user: User, _ presence: Presence, _ directory: Directory) {
        self.user = user
        self.presence = presence
        self.directory = directory
    }

    /// The review has to begin again.
    func begin() { isStale = true }

    func work(_ steps: inout Int) -> Bool {
        if isStale {
            isStale = false
            sight = nil
            watches = presence.watches(of: user)
        }
        while let (session, other) = watches.last {
            guard steps > 0 else { return false }
            if sight == nil { steps -= 1 }
            guard review(session, other, &steps) else { return false }
            watches.removeLast()
        }
        guard !isStale else { return false }
        presence.endReview(of: user)
        return true
    }

    /// Returns false if no step is left.
    private func review(_ session: Session, _ other: User, _ steps: inout Int) -> Bool {
        guard let watcher = session.user, let watch = presence.watch(of: other, by: session),
            !watch.isAllowed(to: watcher, directory.policy)
        else {
            sight = nil
            return true
        }
        var sight = sight ?? directory.policy.sight(of: other, by: watcher, direct: directory.direct(watcher, other))
        switch sight.search(&steps) {
        case .open:
            self.sight = sight
            return false
        case .refused: presence.unwatch(other, by: session)
        case .allowed(let shared): presence.renew(Presence.Watch(user: other, shared: shared), by: session)
        }
        self.sight = nil
        return true
    }
}
