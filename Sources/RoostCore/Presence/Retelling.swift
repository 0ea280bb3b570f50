import DequeModule
import RoostWire

/// Users whose sessions have to get others' states again, because what they may see of each other has changed. Each
/// user waits once, however often that happens.
struct Retellings {
    /// The others whose states a user has to get again. It is stored in the user, but only this type changes it.
    struct Wanted {
        fileprivate var isListed = false
        fileprivate var isEverybody = false
        fileprivate var others = OrderedTable<UserNumber, User>()
    }

    /// Each with the moment since when it waits, oldest first.
    private var listed = Deque<(user: User, at: Int64)>()
    /// Number of those that have waited for their tick; the others wait for the next.
    private var due = 0
    private var current: Retelling?

    /// Whether there is anything to send.
    var hasNews: Bool { due > 0 || current != nil }

    /// Lists the user's sessions to get the states of these others again; nil for all that they see.
    mutating func add(_ others: [User]?, to user: User, at now: Int64) {
        if let others {
            for other in others { user.retold.others[other.number] = other }
        } else {
            user.retold.isEverybody = true
        }
        guard !user.retold.isListed else { return }
        user.retold.isListed = true
        listed.append((user, now))
    }

    /// Whether the user's sessions are about to get the state of this one again.
    func areWanted(by user: User, of other: UserNumber) -> Bool {
        user.retold.isEverybody || user.retold.others[other] != nil
    }

    /// A tick has come.
    /// - Parameter isDue: whether users who wait since this moment are due.
    mutating func begin(_ isDue: (Int64) -> Bool) {
        while due < listed.count, isDue(listed[due].at) { due += 1 }
    }

    /// Since when the first user waits that isn't due; nil if there is none.
    var nextAt: Int64? { due < listed.count ? listed[due].at : nil }

    /// Continues with the first of them.
    mutating func goOn(_ steps: inout Int, _ tell: (Session, User) -> Void) {
        if current == nil, let user = listed.popFirst()?.user {
            due -= 1
            current = Retelling(of: user.retold.isEverybody ? nil : user.retold.others.values, to: user)
            user.retold = Wanted()
        }
        if current?.goOn(&steps, tell) ?? true { current = nil }
    }
}

/// Sends others' states to a user's sessions again. One step for each session and user.
private struct Retelling {
    /// nil: all users that the session sees.
    private let others: [User]?
    private let sessions: [Session]
    private var session = 0
    /// The users that the session sees, and the next of them.
    private var listed: [User]?
    private var place = 0

    /// - Parameter others: nil for all that the user sees.
    init(of others: [User]?, to user: User) {
        self.others = others
        sessions = user.sessions
    }

    /// Returns whether all are done.
    mutating func goOn(_ steps: inout Int, _ tell: (Session, User) -> Void) -> Bool {
        while session < sessions.count {
            if listed == nil {
                listed = others ?? everybody(whom: sessions[session])
                // Listing them takes a little, too, and the list may be empty.
                steps -= 1 + (listed?.count ?? 0) / 16
            }
            let users = listed ?? []
            while place < users.count {
                guard steps > 0 else { return false }
                steps -= 1
                tell(sessions[session], users[place])
                place += 1
            }
            session += 1
            (listed, place) = (nil, 0)
        }
        return true
    }

    /// In a fixed order, so that a simulated run can be repeated.
    private func everybody(whom session: Session) -> [User] {
        let watched = session.presence.watching.values.map(\.user).sorted { $0.number.value < $1.number.value }
        let peers = session.user?.peers.values.filter { session.presence.watching[$0.number] == nil } ?? []
        return watched + peers
    }
}
