import RoostFraming
import RoostWire

/// Writes how a user is into the object that is open, as far as the one who reads it may know.
struct PresenceWriter {
    private let builder: FrameBuilder
    private let policy: Policy

    init(_ builder: FrameBuilder, _ policy: Policy) {
        self.builder = builder
        self.policy = policy
    }

    /// What the viewer is told of the user, as others were told last.
    func announced(_ user: User, to viewer: User) -> Presence.Shown {
        policy.showsPresence(of: user, to: viewer) ? user.presence.announced : .nothing
    }

    /// - Parameter shown: what the viewer is told of the user.
    func members(of user: User, _ shown: Presence.Shown, to viewer: User, at now: Moment) {
        builder.member("state", word: shown.state.word)
        if !shown.text.isEmpty { builder.member("text", shown.text) }
        if shown.state == .offline { lastSeen(of: user, to: viewer, at: now) }
    }

    private func lastSeen(of user: User, to viewer: User, at now: Moment) {
        let lastSeen = user.presence.lastSeen
        guard lastSeen != .never else { return }
        switch policy.lastSeenDetail(of: user, to: viewer) {
        case .exact: builder.member("lastSeen", lastSeen.milliseconds)
        case .coarse:
            // Of somebody who is there, the time isn't kept up to date.
            let isHere = user.presence.announced.state != .offline
            let age = isHere ? 0 : now.wall.milliseconds - lastSeen.milliseconds
            builder.member("seen", word: SeenRange(age: age).word)
        case .nobody: break
        }
    }
}
