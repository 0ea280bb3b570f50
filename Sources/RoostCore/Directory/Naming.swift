import RoostWire

/// A user named in a command: a known one, or a name that has never been used. Where identities come from outside, a
/// user may be written to before connecting for the first time.
enum NamedUser {
    case known(User)
    case unknown(String)

    /// Nil if the user is unknown.
    var known: User? {
        if case .known(let user) = self { user } else { nil }
    }

    /// The user's name.
    var name: String {
        switch self {
        case .known(let user): user.name
        case .unknown(let name): name
        }
    }
}

/// The users named in commands, and the bounds on adding them to conversations. A command is judged wholly before a
/// user is made for it.
struct Naming {
    /// The amounts that a user has spent on naming others.
    struct Spent {
        /// Number of unknown users named lately, and of users added to conversations.
        fileprivate var introduced = Spending()
        fileprivate var added = Spending()
    }

    private let directory: Directory
    private var bounds: Directory.Bounds { directory.bounds }

    init(_ directory: Directory) { self.directory = directory }

    /// The user that a person means by this name: the user of this id or, if there is none, of this username.
    func person(named name: Text) -> User? { directory.user(named: name) ?? directory.usernames.user(shownAs: name) }

    /// Whether the name of a conversation leads to the same one as long as that is there. A username may be another
    /// user's with the next command.
    func stays(_ conversation: Text) -> Bool { conversation.peer.map { directory.user(named: $0) != nil } ?? true }

    /// The user of this id or username.
    func find(_ name: Text) -> NamedUser { person(named: name).map(NamedUser.known) ?? .unknown(name.string) }

    /// The users of these names, each once, in the order in which they are named first.
    func find(_ names: [Text]) -> [NamedUser] {
        directory.counters.steps += names.count
        var known = Set<UserNumber>(minimumCapacity: names.count)
        var unknown: Set<String> = []
        return names.compactMap { name in
            let found = find(name)
            let isNew =
                switch found {
                case .known(let user): known.insert(user.number).inserted
                case .unknown(let name): unknown.insert(name).inserted
                }
            return isNew ? found : nil
        }
    }

    // MARK: Unknown names

    /// Whether there is a user of this name. Where unknown names are refused, it isn't enough that another user has
    /// named it before: that would reveal their relation.
    func isThere(_ named: NamedUser) -> Bool {
        directory.policy.rules.unknown == .allow || named.known?.isMet == true
    }

    /// Checks that there is a user of each of these names, or may be. The gate has been asked before, so that behind a
    /// closed one a name that doesn't exist gets the same answer as a stranger's.
    /// - Throws: `not_found`.
    func checkThere(_ named: [NamedUser]) throws(Refusal) {
        guard named.allSatisfy(isThere) else { throw Refusal(.notFound, "nobody here has one of these names") }
    }

    // MARK: Bounds

    /// Checks that the user may open a conversation. It counts against the user's bound until another user has acted in
    /// it, also after the user has left it: the other one didn't ask for it.
    /// - Throws: `too_large`, or `busy` while numbers are being leased.
    func checkOpening(by user: User) throws(Refusal) {
        try directory.conversationNumbers.check(1, retryMilliseconds: bounds.retryMilliseconds)
        try checkOwn(of: user)
        guard user.unanswered < bounds.unansweredPerUser else {
            throw Refusal(
                .tooLarge, "you have opened \(bounds.unansweredPerUser) conversations in which nobody has answered")
        }
    }

    /// Checks that the user may come back into a conversation by a command of its own.
    /// - Throws: `too_large`.
    func checkOwn(of user: User) throws(Refusal) {
        guard user.ownConversations + user.opening < bounds.conversationsPerUser else {
            throw Refusal(
                .tooLarge, "you are in \(bounds.conversationsPerUser) conversations that you opened or answered")
        }
    }

    /// Checks that the user may put these others into a group.
    /// - Throws: `no_relationship` or `too_large`.
    func checkAdding(_ others: [NamedUser], by user: User) throws(Refusal) {
        for case .known(let other) in others {
            try directory.policy.checkMeeting(of: user, with: other)
            try checkRoom(for: other, putBy: user)
        }
    }

