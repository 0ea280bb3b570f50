/// The presence of a user that a watcher is shown. Idle counts like active here: the harness only judges who is
/// present.
enum ShownPresence: Sendable {
    case offline
    case away
    case online

    var isPresent: Bool { self != .offline }
}

/// Decides whether watchers are shown the truth about users, and times changes. It owns who is present (as the caller
/// reports sessions) and what each pair of watcher and user was shown last. Loop thread only. Times are the caller's,
/// in nanoseconds.
final class PresenceLedger {
    /// A device of the user that is connected or in its grace.
    struct Stay {
        var device: Int
        /// Until when it counts as present; `.max` while it is connected.
        var until: UInt64
        /// From when the relay may have counted it as gone.
        var earliest: UInt64
    }

    struct User {
        var stays: [Stay] = []
        /// The user is present in `since..<until`, and offline before and after. `until` is `.max` while a device is
        /// connected.
        var since: UInt64 = 0
        var until: UInt64 = 0
        var earliest: UInt64 = 0
        /// The caller doesn't know, so nothing is judged.
        var isUnsure = false
        var pairs: [Int32] = []
        /// When the user's pairs are checked next.
        var checkAt = UInt64.max
    }

    struct Pair {
        var user: Int
        var isWatching = false
        /// When the watching began.
        var began: UInt64 = 0
        /// The presence shown last; nil if nothing yet.
        var shown: ShownPresence?
        /// The change that was timed last.
        var timed = UInt64.max
        /// The present mistake is counted already.
        var isWrong = false
    }

    var faults = FaultCounts()
    var users: [User]
    var pairs: [Pair] = []
    var due = DueQueue()
    let grace: UInt64
    let attention: Attention

    /// - Parameters:
    ///   - users: number of users, with indexes from 0. All are offline.
    ///   - grace: ns for which a user still counts as present after a drop.
    ///   - attention: when the caller wasn't looking. That time doesn't count as shown wrongly.
    init(users: Int, grace: UInt64, attention: Attention = Attention()) {
        self.attention = attention
        self.users = Array(repeating: User(), count: users)
        self.grace = grace
    }

    /// Adds a pair that isn't watching yet.
    /// - Returns: its index, the next from 0.
    func addPair(of user: Int) -> Int {
        users[user].pairs.append(Int32(pairs.count))
        pairs.append(Pair(user: user))
        return pairs.count - 1
    }

    /// Checks the user's pairs at this time, unless they are checked earlier anyway.
    func check(_ user: Int, at time: UInt64) {
        guard time < users[user].checkAt else { return }
        users[user].checkAt = time
        due.push(UInt64(user), at: time)
    }
}
