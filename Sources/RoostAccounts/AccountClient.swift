import Foundation
import RoostWire

/// A user's account, as an app on one device sees it. It speaks HTTP to `roost-services` (Docs/openapi.yaml), keeps the
/// tokens in the app's store, and renews them before they end: one exchange at a time, and no token twice but for an
/// answer that was lost. Pass `token` to `RoostSettings` or `ChatClient`.
public actor AccountClient {
    /// Where the services are, without a slash at the end.
    public nonisolated let url: String
    /// The name of this device, which is also that in the relay.
    public nonisolated let device: String
    let limits: AccountLimits
    private let store: any TokenStore
    private let transport: any AccountTransport
    private let now: @Sendable () -> Int64
    private let sleep: @Sendable (Duration) async throws -> Void
    // The exchange that is under way, and the token that it gives away.
    private var renewal: (refresh: String, task: Task<Result<HeldTokens, AccountFailure>, Never>)?
    private var readers: [Int: AsyncStream<AccountEvent>.Continuation] = [:]
    private var lastReader = 0

    /// Nothing is asked or read before the first call.
    ///
    /// - Parameters:
    ///   - url: such as `https://chat.example.org:8081`.
    ///   - device: 1–64 bytes of printable ASCII without spaces: the same as in `RoostSettings`, and for as long as the
    ///     app is installed.
    ///   - store: where the tokens are kept from one start to the next.
    ///   - transport: how requests are sent.
    ///   - limits: every limit.
    ///   - clock: measures the pause before a second try.
    ///   - now: the wall clock, in milliseconds since 1970. It needn't be right, only go on.
    public init(
        url: String, device: String, store: any TokenStore,
        transport: any AccountTransport = URLSessionTransport(), limits: AccountLimits = AccountLimits(),
        clock: some Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }
    ) {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.device = device
        self.limits = limits
        self.store = store
        self.transport = transport
        self.now = now
        sleep = { try await clock.sleep(for: $0) }
    }

    // MARK: The signed-in user

    /// The signed-in user; nil if there is none. It only reads the store.
    public func signedIn() throws(AccountFailure) -> SignIn? { try held()?.signIn }

    /// The events from now on, for one more reader.
    public func events() -> AsyncStream<AccountEvent> {
        lastReader += 1
        let number = lastReader
        let (stream, reader) = AsyncStream.makeStream(
            of: AccountEvent.self, bufferingPolicy: .bufferingNewest(limits.eventsMax))
        readers[number] = reader
        reader.onTermination = { [weak self] _ in
            Task { await self?.dismiss(number) }
        }
        return stream
    }

    private func dismiss(_ number: Int) { readers[number] = nil }

    private func tell(_ event: AccountEvent) { for reader in readers.values { reader.yield(event) } }

    // MARK: Tokens

    /// A valid access token, for the relay and for the services. It is renewed first if it ends soon. If that isn't
    /// possible for now, the old one is returned for as long as it is valid.
    public func token() async throws(AccountFailure) -> String {
        guard let held = try held() else { throw .signedOut }
        let left = held.left(now: now())
        guard left <= min(limits.renewalMargin.milliseconds, held.life / 4) else { return held.access }
        do throws(AccountFailure) { return try await renewed(held).access } catch {
            guard error.mayPass, left > 0 else { throw error }
            return held.access
        }
    }

    /// Renews the tokens now, as after the relay has ended the session. If the session has ended for good, `signedOut`
    /// is thrown and reported to the readers of `events`.
    public func renew() async throws(AccountFailure) {
        guard let held = try held() else { throw .signedOut }
        _ = try await renewed(held)
    }

    // All callers that need new tokens wait for one exchange. It continues if they stop waiting.
    private func renewed(_ held: HeldTokens) async throws(AccountFailure) -> HeldTokens {
        if let renewal, renewal.refresh == held.refresh { return try await renewal.task.value.get() }
        let task = Task { () -> Result<HeldTokens, AccountFailure> in
            let result = await exchange(held)
            if renewal?.refresh == held.refresh { renewal = nil }
            return result
        }
        renewal = (held.refresh, task)
        return try await task.value.get()
    }

    private func exchange(_ held: HeldTokens) async -> Result<HeldTokens, AccountFailure> {
        do throws(AccountFailure) {
            let body = JSONWriter.object { writer in
                writer.member("refreshToken", held.refresh)
                writer.member("key", held.key)
            }
            let answer = try await answer(toRenewal: body)
            // The user may have signed out meanwhile, or in; or an extension of the app was faster.
            guard let current = try self.held() else { throw .signedOut }
            guard current.refresh == held.refresh else { return .success(current) }
            if let refusal = answer.refusal { throw try failure(refusal) }
            guard let next = answer.members.flatMap({ HeldTokens($0, received: now()) }) else {
                throw .unexpectedAnswer
            }
            // This comes before it is used: the old one is invalid then.
            try save(next)
            return .success(next)
        } catch {
            return .failure(error)
        }
    }

    // The services take a token that they have replaced again under the same key: its answer was lost.
    private func answer(toRenewal body: [UInt8]) async throws(AccountFailure) -> AccountAnswer {
        let request = request("POST", "/v1/sessions/refresh", body: body, timeout: limits.renewalTimeout)
        do throws(TransportFailure) { return try await transport.send(request) } catch {
            guard error == .noAnswer else { throw .unreachable }
        }
        try? await sleep(limits.renewalPause)
        do throws(TransportFailure) { return try await transport.send(request) } catch { throw .unreachable }
    }

    // Translates a refused exchange. Only these refusals say that there is nothing to keep.
    private func failure(_ refusal: AccountRefusal) throws(AccountFailure) -> AccountFailure {
        switch (refusal.status, refusal.code) {
        case (401, "refresh_reused"): try forget(.stolen)
        case (401, _): try forget(.ended)
        case (403, "suspended"): try forget(.suspended)
        default: return .refused(refusal)
        }
        return .signedOut
    }

    // MARK: Store

    private func held() throws(AccountFailure) -> HeldTokens? {
        do { return try store.load().flatMap { HeldTokens(stored: $0) } } catch { throw .store("\(error)") }
    }

    private func save(_ tokens: HeldTokens) throws(AccountFailure) {
        do { try store.save(tokens.stored) } catch { throw .store("\(error)") }
    }

    /// Keeps the tokens of a sign-in.
    func begin(_ answer: AccountAnswer) throws(AccountFailure) -> SignIn {
        guard let tokens = answer.members.flatMap({ HeldTokens($0, received: now()) }) else { throw .unexpectedAnswer }
        try save(tokens)
        tell(.signedIn(tokens.signIn))
        return tokens.signIn
    }

    /// Forgets the tokens.
    func forget(_ reason: SignOutReason) throws(AccountFailure) {
        do { try store.clear() } catch { throw .store("\(error)") }
        tell(.signedOut(reason))
    }

    // MARK: Requests

    private func request(
        _ method: String, _ path: String, body: [UInt8]? = nil, token: String? = nil, timeout: Duration? = nil
    ) -> AccountRequest {
        AccountRequest(
            method: method, url: url + path, token: token, body: body, timeout: timeout ?? limits.requestTimeout,
            answerBytes: limits.answerBytes)
    }

    /// Sends a request without a token. Returns a good answer, or throws.
    func ask(
        _ method: String, _ path: String, _ write: (JSONWriter) -> Void
    ) async throws(AccountFailure) -> AccountAnswer {
        try await ask(request(method, path, body: JSONWriter.object(write)))
    }

    /// Sends a request as the signed-in user. If the services refuse the token, it is renewed, and the request is sent
    /// once more.
    func askSignedIn(
        _ method: String, _ path: String, _ write: ((JSONWriter) -> Void)? = nil
    ) async throws(AccountFailure) -> AccountAnswer {
        let body = write.map { JSONWriter.object($0) }
        let first = try await token()
        do throws(AccountFailure) { return try await ask(request(method, path, body: body, token: first)) } catch {
            guard case .refused(let refusal) = error, ["unauthorized", "suspended"].contains(refusal.code) else {
                throw error
            }
        }
        if let held = try held(), held.access == first { _ = try await renewed(held) }
        return try await ask(request(method, path, body: body, token: try await token()))
    }

    private func ask(_ request: AccountRequest) async throws(AccountFailure) -> AccountAnswer {
        let answer: AccountAnswer
        do throws(TransportFailure) { answer = try await transport.send(request) } catch { throw .unreachable }
        if let ticket = answer.members.flatMap({ SignInTicket($0) }), answer.status == 401 {
            throw .factorRequired(ticket)
        }
        if let refusal = answer.refusal { throw .refused(refusal) }
        guard (200...299).contains(answer.status) else { throw .unexpectedAnswer }
        return answer
    }
}

extension AccountAnswer {
    /// The members of the body, if it is an object.
    var members: JSONMembers? { body.withUnsafeBytes { JSONMembers(parsing: $0) } }

    /// Why it isn't what was asked for; nil if it is. A proxy may answer in place of the services, in words of its own.
    var refusal: AccountRefusal? {
        guard status >= 400 else { return nil }
        return AccountRefusal(
            status: status, code: members?.string("code") ?? "", reason: members?.string("reason") ?? "",
            member: members?.string("member"), retryAfter: members?.integer("retryAfter"))
    }
}

extension Duration {
    /// Whole milliseconds, within what fits.
    fileprivate var milliseconds: Int64 {
        let (seconds, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? .max : seconds &+ components.attoseconds / 1_000_000_000_000_000
    }
}
