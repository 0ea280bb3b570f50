import RoostStore
import Synchronization

/// Finds people by their address, for signed-in users. It is off unless the operator wants it: a user who may ask can
/// find out which addresses have accounts, and their names. Any thread may use it.
package final class UserLookup: Sendable {
    private let accounts: Accounts
    private let isOn: Bool
    private let attempts: Mutex<AttemptLimit>

    /// - Parameter isOn: false refuses all look-ups.
    package init(_ accounts: Accounts, isOn: Bool) {
        self.accounts = accounts
        self.isOn = isOn
        let limits = accounts.limits
        attempts = Mutex(
            AttemptLimit(attemptsMax: limits.lookups, seconds: limits.lookupSeconds, keysMax: limits.attemptKeys))
    }

    /// The caller with this access token, if look-ups are on.
    func caller(_ token: String?) async throws(ServiceFault) -> Accounts.Caller {
        let caller = try await accounts.caller(token)
        guard isOn else { throw ServiceFault(.notFound, "this server looks nobody up (accounts.lookup)") }
        return caller
    }

    /// The account of exactly this address. Accounts with an unproven address aren't found: another person could have
    /// signed up with it, and would get the messages. Suspended ones aren't, either.
    func find(address: String?, by caller: Accounts.Caller) async throws(ServiceFault) -> Account {
        let email = try accounts.settings.rules.address(address)
        let now = accounts.clock.now()
        if let wait = attempts.withLock({ $0.admit(Array(caller.user.utf8), now: now) }) {
            accounts.counts.refused(by: .lookup)
            throw ServiceFault(.rateLimited, "too many look-ups", retryAfter: wait)
        }
        let found = try await accounts.database.read { database throws(LocalFailure) in
            try AccountTable.find(email: email, database)
        }
        guard let account = found, account.isVerified, !account.isSuspended else {
            throw ServiceFault(.userNotFound, "nobody has this address")
        }
        return account
    }
}
