import RoostWire

extension Presence {
    /// A user's presence for viewers who see everything.
    struct Shown: Equatable {
        let state: PresenceState
        /// Empty if there is none.
        let text: String
        /// Time when an offline user was last online.
        var lastSeen = Timestamp.never

        /// The presence that viewers see of a user who is hidden from them.
        static let nothing = Shown(state: .offline, text: "")
    }

    /// A user who is watched.
    struct Watch {
        let user: User
        /// A conversation that both users are in; nil if they are the same or contacts, or everyone may watch the user.
        let shared: Conversation?

        /// Whether this user may still watch because of it.
        func isAllowed(to watcher: User, _ policy: Policy) -> Bool {
            shared.map { Sight.isShared($0, by: watcher, and: user) }
                ?? (user === watcher || policy.isWatchedByAll(user) || policy.isContact(user, of: watcher))
        }
    }
}
