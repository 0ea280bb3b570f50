import Crypto
import Foundation
import Logging
import RoostAuth
import RoostWire
import Synchronization

/// Signing in with providers: OpenID Connect's code flow for browsers, and identity tokens from apps. It verifies
/// identities elsewhere; `Identities` maps them to accounts. Sign-ins that have begun are in memory, since a person who
/// is interrupted begins again. Any thread may use it.
package final class OpenID: Sendable {
    /// An operator's settings.
    package struct Settings: Sendable {
        package var providers: [IdentityProvider] = []
        /// Where browsers find this process.
        package var ownURL = "http://127.0.0.1:8081"
        /// The page that browsers come back to.
        package var pageURL = "http://127.0.0.1:8080"
        package var bounds = OpenIDBounds()

        /// No provider.
        package init() {}
    }

    /// A provider, and what is known of its issuer.
    struct Party: Sendable {
        let provider: IdentityProvider
        let issuer: Issuer
    }

    /// A sign-in that a browser has begun.
    struct Flow: Sendable {
        var provider: String
        /// SHA-256 of a secret that only the page which began it has. Otherwise an attacker could have another browser
        /// finish the attacker's sign-in, and its user would write into the attacker's account.
        var challenge: [UInt8]
        /// The nonce that must be in the identity token.
        var nonce: String
        /// The verifier that the provider wants with its code (RFC 7636).
        var verifier: String
    }

    /// A sign-in that came back from the provider.
    struct Return: Sendable {
        /// The stage of the sign-in. A code can be exchanged once, so its result is kept while a name is asked for.
        enum Stage: Sendable {
            case code(String, name: String?)
            /// The provider has taken the code, and given this for it.
            case granted(Issuer.Grant, name: String?)
            case proven(ProvenIdentity)

            /// Bytes that keeping it takes.
            var bytes: Int {
                switch self {
                case .code(let code, _): code.utf8.count
                case .granted(let grant, _): grant.bytes
                case .proven: 0
                }
            }
        }

        var flow: Flow
        var stage: Stage
        /// Number of times that the provider couldn't be asked.
        var tries = 0
        /// Milliseconds since 1970.
        var expires: Int64
    }

    let parties: [Party]
    let settings: Settings
    let clock: WallClock
    let log: Logger
    private let flows: Mutex<OneTimeTable<Flow>>
    private let returns: Mutex<OneTimeTable<Return>>

    /// - Parameter send: how requests leave.
    init(
        _ settings: Settings, rule: EndpointRule, clock: WallClock, log: Logger, send: @escaping Issuer.Send
    ) {
        let bounds = settings.bounds
        self.settings = settings
        self.clock = clock
        self.log = log
        parties = settings.providers.map { provider in
            Party(
                provider: provider,
                issuer: Issuer(
                    name: provider.id, url: provider.issuer, rule: rule, bounds: bounds, clock: clock, log: log,
                    send: send))
        }
        flows = Mutex(OneTimeTable(seconds: bounds.flowSeconds, most: bounds.flowsMax))
        returns = Mutex(OneTimeTable(seconds: bounds.flowSeconds, most: bounds.flowsMax))
    }

    func party(_ id: String?) throws(ServiceFault) -> Party {
        guard let party = parties.first(where: { $0.provider.id == id }) else {
            throw ServiceFault(.notFound, "there is no such provider")
        }
        return party
    }

    /// Forgets what was begun and not finished.
    package func clean() {
        let now = clock.now()
        flows.withLock { $0.deleteOld(now: now) }
        returns.withLock { $0.deleteOld(now: now) }
    }

    private func callback(_ provider: IdentityProvider) -> String {
        "\(settings.ownURL)/v1/openid/\(provider.id)/callback"
    }

    // MARK: In a browser

    /// Begins a sign-in. Returns where the browser goes.
    /// - Parameter challenge: SHA-256, in base64url, of a secret of the page.
    func begin(_ id: String?, challenge: String?) async throws(ServiceFault) -> String {
        let party = try party(id)
        guard !party.provider.client.isEmpty else {
            throw ServiceFault(.notFound, "this provider is for apps only")
        }
        guard let challenge = challenge.flatMap({ Base64URL.decode($0) }), challenge.count == SHA256.byteCount else {
            throw .invalid("challenge", "must be the SHA-256 of a secret, in base64url")
        }
        let document = try await party.issuer.document()
        let (state, nonce, verifier) = (RefreshToken.randomText(), RefreshToken.randomText(), RefreshToken.randomText())
        let flow = Flow(provider: party.provider.id, challenge: challenge, nonce: nonce, verifier: verifier)
        let now = clock.now()
        flows.withLock { $0.insert(flow, RefreshToken.hash(state), now: now) }
        let query =
            [
                ("response_type", "code"), ("client_id", party.provider.client),
                ("redirect_uri", callback(party.provider)), ("state", state), ("nonce", nonce),
                ("code_challenge", Base64URL.encode(RefreshToken.hash(verifier))), ("code_challenge_method", "S256"),
            ] + party.provider.query
        let joint = document.authorization.contains("?") ? "&" : "?"
        return document.authorization + joint + FormFields.encoded(query)
    }

    /// Takes what the browser brings back from the provider. Returns where it goes: to the page, with a code that is
    /// good once behind `#`, which browsers send to no server. Nothing is asked of the provider before the page has
    /// shown that it began this.
    func comeBack(_ id: String?, _ fields: FormFields) throws(ServiceFault) -> String {
        let party = try party(id)
        let now = clock.now()
        guard let state = fields["state"],
            let flow = flows.withLock({ $0.take(RefreshToken.hash(state), now: now) }),
            flow.provider == party.provider.id,
            // Another issuer than the one that the browser was sent to (RFC 9207).
            fields["iss"].map(party.provider.issuers.contains) ?? true
        else { return page("openid-error", ServiceFault.Code.identityRefused.rawValue) }
        guard fields["error"] == nil, let code = fields["code"],
            (1...settings.bounds.codeBytes).contains(code.utf8.count)
        else { return page("openid-error", "denied") }
        let secret = RefreshToken.randomText()
        let stage = Return.Stage.code(code, name: party.provider.answersByForm ? AppleUser.name(fields["user"]) : nil)
        let found = Return(flow: flow, stage: stage, expires: now + settings.bounds.flowSeconds * 1_000)
        returns.withLock { $0.insert(found, RefreshToken.hash(secret), now: now, expires: found.expires) }
        return page("openid", secret)
    }

    /// The page with something behind `#`.
    func page(_ name: String, _ value: String) -> String { "\(settings.pageURL)/#\(name)=\(value)" }

    /// Has the page redeem its code: `body` does something with who it is. If that fails, such as by a name that is
    /// missing, the code stays good, and the provider isn't asked a second time.
    func redeem<Result: Sendable>(
        _ code: String?, verifier: String?, _ body: (ProvenIdentity) async throws(ServiceFault) -> Result
    ) async throws(ServiceFault) -> Result {
        guard let code else { throw .invalid("code", "is required") }
        guard let verifier else { throw .invalid("verifier", "is required") }
        let (hash, now) = (RefreshToken.hash(code), clock.now())
        guard var found = returns.withLock({ $0.take(hash, now: now) }),
            found.flow.challenge == RefreshToken.hash(verifier)
        else { throw .identityRefused }
        var isSpent = false
        defer {
            let kept = found
            if !isSpent { returns.withLock { $0.insert(kept, hash, now: now, expires: kept.expires) } }
        }
        let proven: ProvenIdentity
        do throws(ServiceFault) { proven = try await prove(&found) } catch {
            // A short outage of the provider doesn't lose the sign-in. But it isn't asked again and again, either.
            found.tries += 1
            isSpent =
                !error.code.isPassing || found.tries >= settings.bounds.redeemTries
                || found.stage.bytes > settings.bounds.keptBytes
            throw error
        }
        let result = try await body(proven)
        isSpent = true
        return result
    }

    /// Goes as far as it can; what was reached stays in `found`, so that a provider is asked for nothing twice.
    private func prove(_ found: inout Return) async throws(ServiceFault) -> ProvenIdentity {
        let party = try party(found.flow.provider)
        if case .code(let code, let name) = found.stage {
            let proof = try party.provider.proof(of: party.provider.client, now: clock.seconds)
            let more = [("redirect_uri", callback(party.provider)), ("code_verifier", found.flow.verifier)]
            let grant: Issuer.Grant
            do throws(ServiceFault) { grant = try await party.issuer.redeem(code, by: proof, more: more) } catch {
                if error.code == .identityRefused { refuse("code", by: party.provider) }
                throw error
            }
            found.stage = .granted(grant, name: name)
        }
        if case .granted(let grant, let name) = found.stage {
            found.stage = .proven(try await proven(grant, name: name, party, nonce: found.flow.nonce))
        }
        guard case .proven(let proven) = found.stage else { throw .identityRefused }
        return proven
    }

    private func proven(
        _ grant: Issuer.Grant, name: String?, _ party: Party, nonce: String
    ) async throws(ServiceFault) -> ProvenIdentity {
        guard let text = grant.identityToken else {
            refuse("id_token", by: party.provider)
            throw Issuer.unavailable
        }
        var identity = try await identity(text, of: party, clients: [party.provider.client], nonce: .exact(nonce))
        // Some issuers give only the subject in the token, and the rest there (OpenID Connect Core 1.0, section 5.4).
        if identity.email == nil, let token = grant.accessToken,
            let said = try await party.issuer.user(by: token),
            let user = said.withUnsafeBytes({ JSONMembers(parsing: $0) })
        {
            // Section 5.3.2: otherwise it may be another person's.
            guard user.string("sub") == identity.subject else {
                refuse("sub at the userinfo endpoint", by: party.provider)
                throw .identityRefused
            }
            identity.addAddress(user, isTrusted: party.provider.trustsAddresses)
        }
        identity.name = identity.name ?? name
        let kept = party.provider.keepsGrants ? grant.refreshToken : nil
        return ProvenIdentity(identity: identity, grant: kept.map { .token($0) } ?? .none)
    }

    /// Logs the faulty part, and not its value: the person only learns to begin again, so the operator needs the
    /// reason.
    private func refuse(_ claim: String, by provider: IdentityProvider) {
        log.notice("a sign-in was refused", metadata: ["provider": "\(provider.id)", "claim": "\(claim)"])
    }

    // MARK: In an app

    /// Verifies an identity token that an app got from the provider's own library.
    /// - Parameter code: Apple's authorization code beside it.
    func prove(
        _ id: String?, token: String?, nonce: String?, code: String?
    ) async throws(ServiceFault) -> ProvenIdentity {
        let party = try party(id)
        guard let token else { throw .invalid("identityToken", "is required") }
        guard let nonce, !nonce.isEmpty else { throw .invalid("nonce", "is required") }
        let clients = [party.provider.client] + party.provider.apps
        let identity = try await identity(token, of: party, clients: clients, nonce: .hashed(nonce))
        guard party.provider.keepsGrants, let code else { return ProvenIdentity(identity: identity) }
        return ProvenIdentity(identity: identity, grant: .code(code, provider: party.provider.id))
    }

    /// The token to revoke when the identity is deleted; nil if there is none. An app's code can be exchanged once, so
    /// this comes last.
    func refreshToken(of proven: ProvenIdentity) async throws(ServiceFault) -> String? {
        switch proven.grant {
        case .none: return nil
        case .token(let token): return token
        case .code(let code, let provider):
            let party = try party(provider)
            let proof = try party.provider.proof(of: proven.identity.client, now: clock.seconds)
            return try await party.issuer.redeem(code, by: proof, more: []).refreshToken
        }
    }

    private func identity(
        _ text: String, of party: Party, clients: [String], nonce: IdentityRules.Nonce
    ) async throws(ServiceFault) -> Identity {
        let rules = IdentityRules(
            issuers: party.provider.issuers, clients: clients.filter { !$0.isEmpty },
            trusted: party.provider.audiences, trustsAddresses: party.provider.trustsAddresses, nonce: nonce,
            now: clock.seconds, bounds: settings.bounds)
        let token: IdentityToken
        do throws(ClaimRefusal) { token = try IdentityToken(text, bytesMax: settings.bounds.tokenBytes) } catch {
            refuse(error.claim, by: party.provider)
            throw .identityRefused
        }
        guard let key = try await party.issuer.key(of: token) else {
            refuse("kid", by: party.provider)
            throw .identityRefused
        }
        do throws(ClaimRefusal) { return try rules.identity(try token.claims(by: key)) } catch {
            refuse(error.claim, by: party.provider)
            throw .identityRefused
        }
    }
}

/// A verified identity elsewhere, and the grant of its provider. A value.
struct ProvenIdentity: Sendable {
    /// The grant to end when the identity is deleted.
    enum Grant: Sendable {
        case none
        case token(String)
        case code(String, provider: String)
    }

    var identity: Identity
    var grant = Grant.none
}
