import RoostWire

/// The invitations of one user, in the order in which they were made. Loop thread only.
struct Invites {
    struct Entry {
        let id: String
        var stored: StoredInvite
    }

    private(set) var all: [Entry] = []
    /// Groups that the user waits to be let into.
    private(set) var requests: [Entry] = []
    /// Made lately, groups asked for, and codes tried that are none.
    var made = Spending()
    var asked = Spending()
    var guessed = Spending()

    var isEmpty: Bool { all.isEmpty && requests.isEmpty }

    subscript(id: String) -> StoredInvite? { (all.first { $0.id == id } ?? requests.first { $0.id == id })?.stored }

    fileprivate mutating func put(_ stored: StoredInvite?, as id: String) {
        if (stored ?? self[id])?.isRequest == true {
            Invites.put(stored, as: id, in: &requests)
        } else {
            Invites.put(stored, as: id, in: &all)
        }
    }

    private static func put(_ stored: StoredInvite?, as id: String, in list: inout [Entry]) {
        guard let place = list.firstIndex(where: { $0.id == id }) else {
            if let stored { list.append(Entry(id: id, stored: stored)) }
            return
        }
        if let stored { list[place].stored = stored } else { list.remove(at: place) }
    }
}

/// All invitations by the hashes of their codes. Loop thread only.
final class InviteTable {
    /// A user who joins a group.
    private struct Joining: Hashable {
        let user: UserNumber
        let conversation: ConversationNumber
    }

    private var makers: [[UInt8]: (user: UserNumber, id: String)] = [:]
    /// Ids of requests to join, by group and user.
    private var requests: [ConversationNumber: [UserNumber: String]] = [:]
    /// Invitations by which users join groups, until that is stored. No more than events that wait for the store.
    private var joinings: [Joining: (maker: User, id: String)] = [:]

    /// Takes over what is stored.
    func load(_ invite: Snapshot.Invite, of user: User?) {
        guard let user else { return }
        user.contacts.invites.put(invite.stored, as: invite.id)
        note(invite.stored, as: invite.id, of: user)
    }

    /// The maker of the invitation, and its id, if there is one.
    func find(_ hash: [UInt8]) -> (user: UserNumber, id: String)? { makers[hash] }

    /// The invitation of the user is this from now on; nil if there is none of this id any more.
    func set(_ id: String, of user: User, to stored: StoredInvite?, _ journal: Journal) {
        if let before = user.contacts.invites[id] { forget(before, of: user) }
        user.contacts.invites.put(stored, as: id)
        if let stored { note(stored, as: id, of: user) }
        journal.store(.invite(user.number, id: id, stored))
    }

    private func note(_ stored: StoredInvite, as id: String, of user: User) {
        if stored.isRequest {
            requests[stored.conversation, default: [:]][user.number] = id
        } else {
            makers[stored.hash] = (user.number, id)
        }
    }

    private func forget(_ stored: StoredInvite, of user: User) {
        guard stored.isRequest else { return makers[stored.hash] = nil }
        requests[stored.conversation]?[user.number] = nil
        if requests[stored.conversation]?.isEmpty == true { requests[stored.conversation] = nil }
    }

    /// Users who wait to join a group, and the ids of their requests.
    func waiting(for group: ConversationNumber) -> [(user: UserNumber, id: String)] {
        (requests[group] ?? [:]).sorted { $0.key.value < $1.key.value }.map { ($0.key, $0.value) }
    }

    /// Number of requests for a group, including those that have ended and were not forgotten yet.
    func waitingCount(_ group: ConversationNumber) -> Int { requests[group]?.count ?? 0 }

    /// The request of a user; nil if it doesn't wait.
    func request(of user: User, for group: ConversationNumber) -> Invites.Entry? {
        guard let id = requests[group]?[user.number], let stored = user.contacts.invites[id] else { return nil }
        return Invites.Entry(id: id, stored: stored)
    }

    /// The invitation is opened once more.
    func use(_ id: String, of maker: User, _ journal: Journal) { count(id, of: maker, 1, journal) }

    /// The same by a user who joins a group, which isn't stored yet.
    func use(_ id: String, of maker: User, joining group: Conversation, by user: User, _ journal: Journal) {
        count(id, of: maker, 1, journal)
        joinings[Joining(user: user.number, conversation: group.number)] = (maker, id)
    }

    /// The outcome of a user's joining a group is known. If it wasn't stored it doesn't count.
    func settle(_ user: UserNumber, joining group: ConversationNumber, isStored: Bool, _ journal: Journal) {
        guard !joinings.isEmpty,
            let (maker, id) = joinings.removeValue(forKey: Joining(user: user, conversation: group))
        else { return }
        if !isStored { count(id, of: maker, -1, journal) }
    }

    private func count(_ id: String, of maker: User, _ change: Int, _ journal: Journal) {
        guard var stored = maker.contacts.invites[id] else { return }
        stored.used += change
        set(id, of: maker, to: stored, journal)
    }

    /// Ends all of the user's.
    func endAll(of user: User, _ journal: Journal) {
        for one in user.contacts.invites.all + user.contacts.invites.requests {
            set(one.id, of: user, to: nil, journal)
        }
    }
}
