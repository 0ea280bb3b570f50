import RoostStore

/// The subject of a link to confirm an address: the account that asks for it. It is shown before the address is
/// confirmed, because another person may have signed up with it. A value.
struct Confirmation: Sendable, Equatable {
    var email: String
    /// The display name of that account.
    var name: String
    /// When it was asked for, in milliseconds since 1970.
    var asked: Int64

    /// Reads it. The link stays good.
    /// - Throws: `badLink`, if it was used or is too old.
    init(token: String?, of accounts: Accounts) async throws(ServiceFault) {
        guard let token else { throw .invalid("token", "is required") }
        let (link, now) = (RefreshToken.hash(token), accounts.clock.now())
        let found: (account: Account, expires: Int64)? = try await accounts.database.read {
            database throws(LocalFailure) in
            guard let (user, expires) = try LinkTable.find(link, .verify, now: now, database),
                let account = try AccountTable.find(user: user, database)
            else { return nil }
            return (account, expires)
        }
        guard let found, let email = found.account.email else { throw Accounts.badLink }
        self.email = email
        name = found.account.name
        asked = found.expires - accounts.limits.linkSeconds * 1_000
    }
}
