import RoostFraming
import RoostWire

/// Writes a user's presence into the object that is open, as far as its reader may know it.
struct PresenceWriter {
    private let builder: FrameBuilder
    private let policy: Policy

    init(_ builder: FrameBuilder, _ policy: Policy) {
        self.builder = builder
        self.policy = policy
    }

    /// - Parameter shown: the state for viewers who may know it; nil for the one sent last.
    func members(of user: User, _ shown: Presence.Shown? = nil, to viewer: User, at now: Moment) {
        let level = policy.presenceLevel(of: user, to: viewer)
        members(VisiblePresence(of: user, shown ?? user.presence.announced, level, at: now))
    }

    func members(_ visible: VisiblePresence) {
        builder.member("state", word: visible.state.word)
        if !visible.text.isEmpty { builder.member("text", visible.text) }
        switch visible.seen {
        case .unsaid: break
        case .at(let time): builder.member("lastSeen", time.milliseconds)
        case .range(let range): builder.member("seen", word: range.word)
        }
    }
}