    /// Checks that the user may join a group by an invitation. It counts as one of the user's own.
    /// - Throws: `too_large`.
    func checkJoining(by user: User) throws(Refusal) {
        try checkOwn(of: user)
        guard user.conversations.count + user.conversationsJoining < bounds.membershipsPerUser else {
            throw Refusal(.tooLarge, "you are in \(bounds.membershipsPerUser) conversations")
        }
    }

    /// Checks that the user may be added to another group. Conversations that others open don't count against the
    /// user's own bound. Strangers are refused beyond a higher one, so that they can't add a user to any number of
    /// groups.
    /// - Throws: `too_large`.
    func checkRoom(for user: User, putBy other: User) throws(Refusal) {
        guard
            user.conversations.count - user.contacts.requests.received + user.conversationsJoining
                >= bounds.membershipsPerUser,
            directory.direct(user, other)?.member(user.number)?.isOwn != true
        else { return }
        throw Refusal(
            .tooLarge,
            "\(user.name) is in \(bounds.membershipsPerUser) conversations; only those whom it wrote to can add it")
    }

    // MARK: Making

    /// Makes the unknown ones of the users that `user` adds to a conversation. The last check of a command: nothing is
    /// made before all others have passed.
    /// - Throws: `not_found` if unknown names are refused; `rate_limited` if the user has named too many unknown users,
    ///   or added too many, in the last hour; `busy` or `too_large` if the store can't take that many.
    func introduce(_ named: [NamedUser], by user: User, at now: Moment) throws(Refusal) -> [User] {
        try checkThere(named)
        let unknown = try checkUnknown(named)
        if let wait = user.spent.naming.added.spend(Int64(named.count), of: bounds.additions, at: now.monotonic) {
            throw Refusal(
                .rateLimited, "you have put \(bounds.additions.burst) users into conversations within an hour",
                retryAfterMilliseconds: wait)
        }
        return try make(named, unknown: unknown, by: user, at: now)
    }

    /// Makes the unknown ones of the users that `user` names without adding them anywhere. Otherwise like `introduce`.
    func name(_ named: [NamedUser], by user: User, at now: Moment) throws(Refusal) -> [User] {
        try checkThere(named)
        return try make(named, unknown: try checkUnknown(named), by: user, at: now)
    }

    /// The same for one user.
    func name(_ named: NamedUser, by user: User, at now: Moment) throws(Refusal) -> User {
        let users = try name([named], by: user, at: now)
        guard let named = users.first else { preconditionFailure("each named user is found or made") }
        return named
    }

    /// Checks that the store can take the unknown ones. Returns how many they are.
    private func checkUnknown(_ named: [NamedUser]) throws(Refusal) -> Int {
        let unknown = named.reduce(0) { $0 + ($1.known == nil ? 1 : 0) }
        if unknown > 0 {
            try directory.journal.checkIntroductions(unknown)
            try directory.userNumbers.check(unknown, retryMilliseconds: bounds.retryMilliseconds)
        }
        return unknown
    }

    private func make(
        _ named: [NamedUser], unknown: Int, by user: User, at now: Moment
    ) throws(Refusal) -> [User] {
        if unknown > 0,
            let wait = user.spent.naming.introduced.spend(Int64(unknown), of: bounds.introductions, at: now.monotonic)
        {
            throw Refusal(
                .rateLimited, "you have named \(bounds.introductions.burst) unknown users within an hour",
                retryAfterMilliseconds: wait)
        }
        var users: [User] = []
        for one in named {
            switch one {
            case .known(let user): users.append(user)
            case .unknown(let name): users.append(try directory.introduce(name))
            }
        }
        return users
    }
}

extension Spending.Rate {
    /// This amount an hour, all of which may be spent at once.
    init(hourly amount: Int) { self.init(amount: Int64(amount), milliseconds: 3_600_000, burst: Int64(amount)) }
}
