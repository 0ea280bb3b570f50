import RoostWire

/// Names of users on a terminal: the display name, or the id of one who has none. A name isn't to be trusted to be of
/// one, so where it matters who it is, the id stands beside it. Pure.
struct Names: Equatable, Sendable {
    var profiles: [String: UserProfile] = [:]

    /// The name in front of what a user wrote.
    func short(_ user: String) -> String { TerminalText.printable(profiles[user]?.name ?? user) }

    /// The name, and the id if it is another one: `Alice Ardent (alice)`.
    func long(_ user: String) -> String {
        guard let name = profiles[user]?.name, name != user else { return TerminalText.printable(user) }
        return "\(TerminalText.printable(name)) (\(TerminalText.printable(user)))"
    }
}
