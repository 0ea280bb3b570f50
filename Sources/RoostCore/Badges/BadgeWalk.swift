/// Looks at the members of conversations in which something was written. There may be thousands.
final class BadgeWalk: Chore {
    private unowned let badges: Badges

    init(of badges: Badges) { self.badges = badges }

    func work(_ steps: inout Int) -> Bool { badges.walk(&steps) }
}
