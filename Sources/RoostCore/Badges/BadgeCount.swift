/// Counts the badge of a user who has come and is in so many conversations that this may take several turns.
final class BadgeCount: Chore {
    let user: User
    private unowned let badges: Badges
    private let memberships: [Member]
    private var place = 0

    init(of user: User, _ badges: Badges) {
        self.user = user
        self.badges = badges
        memberships = user.memberships
    }

    /// The membership to look at; nil at the end. Those that begin meanwhile have nothing unread at first.
    var next: Member? { place < memberships.count ? memberships[place] : nil }

    func goOn() { place += 1 }

    func work(_ steps: inout Int) -> Bool { badges.goOn(self, &steps) }
}
