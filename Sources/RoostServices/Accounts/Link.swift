import RoostStore

/// A link that is good once: whoever has it is who it is for.
enum Link {
    /// A link's secret, and what is stored of it.
    static func make() -> (secret: String, hash: [UInt8]) {
        let secret = RefreshToken.randomText()
        return (secret, RefreshToken.hash(secret))
    }

    /// Where it leads. The secret is behind the `#`, which browsers send to no server.
    static func address(_ page: String, _ purpose: LinkPurpose, _ secret: String) -> String {
        "\(page)/#\(purpose.rawValue)=\(secret)"
    }
}

/// The links with which a new server begins: one for who runs it, and one for a friend. They are made by whoever may
/// read the data folder, so that a lost one costs nothing.
package struct FirstLinks: Sendable {
    let database: ServicesDatabase
    let limits: ServicesLimits
    let clock: WallClock
    /// What links begin with.
    let page: String

    /// On the services' file.
    package init(database: ServicesDatabase, limits: ServicesLimits, clock: WallClock, page: String) {
        self.database = database
        self.limits = limits
        self.clock = clock
        self.page = page
    }

    /// Whether the owner has an account.
    package func hasOwner() async throws(ServiceFault) -> Bool {
        try await database.read { database throws(LocalFailure) in try AccountTable.owner(database) != nil }
    }

    /// A link by which the owner signs in, for half an hour. The first one makes the owner's account.
    package func owner() async throws(ServiceFault) -> String {
        try await make(.owner, seconds: limits.linkSeconds, keep: limits.linksMax)
    }

    /// A link by which somebody gets an account, for a week.
    package func friend() async throws(ServiceFault) -> String {
        try await make(.friend, seconds: limits.friendLinkSeconds, keep: limits.friendLinksMax)
    }

    /// A link by which somebody signs in who has an account, for half an hour: a friend who came by a link and has lost
    /// the session, or who wants to choose a password after the first ten minutes.
    /// - Throws: `userNotFound` if there is no such account.
    package func entry(of user: String) async throws(ServiceFault) -> String {
        let (now, rows) = (clock.now(), limits.auditRows)
        let act = AuditEntry(actor: "@operator", act: .link, user: user)
        return try await make(.entry, of: user, seconds: limits.linkSeconds, keep: limits.linksMax) {
            database throws(LocalFailure) in
            guard try AccountTable.find(user: user, database) != nil else { return false }
            try AuditTable.insert(act, now: now, keep: rows, database)
            return true
        }
    }

    private func make(
        _ purpose: LinkPurpose, of user: String? = nil, seconds: Int64, keep: Int,
        check: @Sendable (LocalDatabase) throws(LocalFailure) -> Bool = { _ in true }
    ) async throws(ServiceFault) -> String {
        let (secret, hash) = Link.make()
        let expires = clock.now() + seconds * 1_000
        let isMade = try await database.write { database throws(LocalFailure) in
            guard try check(database) else { return false }
            try LinkTable.insert(hash, user: user, purpose: purpose, expires: expires, keep: keep, database)
            return true
        }
        guard isMade else { throw ServiceFault(.userNotFound, "there is no such user") }
        // The page takes it as the owner's, which asks for no name either.
        return Link.address(page, purpose == .entry ? .owner : purpose, secret)
    }
}
