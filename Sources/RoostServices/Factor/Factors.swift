import Logging
import RoostStore

/// The second step of signing in: codes of an authenticator app, and recovery codes in their place. It knows no HTTP.
/// Any thread may use it.
package final class Factors: Sendable {
    let accounts: Accounts
    private let seal: FactorSeal
    private let guesses: FactorGuesses

    /// Creates the factors of these accounts.
    package init(_ accounts: Accounts) {
        self.accounts = accounts
        seal = FactorSeal(accounts.keys.secret)
        guesses = FactorGuesses(accounts)
    }

    private var database: ServicesDatabase { accounts.database }
    private var limits: ServicesLimits { accounts.limits }

    // MARK: State

    /// The factor as its owner sees it.
    struct State: Sendable, Equatable {
        /// When it was turned on; nil if it is off.
        var since: Int64?
        /// Recovery codes that are left.
        var codes = 0
        /// Whether the account is an operator's, and operators need one here.
        var isRequired = false
    }

    func state(of caller: Accounts.Caller) async throws(ServiceFault) -> State {
        let account = try await accounts.account(of: caller)
        let (factor, codes) = try await database.read { database throws(LocalFailure) in
            (try FactorTable.find(caller.user, database), try FactorTable.codes(caller.user, database))
        }
        let since = factor.flatMap { $0.since > 0 ? $0.since : nil }
        let isRequired = account.isOperator && accounts.settings.operatorsNeedFactor
        return State(since: since, codes: codes, isRequired: isRequired)
    }

    // MARK: Turning on

    /// A secret that waits for its first code.
    struct Offer: Sendable, Equatable {
        /// In base 32, as people type it.
        var secret: String
        /// The same for a QR code.
        var address: String
        var expires: Int64
    }

    /// Makes a secret, once the caller has shown who they are. Nothing is asked for before a code is shown.
    func begin(of caller: Accounts.Caller, password: String?) async throws(ServiceFault) -> Offer {
        let account = try await accounts.account(of: caller)
        guard !account.hasFactor else { throw Factors.isOn }
        try await accounts.confirm(caller, account, by: password)
        let secret = RandomName.bytes(TOTP.secretBytes)
        let (sealed, now) = (try seal.sealed(secret, of: account.user), accounts.clock.now())
        let isBegun = try await database.write { database throws(LocalFailure) in
            // The account may have been deleted meanwhile.
            guard try AccountTable.find(user: account.user, database) != nil else { return false }
            return try FactorTable.begin(account.user, sealed, now: now, database)
        }
        guard isBegun else { throw Factors.isOn }
        return Offer(
            secret: TOTP.base32(secret), address: TOTP.address(secret, of: account.email ?? account.name),
            expires: now + limits.offerSeconds * 1_000)
    }

    /// Turns it on by its first code. All other sessions end, and so do links to sign in: no code was shown for them.
    /// - Returns: the recovery codes, which can't be read again.
    func turnOn(of caller: Accounts.Caller, code: String?) async throws(ServiceFault) -> [String] {
        guard case .totp(let typed) = try FactorCode(code) else {
            throw .invalid("code", "must be \(TOTP.digits) digits of the app")
        }
        let codes = newCodes(of: caller.user)
        let (now, oldest) = (accounts.clock.now(), accounts.clock.now() - limits.offerSeconds * 1_000)
        let outcome: Outcome = try await guess(caller.user) { database throws(LocalFailure) in
            guard let factor = try FactorTable.find(caller.user, database), factor.since == 0, factor.created >= oldest
            else { return .missing }
            guard let step = self.step(of: typed, factor, caller.user) else { return .wrong }
            try FactorTable.turnOn(caller.user, step: step, now: now, database)
            try FactorTable.setCodes(caller.user, codes.digests, database)
            _ = try SessionTable.endAll(caller.user, except: caller.sid, now: now, database)
            for purpose in LinkPurpose.waysIn { try LinkTable.deleteAll(caller.user, purpose, database) }
            return .right
        }
        guard outcome == .right else {
            throw outcome == .missing ? ServiceFault(.conflict, "begin again: there is no new secret") : .wrongCode
        }
        accounts.wakeRelay()
        await accounts.send(.guarded, to: try await accounts.account(of: caller), link: nil)
        return codes.texts
    }

    // MARK: Changing

    /// New recovery codes, in place of those that are left.
    func renewCodes(
        of caller: Accounts.Caller, password: String?, code: String?
    ) async throws(ServiceFault) -> [String] {
        let (account, typed) = try await confirmed(caller, password, code)
        let codes = newCodes(of: account.user)
        try await check(typed, account) { database throws(LocalFailure) in
            try FactorTable.setCodes(account.user, codes.digests, database)
        }
        return codes.texts
    }

    /// Turns it off, by the password and a code. Operators can't, where they need one.
    func turnOff(of caller: Accounts.Caller, password: String?, code: String?) async throws(ServiceFault) {
        let (account, typed) = try await confirmed(caller, password, code)
        guard !account.isOperator || !accounts.settings.operatorsNeedFactor else {
            throw ServiceFault(.conflict, "operators need a second factor here (accounts.operator_factor)")
        }
        try await check(typed, account) { database throws(LocalFailure) in
            try FactorTable.delete(account.user, database)
        }
        try await database.forget()
        await accounts.send(.unguarded, to: account, link: nil)
    }

    private func confirmed(
        _ caller: Accounts.Caller, _ password: String?, _ code: String?
    ) async throws(ServiceFault) -> (account: Account, code: FactorCode) {
        let typed = try FactorCode(code)
        let account = try await accounts.account(of: caller)
        guard account.hasFactor else { throw ServiceFault(.conflict, "there is no second factor") }
        try await accounts.confirm(caller, account, by: password)
        return (account, typed)
    }

    private func check(
        _ code: FactorCode, _ account: Account, _ change: @Sendable (LocalDatabase) throws(LocalFailure) -> Void
    ) async throws(ServiceFault) {
        let outcome: Outcome = try await guess(account.user) { database throws(LocalFailure) in
            guard try self.take(code, of: account.user, database) else { return .wrong }
            try change(database)
            return .right
        }
        guard outcome == .right else { throw .wrongCode }
    }

    // MARK: Signing in

    /// The second step.
    /// - Parameter ticket: what the first step gave.
    func signIn(
        by ticket: String?, code: String?, device: String?, client: String
    ) async throws(ServiceFault) -> Accounts.Tokens {
        guard let ticket else { throw .invalid("ticket", "is required") }
        let typed = try FactorCode(code)
        let device = try accounts.settings.rules.device(device)
        try guesses.admit(client: client)
        let (hash, now) = (RefreshToken.hash(ticket), accounts.clock.now())
        let found: Account? = try await database.read { database throws(LocalFailure) in
            guard let user = try LinkTable.user(hash, .factor, now: now, database) else { return nil }
            return try AccountTable.find(user: user, database)
        }
        guard let account = found else { throw Factors.ended }
        let (session, tokens) = try accounts.begin(account, device: device)
        let keep = limits.sessionsMax
        let outcome: Outcome = try await guess(account.user) { database throws(LocalFailure) in
            // Another request may have used it, or a new password may have ended it.
            guard try LinkTable.isGood(hash, .factor, now: now, database) else { return .missing }
            guard try self.take(typed, of: account.user, database) else { return .wrong }
            _ = try LinkTable.take(hash, .factor, now: now, database)
            try SessionTable.insert(session, keep: keep, database)
            return .right
        }
        guard outcome == .right else { throw outcome == .missing ? Factors.ended : .wrongCode }
        guesses.forgive(client: client)
        accounts.wakeRelay()
        if case .recovery = typed { await accounts.send(.recovered, to: account, link: nil) }
        return tokens
    }

    // MARK: Codes

    private enum Outcome: Sendable {
        case right, wrong
        /// The factor or ticket no longer exists. It doesn't count as a guess.
        case missing
    }

    /// Counts a guess, and has it judged in one transaction with what follows from it.
    private func guess(
        _ user: String, _ body: @Sendable (LocalDatabase) throws(LocalFailure) -> Outcome
    ) async throws(ServiceFault) -> Outcome {
        try guesses.admit(user)
        let outcome: Outcome
        do throws(ServiceFault) { outcome = try await database.write(body) } catch {
            guesses.giveBack(user)
            throw error
        }
        switch outcome {
        case .right: guesses.forget(user)
        case .wrong: break
        case .missing: guesses.giveBack(user)
        }
        return outcome
    }

    /// Uses a code up. Returns whether it was good.
    private func take(_ code: FactorCode, of user: String, _ database: LocalDatabase) throws(LocalFailure) -> Bool {
        guard let factor = try FactorTable.find(user, database), factor.since > 0 else { return false }
        switch code {
        case .recovery(let code):
            return try FactorTable.takeCode(user, code.digest(of: user, accounts.keys), database)
        case .totp(let typed):
            guard let step = step(of: typed, factor, user) else { return false }
            try FactorTable.setStep(user, step, database)
            return true
        }
    }

    // A secret that can't be opened has no codes: after `keys/` was deleted, only an operator can reset the factor.
    private func step(of typed: String, _ factor: Factor, _ user: String) -> Int64? {
        guard let secret = seal.opened(factor.sealed, of: user) else {
            accounts.log.warning("a second factor can't be read by these keys", metadata: ["user": "\(user)"])
            return nil
        }
        return TOTP.step(of: typed, secret, now: accounts.clock.seconds, after: factor.step)
    }

    private func newCodes(of user: String) -> (texts: [String], digests: [[UInt8]]) {
        let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode() }
        return (codes.map(\.text), codes.map { $0.digest(of: user, accounts.keys) })
    }

    private static let isOn = ServiceFault(.conflict, "there is a second factor; turn it off first")
    private static let ended = ServiceFault(.signInAgain, "that took too long, or was done before; sign in again")
}
