import RoostWire

/// The profile of one user. A user has one from the first change on, and only `Profiles` changes it. Loop thread only.
final class Profile {
    /// The stored profile, which others see. Its version is 0 as long as none is stored.
    fileprivate(set) var stored: StoredProfile
    /// The profile once everything under way is stored: the next change is judged by it.
    fileprivate(set) var latest: StoredProfile
    /// The names that a search finds the user by.
    fileprivate(set) var keys: [FoldedName] = []
    /// Whether a change is about to be sent to others.
    var isListed = false

    init(_ stored: StoredProfile) {
        self.stored = stored
        latest = stored
    }

    /// The first of the keys that begin with a prefix.
    func key(beginningWith prefix: FoldedName) -> FoldedName? {
        var first: FoldedName?
        for key in keys where key.begins(with: prefix) && first.map({ key < $0 }) ?? true { first = key }
        return first
    }

    /// Whether this is all of the name, or the username.
    func isWholly(_ name: FoldedName) -> Bool {
        !stored.name.isEmpty && keys.first == name || !stored.username.isEmpty && FoldedName(stored.username) == name
    }

    /// Whether others may be shown something of it.
    var isShown: Bool { stored.version > 0 }
}

/// Profiles that change: it judges changes, keeps usernames unique, and notes a change once it is stored. No viewer
/// gets what a crash could take back, because a version stands for one content. Loop thread only.
final class Profiles {
    /// The limits of this part.
    struct Bounds {
        /// Words of a display name by which a user is found.
        let words: Int

        init(_ limits: Limits) { words = limits.nameWords }
    }

    private let bounds: Bounds
    private let directory: Directory
    private let journal: Journal
    private(set) var index: NameIndex

    /// Takes over the profiles of all users.
    init(_ bounds: Bounds, _ directory: Directory) {
        self.bounds = bounds
        self.directory = directory
        journal = directory.journal
        var entries: [NameIndex.Entry] = []
        for user in directory.everybody {
            guard let profile = user.profile else { continue }
            profile.keys = FoldedName.keys(of: profile.stored, atMost: bounds.words)
            entries += profile.keys.map { NameIndex.Entry($0, of: user.number) }
            if !profile.stored.username.isEmpty {
                directory.usernames.insert(user, named: profile.stored.username)
            }
        }
        index = NameIndex(entries)
    }

    // MARK: Judging

    /// The profile after a change.
    /// - Parameters:
    ///   - isGiven: by a service or an operator: then the user is known from now on, even if nothing is given.
    ///   - isDeleted: true if the user leaves for good, false if it comes back; nil if neither.
    /// - Returns: nil if it is the same.
    /// - Throws: `conflict` if the profile has another version, `username_taken`, and `gone` if the user has left.
    func judge(
        _ change: ProfileChange, isGiven: Bool, _ isDeleted: Bool?, of user: User
    ) throws(Refusal) -> StoredProfile? {
        let latest = user.profile?.latest ?? StoredProfile(version: 0)
        if let version = change.ifVersion, version != latest.version {
            throw Refusal(.conflict, "ifVersion: the profile has version \(latest.version)")
        }
        var next = latest
        if isDeleted == true {
            guard !latest.isDeleted else { return nil }
            next = .tombstone(version: latest.version)
        } else {
            if latest.isDeleted, isDeleted == nil { throw Refusal(.gone, "the user has left for good") }
            next.isDeleted = false
            next = next.changed(by: change)
            if next.username != latest.username { try checkFree(next.username, for: user) }
        }
        guard next != latest || isGiven && latest.version == 0 else { return nil }
        next.version += 1
        return next
    }

    /// Checks that no other user has the username, nor the id: an id is found first, so the username would lead to
    /// another user. A name that was only mentioned by another user is free.
    private func checkFree(_ username: String, for user: User) throws(Refusal) {
        let called = directory.user(called: username).flatMap { $0.hasAccount ? $0 : nil }
        let others = [directory.usernames[username], called]
        guard others.allSatisfy({ $0 == nil || $0 === user }) else {
            throw Refusal(.usernameTaken, "username: somebody else has it")
        }
    }

    // MARK: Storing

    /// Has the profile stored, after `judge`. `isStored` follows when that is done.
    func store(_ next: StoredProfile, of user: User) {
        let profile = user.profile ?? Profile(StoredProfile(version: 0))
        user.profile = profile
        if profile.latest.username != next.username {
            if !profile.latest.username.isEmpty { directory.usernames.remove(profile.latest.username) }
            if !next.username.isEmpty { directory.usernames.insert(user, named: next.username) }
        }
        profile.latest = next
        journal.store(.profile(user.number, next))
    }

    /// The profile is stored: from now on it is what others are shown.
    func isStored(_ next: StoredProfile, of user: User) {
        guard let profile = user.profile else { return }
        for key in profile.keys { index.remove(NameIndex.Entry(key, of: user.number)) }
        profile.stored = next
        profile.keys = FoldedName.keys(of: next, atMost: bounds.words)
        for key in profile.keys { index.insert(NameIndex.Entry(key, of: user.number)) }
    }
}
