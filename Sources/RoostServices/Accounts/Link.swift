import RoostStore

/// A one-time link: a bearer credential.
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

/// The links with which a new server begins: one for its owner, and one for a friend. Any process that may read the
/// data folder can make them, so that a lost one costs nothing.
package struct FirstLinks: Sendable {
    let database: ServicesDatabase
    let limits: ServicesLimits
    let clock: WallClock
    /// The beginning of links.
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
        try await make(.owner, seconds: limits.linkSeconds, keep: limits.linksMax).address
    }

    /// Makes a link to a new account, valid for a week.
    package func friend() async throws(ServiceFault) -> String {
        try await make(.friend, seconds: limits.friendLinkSeconds, keep: limits.friendLinksMax).address
    }

    /// Makes a link to sign in to an existing account, valid for half an hour: for a friend who came by a link and has
    /// lost the session, or an operator who has to sign in anew.
    /// - Parameter operator: the caller, for the audit log.
    /// - Throws: `userNotFound` if there is no such account, `conflict` if it is suspended.
    func entry(of user: String, by operator: String) async throws(ServiceFault) -> (address: String, expires: Int64) {
        let (now, rows) = (clock.now(), limits.auditRows)
        let act = AuditEntry(actor: `operator`, act: .link, user: user)
        return try await make(.entry, of: user, seconds: limits.linkSeconds, keep: limits.linksMax) {
            database throws(LocalFailure) in
            guard let account = try AccountTable.find(user: user, database) else { return FirstLinks.unknown }
            // It would be useless now, and valid for half an hour after the account is resumed.
            guard !account.isSuspended else { return FirstLinks.suspended }
            try AuditTable.insert(act, now: now, keep: rows, database)
            return nil
        }
    }

    private static let unknown = ServiceFault(
        .userNotFound, "there is no account of this user; one that was deleted doesn't come back")
    private static let suspended = ServiceFault(
        .conflict, "the account is suspended, and a link would let nobody in; resume it first")

    private func make(
        _ purpose: LinkPurpose, of user: String? = nil, seconds: Int64, keep: Int,
        check: @Sendable (LocalDatabase) throws(LocalFailure) -> ServiceFault? = { _ in nil }
    ) async throws(ServiceFault) -> (address: String, expires: Int64) {
        let (secret, hash) = Link.make()
        let expires = clock.now() + seconds * 1_000
        let fault: ServiceFault? = try await database.write { database throws(LocalFailure) in
            if let fault = try check(database) { return fault }
            try LinkTable.insert(hash, user: user, purpose: purpose, expires: expires, keep: keep, database)
            return nil
        }
        if let fault { throw fault }
        // The page takes it as the owner's, which asks for no name either.
        return (Link.address(page, purpose == .entry ? .owner : purpose, secret), expires)
    }
}
