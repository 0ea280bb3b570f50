import RoostWire

/// Finds the next users that the asker may find, in the order of the matching names. If all users may be found, it
/// walks the index. Otherwise it looks at the asker's acquaintances: they are few, and it meets no other users.
final class FindRequest: Chore {
    /// A user, and what it is found by.
    struct Hit {
        let key: FoldedName
        let user: User

        fileprivate func isBehind(_ other: (key: FoldedName, number: UserNumber)) -> Bool {
            key == other.key ? user.number.value > other.number.value : key > other.key
        }
    }

    /// The page.
    struct Page {
        fileprivate(set) var hits: [Hit] = []
        /// Whether there are more behind it.
        fileprivate(set) var hasMore = false
        /// Whether users may have been passed over, because too many had to be looked at.
        fileprivate(set) var isPartial = false
    }

    /// The query.
    struct Question {
        let prefix: FoldedName
        /// Only users behind this one.
        let after: (key: FoldedName, number: UserNumber)?
        let limit: Int
        /// Most users and members that are looked at.
        let looks: Int
    }

    private let question: Question
    private let asker: User
    private let directory: Directory
    private let profiles: Profiles
    private let done: (Page) -> Void
    private var page = Page()
    private var looksLeft: Int
    /// Where the walk of the index goes on: behind this entry.
    private var passed: (key: FoldedName, number: UserNumber)?
    private let contacts: [Contact]
    private var contact = 0
    private let memberships: [Member]
    private var conversation = 0
    private var member = 0

    init(
        _ question: Question, for asker: User, _ directory: Directory, _ profiles: Profiles,
        _ done: @escaping (Page) -> Void
    ) {
        self.question = question
        self.asker = asker
        self.directory = directory
        self.profiles = profiles
        self.done = done
        looksLeft = question.looks
        passed = question.after
        contacts = asker.contacts.all
        memberships = asker.memberships
    }

    func work(_ steps: inout Int) -> Bool {
        let isDone = directory.policy.directoryRule == .contacts ? lookAround(&steps) : walk(&steps)
        guard isDone else { return false }
        // A turn may have passed since the first of them was found.
        page.hits.removeAll { !isFound($0) }
        done(page)
        return true
    }

    /// Whether the user is still found by this.
    private func isFound(_ hit: Hit) -> Bool {
        hit.user.profile?.keys.contains(hit.key) == true && !directory.policy.hidesProfile(of: hit.user, from: asker)
    }

    private var isExact: Bool { directory.policy.directoryRule == .exact }

    private func takeLook(_ steps: inout Int) -> Bool {
        steps -= 1
        looksLeft -= 1
        page.isPartial = looksLeft < 0
        return looksLeft >= 0
    }

    // MARK: The index

    private func walk(_ steps: inout Int) -> Bool {
        // It may have changed since the turn before.
        var place =
            passed.map { profiles.index.start(behind: $0.key, $0.number) }
            ?? profiles.index.start(at: question.prefix)
        while let entry = profiles.index[place], entry.name.begins(with: question.prefix) {
            guard steps > 0 else { return false }
            // Those that are the same stand first.
            if isExact, entry.name != question.prefix { return true }
            guard takeLook(&steps) else { return true }
            passed = (entry.name, entry.user)
            place = profiles.index.place(after: place)
            guard let hit = hit(entry.user), hit.key == entry.name else { continue }
            guard page.hits.count < question.limit else {
                page.hasMore = true
                return true
            }
            page.hits.append(hit)
        }
        return true
    }

    private func hit(_ number: UserNumber) -> Hit? {
        guard let user = directory.user(number), user !== asker, let profile = user.profile,
            !directory.policy.hidesProfile(of: user, from: asker)
        else { return nil }
        guard !isExact else {
            return profile.isWholly(question.prefix) ? Hit(key: question.prefix, user: user) : nil
        }
        return profile.key(beginningWith: question.prefix).map { Hit(key: $0, user: user) }
    }

    // MARK: Acquaintances of the asker

    private func lookAround(_ steps: inout Int) -> Bool {
        while contact < contacts.count {
            guard steps > 0 else { return false }
            guard takeLook(&steps) else { return true }
            if contacts[contact].isAccepted { note(contacts[contact].other(than: asker)) }
            contact += 1
        }
        while conversation < memberships.count {
            let shared = memberships[conversation].conversation
            let members = directory.policy.showsPeople(of: shared, to: asker) ? shared.members : []
            while member < members.count {
                guard steps > 0 else { return false }
                guard takeLook(&steps) else { return true }
                let user = members[member].user
                member += 1
                if user.profile?.key(beginningWith: question.prefix) != nil { note(user) }
            }
            (conversation, member) = (conversation + 1, 0)
        }
        return true
    }

    /// Keeps the first ones, in order, each once.
    private func note(_ user: User) {
        guard let hit = hit(user.number) else { return }
        if let after = question.after, !hit.isBehind(after) { return }
        var (low, high) = (0, page.hits.count)
        while low < high {
            let middle = (low + high) / 2
            if hit.isBehind((page.hits[middle].key, page.hits[middle].user.number)) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        if low < page.hits.count, page.hits[low].user === user { return }
        page.hits.insert(hit, at: low)
        if page.hits.count > question.limit {
            page.hits.removeLast()
            page.hasMore = true
        }
    }
}
