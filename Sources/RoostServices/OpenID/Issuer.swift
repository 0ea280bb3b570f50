import Foundation
import Logging
import RoostWire

/// The document and the keys of one issuer, fetched when they are needed, and kept for a while. However many requests
/// need them, there is one fetch at a time, and clients can't cause fetches at will.
actor Issuer {
    /// Sends a request.
    typealias Send = @Sendable (OutgoingRequest) async throws(OutgoingFailure) -> OutgoingResponse

    private let name: String
    private let url: String
    private let rule: EndpointRule
    private let bounds: OpenIDBounds
    private let clock: WallClock
    private let log: Logger
    private let send: Send
    private var documents: Fetched<IssuerDocument>
    private var documentFetch: Task<IssuerDocument?, Never>?
    private var sets: Fetched<[IssuerKey]>
    private var setFetch: Task<[IssuerKey]?, Never>?

    /// - Parameters:
    ///   - name: the provider, for the log.
    ///   - url: the issuer, as its document and its tokens must say it.
    init(
        name: String, url: String, rule: EndpointRule, bounds: OpenIDBounds, clock: WallClock, log: Logger,
        send: @escaping Send
    ) {
        self.name = name
        self.url = url
        self.rule = rule
        self.bounds = bounds
        self.clock = clock
        self.log = log
        self.send = send
        documents = Fetched(bounds)
        sets = Fetched(bounds)
    }

    static let unavailable = ServiceFault(
        .unavailable, "the provider can't be reached, or says what can't be used", retryAfter: 30)

    // MARK: The document

    /// The issuer's document.
    func document() async throws(ServiceFault) -> IssuerDocument {
        if let known = documents.fresh(now: clock.now()) { return known }
        if let new = await newDocument() { return new }
        guard let old = documents.stale(now: clock.now()) else { throw Issuer.unavailable }
        return old
    }

    private func newDocument() async -> IssuerDocument? {
        if let fetch = documentFetch { return await fetch.value }
        guard documents.mayFetch(now: clock.now()) else { return nil }
        let fetch = Task { await fetchDocument() }
        documentFetch = fetch
        return await fetch.value
    }

    private func fetchDocument() async -> IssuerDocument? {
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        let document = await body(of: base + "/.well-known/openid-configuration").flatMap { bytes in
            let read = IssuerDocument(bytes, issuer: url, rule: rule)
            if read == nil { warn("its discovery document can't be used, or names another issuer") }
            return read
        }
        documents.take(document, now: clock.now())
        documentFetch = nil
        return document
    }

    // MARK: The keys

    /// The key that a token says it was signed with; nil if the issuer has no such key for the token's algorithm.
    func key(of token: IdentityToken) async throws(ServiceFault) -> IssuerKey? {
        func find(_ keys: [IssuerKey]) -> IssuerKey? {
            keys.first { $0.kid == token.kid && $0.algorithm == token.algorithm }
        }
        if let known = sets.fresh(now: clock.now()) {
            // The issuer may have a new key. One fetch answers that, for all requests that come meanwhile and for a
            // while after.
            if let key = find(known) { return key }
            return await newSet(isForUnknownKey: true).flatMap(find)
        }
        if let new = await newSet(isForUnknownKey: false) { return find(new) }
        guard let old = sets.stale(now: clock.now()) else { throw Issuer.unavailable }
        return find(old)
    }

    private func newSet(isForUnknownKey: Bool) async -> [IssuerKey]? {
        if let fetch = setFetch { return await fetch.value }
        guard sets.mayFetch(now: clock.now()) else { return nil }
        if isForUnknownKey { sets.pause(now: clock.now()) }
        let fetch = Task { await fetchSet() }
        setFetch = fetch
        return await fetch.value
    }

    private func fetchSet() async -> [IssuerKey]? {
        var set: [IssuerKey]?
        if let document = try? await document(), let bytes = await body(of: document.keys) {
            set = IssuerKey.keys(ofSet: bytes, most: bounds.keysMax)
            if set == nil { warn("its key set can't be read") }
        }
        sets.take(set, now: clock.now())
        setFetch = nil
        return set
    }

    // MARK: Requests

    /// Fetches an address; nil if there is nothing. Redirects aren't followed: keys come from the address in the
    /// document.
    private func body(of address: String) async -> [UInt8]? {
        let request = OutgoingRequest("GET", address, headers: [("Accept", "application/json")])
        guard let response = await answer(to: request) else { return nil }
        guard response.status == 200 else {
            warn("it answers \(response.status)")
            return nil
        }
        return response.body
    }

    private func answer(to request: OutgoingRequest, bytes responseBytes: Int? = nil) async -> OutgoingResponse? {
        var request = request
        request.responseBytes = responseBytes ?? bounds.documentBytes
        do throws(OutgoingFailure) { return try await send(request) } catch {
            warn("\(error)")
            return nil
        }
    }

    private func warn(_ failure: String) {
        log.warning("a provider of sign-ins fails", metadata: ["provider": "\(name)", "failure": "\(failure)"])
    }
}

