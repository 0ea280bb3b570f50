/// What a watcher is shown of a user. Idle and active are alike here: the harness only decides who is there.
enum ShownPresence: Sendable {
    case offline
    case away
    case online

    var isPresent: Bool { self != .offline }
}

/// Decides whether what watchers are shown of users is true, and times changes. It owns who is there, by what the
/// caller tells of sessions, and what each pair of watcher and user was shown last. On the loop's thread only. Times
/// are the caller's, in nanoseconds; a caller that read nothing for long has to read what waits before it sweeps.
final class PresenceLedger {
    /// One device of a user, connected or in its grace.
    struct Stay {
        var device: Int
        /// It counts as there until then: `.max` while it is connected.
        var until: UInt64
        /// The relay may have counted it as gone since then.
        var earliest: UInt64
    }

    struct User {
        var stays: [Stay] = []
        /// Present in `since..<until`; `.max` while a device is connected. Before and after it is offline.
        var since: UInt64 = 0
        var until: UInt64 = 0
        var earliest: UInt64 = 0
        /// The caller doesn't know: nothing is judged.
        var isUnsure = false
        var pairs: [Int32] = []
        /// When its pairs are looked at next.
        var checkAt = UInt64.max
    }

    struct Pair {
        var user: Int
        var isWatching = false
        /// Since this moment.
        var began: UInt64 = 0
        /// nil: nothing was shown yet.
        var shown: ShownPresence?
        /// The change that was timed last.
        var timed = UInt64.max
        /// Counted already, until it is right again.
        var isWrong = false
    }

    var faults = FaultCounts()
    var users: [User]
    var pairs: [Pair] = []
    var due = DueQueue()
    let grace: UInt64

    /// - Parameters:
    ///   - users: how many; indexes from 0. All are offline.
    ///   - grace: ns for which a user counts as there after a drop.
    init(users: Int, grace: UInt64) {
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

    /// Looks at the user's pairs then, unless that is done before anyway.
    func check(_ user: Int, at time: UInt64) {
        guard time < users[user].checkAt else { return }
        users[user].checkAt = time
        due.push(UInt64(user), at: time)
    }
}
