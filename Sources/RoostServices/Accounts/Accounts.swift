import Crypto
import Foundation
import Logging
import RoostStore
import Synchronization

/// Accounts, and their sign-ins. It joins the database, the hashing threads, the keys and the limits, and knows no
/// HTTP. Any thread may use it.
package final class Accounts: Sendable {
    /// An operator's settings.
    package struct Settings: Sendable {
        package var rules = PersonRules()
        /// Lifetime of access tokens, in seconds.
        package var accessSeconds: Int64 = 3_600
        /// Lifetime of a refresh token, in days.
        package var refreshDays: Int64 = 60
        /// The beginning of links in mails.
        package var publicURL = "http://127.0.0.1:8080"
        /// Most accounts.
        package var accountsMax = 1_000_000
        /// Whether the messages of a deleted account are erased.
        package var erasesMessages = false
        /// Whether operators are none without a second factor.
        package var operatorsNeedFactor = false

        /// The defaults.
        package init() {}
    }

    let settings: Settings
    let limits: ServicesLimits
    let clock: WallClock
    let database: ServicesDatabase
    let hashes: HashPool
    let keys: KeyRing
    let mail: any MailSender
    let log: Logger
    /// Whether there is room for one more account.
    let room: AccountRoom
    /// Counts of sign-ins, for the metrics.
    let counts = EntryCounts()
    private let attempts: Mutex<Attempts>
    // Forgotten passwords are looked up after the answer, so that it says nothing about who has an account.
    private let forgotten: AsyncStream<Forgotten>.Continuation
    private let forgottenRequests: AsyncStream<Forgotten>
    /// Called when there is something to send to the relay.
    let wakeRelay: @Sendable () -> Void

    struct Forgotten: Sendable {
        var address: String
    }

    private struct Attempts {
        /// Failures of an account, and of a session.
        var byFailure: AttemptLimit
        /// Right passwords, too: each takes a thread for a while.
        var byCheck: AttemptLimit
        var byClient: NetworkAttempts
        /// Counts mails of one purpose with a link to an address, which any client can cause.
        var byReader: AttemptLimit
    }

    /// Nothing runs until `run()`.
    package init(
        settings: Settings, limits: ServicesLimits, clock: WallClock, database: ServicesDatabase, hashes: HashPool,
        keys: KeyRing, mail: any MailSender, log: Logger, wakeRelay: @escaping @Sendable () -> Void = {}
    ) {
        self.settings = settings
        self.limits = limits
        self.clock = clock
        self.database = database
        self.hashes = hashes
        self.keys = keys
        self.mail = mail
        self.log = log
        self.wakeRelay = wakeRelay
        func limit(_ most: Int) -> AttemptLimit {
            AttemptLimit(attemptsMax: most, seconds: limits.attemptSeconds, keysMax: limits.attemptKeys)
        }
        attempts = Mutex(
            Attempts(
                byFailure: limit(limits.accountFailures), byCheck: limit(limits.accountChecks),
                byClient: NetworkAttempts(limits), byReader: limit(limits.letters)))
        room = AccountRoom(most: settings.accountsMax)
        (forgottenRequests, forgotten) = AsyncStream.makeStream(
            of: Forgotten.self, bufferingPolicy: .bufferingOldest(limits.forgottenQueue))
    }

    // MARK: Chores

    /// Looks up forgotten passwords until the task is cancelled.
    package func run() async {
        for await request in forgottenRequests {
            do throws(ServiceFault) { try await sendReset(to: request.address) } catch {
                log.error("a forgotten password couldn't be looked up", metadata: ["code": "\(error.code.rawValue)"])
            }
        }
    }

    /// Deletes what has ended, and sees how many hashes of Firebase's there are still.
    package func clean() async throws(ServiceFault) {
        let now = clock.now()
        let (oldest, oldestOffer) = (now - limits.auditDays * 86_400_000, now - limits.offerSeconds * 1_000)
        try await database.write { database throws(LocalFailure) in
            try FactorTable.deleteOld(before: oldestOffer, database)
            try AuditTable.deleteOld(before: oldest, database)
            try SessionTable.deleteOld(now: now, database)
            try LinkTable.deleteOld(now: now, database)
            try RevocationTable.deleteOld(now: now, database)
        }
        try await database.forgetRest()
        room.recount()
        let firebase = try await database.read { database throws(LocalFailure) in
            try AccountTable.firebaseHashes(database)
        }
        hashes.adaptDecoys(to: firebase.example, share: firebase.share)
    }

    func enqueue(_ request: Forgotten) throws(ServiceFault) {
        guard case .enqueued = forgotten.yield(request) else {
            throw ServiceFault(.busy, "too many requests wait", retryAfter: Int64(limits.busySeconds))
        }
    }

    // MARK: Attempts

    /// Counts an attempt of a client's address, and of the networks that it is in.
    /// - Returns: whether it is the only one of all of these in a while, so that it may use those places of the queue
    ///   of passwords that are kept.
    @discardableResult
    func admit(client: String) throws(ServiceFault) -> Bool {
        let keys = keys.digests(ofNetworks: client)
        let now = clock.now()
        switch attempts.withLock({ $0.byClient.admit(keys, now: now) }) {
        case .admitted(let isAlone): return isAlone
        case .refused(let wait):
            counts.refused(by: .address)
            throw ServiceFault(.rateLimited, "too many attempts from this address", retryAfter: wait)
        }
    }

    /// Counts a failure before it is known to be one, whether or not there is such an account.
    private func admit(_ guesser: Guesser) throws(ServiceFault) {
        let (failure, check) = guesser.digests(keys)
        let now = clock.now()
        let wait = attempts.withLock { attempts -> Int64? in
            if let wait = attempts.byFailure.admit(failure, now: now) { return wait }
            guard let wait = attempts.byCheck.admit(check, now: now) else { return nil }
            attempts.byFailure.giveBack(failure)
            return wait
        }
        guard let wait else { return }
        counts.refused(by: .account)
        throw ServiceFault(.rateLimited, "too many attempts for this account", retryAfter: wait)
    }

    /// It wasn't a failure.
    func forgive(client: String) {
        let keys = keys.digests(ofNetworks: client)
        attempts.withLock { $0.byClient.giveBack(keys) }
    }

    /// The account's owner was here: nothing is held against the account.
    func forgive(_ guesser: Guesser) {
        let (failure, _) = guesser.digests(keys)
        attempts.withLock { $0.byFailure.forget(failure) }
    }

    /// Counts a mail that any client can cause, whether or not there is such an account. Each purpose counts for
    /// itself: otherwise an attacker who asks for resets before a sign-up would hold back the mail of the sign-up.
    /// Mails that warn an owner aren't counted, so that no flood of these holds them back.
    /// - Returns: the seconds until the next one may be sent, if this one may not.
    func wait(beforeLetter purpose: Letter.Purpose, to email: String) -> Int64? {
        let key = keys.digest("letter \(purpose.rawValue) " + email)
        let now = clock.now()
        guard let wait = attempts.withLock({ $0.byReader.admit(key, now: now) }) else { return nil }
        log.debug("too many letters to one address, so one wasn't sent", metadata: ["purpose": "\(purpose.rawValue)"])
        return wait
    }

    /// The attempt wasn't carried out.
    private func giveBack(_ guesser: Guesser) {
        let (failure, check) = guesser.digests(keys)
        attempts.withLock { attempts in
            attempts.byFailure.giveBack(failure)
            attempts.byCheck.giveBack(check)
        }
    }

    /// Checks the password of an account, or of none, and counts failures.
    /// - Parameters:
    ///   - caller: who is signed in and confirms it; nil for a sign-in.
    ///   - mayUseReserve: whether it gets a place of the queue that is kept.
    /// - Returns: a new hash, if the old one is to be replaced.
    func check(
        _ password: String, of account: Account?, email: String, by caller: Caller? = nil, mayUseReserve: Bool = true
    ) async throws(ServiceFault) -> String? {
        let guesser = caller.map { Guesser.session(sid: $0.sid, user: $0.user) } ?? .stranger(email: email)
        try admit(guesser)
        let verdict: HashPool.Verdict
        do throws(ServiceFault) {
            verdict = try await hashes.verify(
                password, against: account?.hash, digest: keys.digest("decoy " + email),
                mayUseReserve: mayUseReserve)
        } catch {
            giveBack(guesser)
            throw error
        }
        guard verdict.isRight else { throw .invalidCredentials }
        forgive(guesser)
        return verdict.renewed
    }

    /// Has the caller prove the identity again: by the password or, if the account has none, by a recent sign-in. An
    /// account that came by a link and has neither address nor identity has no proof to give: it can't be signed in to
    /// again, so that asking would lock it to one browser for ever. An operator's account is never excepted: the holder
    /// of an old session of one would keep it for good, and a new link makes its owner fresh (decision 79).
    func confirm(_ caller: Caller, _ account: Account, by password: String?) async throws(ServiceFault) {
        if let email = account.email, account.hash != nil {
            _ = try await check(try settings.rules.password(password), of: account, email: email, by: caller)
            return
        }
        let (session, canSignIn): (Session?, Bool) = try await database.read { database throws(LocalFailure) in
            let identities = try IdentityTable.all(account.user, database)
            return (try SessionTable.find(caller.sid, database), account.email != nil || !identities.isEmpty)
        }
        guard canSignIn || account.isOperator || account.hasFactor else { return }
        guard let session, clock.now() - session.created <= limits.freshSeconds * 1_000 else {
            throw ServiceFault(.signInAgain, "sign in again first")
        }
    }

    // MARK: Tokens

    /// The tokens that a client gets when it signs in, and at each refresh.
    package struct Tokens: Sendable, Equatable {
        package var user: String
        package var device: String
        package var sid: String
        package var access: String
        /// Milliseconds since 1970.
        package var accessExpires: Int64
        package var refresh: String
        package var refreshExpires: Int64
    }

    /// A session that begins, and its first tokens.
    func begin(_ account: Account, device: String) throws(ServiceFault) -> (session: Session, tokens: Tokens) {
        guard !account.isSuspended else { throw .suspended }
        let now = clock.now()
        let sid = RandomName.session()
        let refresh = RefreshToken(sid: sid, keys: keys)
        let session = Session(
            sid: sid, user: account.user, device: device, current: refresh.hash, created: now, used: now,
            expires: now + familyRules.refreshLife, accessUntil: now + familyRules.accessLife)
        return (session, try tokens(of: session, refresh: refresh, isOperator: settings.isOperator(account)))
    }

    /// An access token for a session, beside its refresh token.
    func tokens(
        of session: Session, refresh: RefreshToken, isOperator: Bool
    ) throws(ServiceFault) -> Tokens {
        let issued = clock.seconds
        let token = AccessToken(
            user: session.user, device: session.device, sid: session.sid, isOperator: isOperator, issued: issued,
            expires: issued + settings.accessSeconds)
        return Tokens(
            user: session.user, device: session.device, sid: session.sid, access: try token.signed(by: keys),
            accessExpires: token.expires * 1_000, refresh: refresh.text, refreshExpires: session.expires)
    }

    var familyRules: RefreshFamily.Rules {
        RefreshFamily.Rules(
            refreshLife: settings.refreshDays * 86_400_000, accessLife: settings.accessSeconds * 1_000,
            grace: limits.refreshGraceSeconds * 1_000, renewalsMax: limits.refreshRenewals)
    }

    /// A link's secret, and what is stored of it.
    func newLink() -> (secret: String, hash: [UInt8]) { Link.make() }

    func address(_ purpose: LinkPurpose, _ secret: String) -> String {
        Link.address(settings.publicURL, purpose, secret)
    }
}
