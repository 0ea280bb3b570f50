import RoostWire

/// A contact, or an invitation, of two users. Both hold it in their `Contacts`. Loop thread only.
final class Contact {
    let pair: UserPair
    // Both have it, and are not forgotten while they do.
    unowned let low: User
    unowned let high: User
    private(set) var stored: StoredContact

    /// - Parameter stored: its sides belong to the users in the order of their numbers.
    init(_ one: User, _ other: User, _ stored: StoredContact) {
        pair = UserPair(one.number, other.number)
        (low, high) = pair.low == one.number ? (one, other) : (other, one)
        self.stored = stored
    }

    /// The one who isn't this user.
    func other(than user: User) -> User { user === low ? high : low }

    /// This user's relation to the other.
    func kind(of user: User) -> String { (user === low ? stored.low : stored.high).kind }

    /// This user's note about the other.
    func label(by user: User) -> String { (user === low ? stored.low : stored.high).label }

    /// The state, as this user sees it.
    func state(for user: User) -> ContactState { stored.state(for: user.number) }

    /// Whether both want it.
    var isAccepted: Bool { stored.inviter == nil }

    /// Whether it is hidden from the user, who had blocked the inviter.
    func isWithheld(from user: User) -> Bool { stored.isWithheld && stored.inviter != user.number }

    /// It is no longer withheld: the inviter has invited again, who isn't blocked any more. If it has opened a link of
    /// the other one, it sees a contact already, and goes on seeing one.
    func show(at time: Timestamp) {
        if stored.isByLink { beAccepted(at: time) } else { stored.isWithheld = false }
    }

    /// Notes the relation that a user gives who answers an invitation that it doesn't know of.
    func note(kind: String, of user: User, other: String) {
        let isLow = user === low
        stored.low.kind = isLow ? kind : other
        stored.high.kind = isLow ? other : kind
    }

    fileprivate func accept(at time: Timestamp) {
        stored.isWithheld = false
        stored.isByLink = false
        stored.inviter = nil
        stored.since = time
    }

    /// Sets this user's note about the other.
    func note(_ label: String, by user: User) {
        if user === low { stored.low.label = label } else { stored.high.label = label }
    }
}

extension StoredContact {
    /// The state, as this user sees it.
    func state(for user: UserNumber) -> ContactState {
        guard let inviter, !(isByLink && inviter == user) else { return .accepted }
        return inviter == user ? .sent : .received
    }
}

/// The contacts of one user, with open invitations, in the order of the other users' numbers: one that comes or goes
/// doesn't move the others, so that a list can be paged. One is found by halving, and comes or goes by a short move of
/// memory. Loop thread only.
struct Contacts {
    private var numbers: [UserNumber] = []
    private(set) var all: [Contact] = []
    /// Number of those that wait for the other's answer.
    private(set) var sent = 0
    /// Number of those that wait for the user's answer.
    private(set) var received = 0
    /// People that the user has written down and who aren't users yet.
    var prospects = Prospects()
    /// Conversations that wait to be accepted.
    var requests = Requests()
    /// Invitations that the user has sent lately.
    var invited = Spending()
    /// Links by which others become contacts, or join a group.
    var invites = Invites()

    /// Those that the user wants, too.
    var own: Int { all.count - received }
    /// Whether there is no contact, no prospect and no invitation.
    var isEmpty: Bool { all.isEmpty && prospects.isEmpty && invites.isEmpty }

    subscript(other: UserNumber) -> Contact? {
        let place = place(of: other)
        return place < numbers.count && numbers[place] == other ? all[place] : nil
    }

    /// Those behind the user with this number.
    func rest(after number: UserNumber) -> ArraySlice<Contact> {
        all[place(of: UserNumber(number.value == .max ? .max : number.value + 1))...]
    }

    /// The first place whose number isn't lower.
    private func place(of number: UserNumber) -> Int {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle].value < number.value { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate mutating func add(_ contact: Contact, of user: User) {
        let other = contact.other(than: user).number
        let place = place(of: other)
        numbers.insert(other, at: place)
        all.insert(contact, at: place)
        count(contact.state(for: user), 1)
    }

    fileprivate mutating func remove(_ contact: Contact, of user: User) {
        let other = contact.other(than: user).number
        let place = place(of: other)
        guard place < numbers.count, numbers[place] == other else { return }
        numbers.remove(at: place)
        all.remove(at: place)
        count(contact.state(for: user), -1)
    }

    fileprivate mutating func count(_ state: ContactState, _ difference: Int) {
        switch state {
        case .accepted: break
        case .sent: sent += difference
        case .received: received += difference
        }
    }
}

/// Changes of a contact, which both users have.
extension Contact {
    /// Both users have it from now on.
    func begin() {
        low.contacts.add(self, of: low)
        high.contacts.add(self, of: high)
    }

    /// Neither has it any more.
    func end() {
        low.contacts.remove(self, of: low)
        high.contacts.remove(self, of: high)
    }

    /// Both want it.
    func beAccepted(at time: Timestamp) {
        for user in [low, high] { user.contacts.count(state(for: user), -1) }
        accept(at: time)
    }

    /// The inviter has opened a link of the other one, who has blocked it: it sees a contact, and the other nothing.
    func beTaken(by inviter: User, at time: Timestamp) {
        inviter.contacts.count(state(for: inviter), -1)
        stored.isByLink = true
        stored.since = time
    }

}