// The token endpoint.
extension Issuer {
    /// The tokens given for a code. A value.
    struct Grant: Sendable {
        /// The token with the user's identity.
        var identityToken: String?
        /// The token to revoke one day.
        var refreshToken: String?
        /// The token for the issuer's own endpoints, valid for minutes.
        var accessToken: String?

        var bytes: Int {
            [identityToken, refreshToken, accessToken].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        }
    }

    /// Exchanges a code (RFC 6749, section 4.1.3).
    /// - Throws: `identityRefused` if the issuer doesn't take the code.
    func redeem(_ code: String, by client: ClientProof, more: [(String, String)]) async throws(ServiceFault) -> Grant {
        let document = try await document()
        let fields = [("grant_type", "authorization_code"), ("code", code)] + more
        let request = form(document.token, fields, client, document)
        guard let response = await answer(to: request, bytes: bounds.grantBytes) else {
            throw Issuer.unavailable
        }
        let members = response.body.withUnsafeBytes { JSONMembers(parsing: $0) }
        guard response.status == 200, let members else {
            if (400...401).contains(response.status), members?.string("error") == "invalid_grant" {
                throw .identityRefused
            }
            // Such as a secret that it doesn't know, which is for the operator.
            warn("it answers a code with \(response.status)")
            throw Issuer.unavailable
        }
        return Grant(
            identityToken: members.string("id_token"), refreshToken: members.string("refresh_token"),
            accessToken: members.string("access_token"))
    }

    /// The issuer's data of the user with this access token, as JSON; nil if it has none there.
    /// - Throws: `unavailable` if it may answer later.
    func user(by accessToken: String) async throws(ServiceFault) -> [UInt8]? {
        // Nothing that ends a header gets into one.
        guard let address = try await document().user, accessToken.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            return nil
        }
        var request = OutgoingRequest(
            "GET", address, headers: [("Accept", "application/json"), ("Authorization", "Bearer " + accessToken)])
        request.mayRepeat = true
        guard let response = await answer(to: request) else { throw Issuer.unavailable }
        guard response.status == 200 else {
            warn("its userinfo endpoint answers \(response.status)")
            guard response.status < 500 else { throw Issuer.unavailable }
            return nil
        }
        return response.body
    }

    /// Ends a grant (RFC 7009). Returns false if that is to be tried again.
    func end(_ refreshToken: String, by client: ClientProof) async -> Bool {
        guard let document = try? await document() else { return false }
        guard let address = document.revocation else { return true }
        let fields = [("token", refreshToken), ("token_type_hint", "refresh_token")]
        var request = form(address, fields, client, document)
        request.mayRepeat = true
        guard let response = await answer(to: request) else { return false }
        if response.status != 200 { warn("it answers the end of a grant with \(response.status)") }
        return response.status == 200
    }

    private func form(
        _ address: String, _ fields: [(String, String)], _ client: ClientProof, _ document: IssuerDocument
    ) -> OutgoingRequest {
        var fields = fields
        var headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")]
        if let secret = client.secret, document.takesBasic, !client.isInBody {
            // RFC 6749, section 2.3.1: both are encoded as in a form before they are joined.
            let pair = FormFields.encoded(client.id) + ":" + FormFields.encoded(secret)
            headers.append(("Authorization", "Basic " + Data(pair.utf8).base64EncodedString()))
        } else {
            fields.append(("client_id", client.id))
            if let secret = client.secret { fields.append(("client_secret", secret)) }
        }
        return OutgoingRequest("POST", address, headers: headers, body: Array(FormFields.encoded(fields).utf8))
    }
}

/// The proof to an issuer of which client we are. A value.
struct ClientProof: Sendable {
    var id: String
    var secret: String?
    /// Whether the secret belongs into the body, whatever the document says.
    var isInBody = false
}
