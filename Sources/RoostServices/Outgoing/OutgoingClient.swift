import CCurl
import Synchronization

/// Settings of requests that leave this machine. A value.
package struct OutgoingSettings: Sendable {
    /// The addresses that they may go to.
    package var policy: AddressPolicy
    /// The certificates that others are checked by; nil for the system's.
    package var caFile: String?
    /// Their limits.
    package var bounds: OutgoingBounds

    /// The internet, the system's certificates and the usual bounds, unless said otherwise.
    package init(
        policy: AddressPolicy = AddressPolicy(), caFile: String? = nil, bounds: OutgoingBounds = OutgoingBounds()
    ) {
        self.policy = policy
        self.caFile = caFile
        self.bounds = bounds
    }
}

/// The one way in which anything leaves this machine: HTTP and SMTP by libcurl, on a thread of its own, never on
/// Swift's pool. It follows no redirect, uses no proxy and checks every certificate. Whatever happens, a request ends
/// in bounded time. It must not log contents or recipients.
package final class OutgoingClient: Sendable {
    private let settings: OutgoingSettings
    private let inbox: TransferInbox
    private let breakers: Mutex<CircuitBreakers>
    // By the words of `TransferEnd.Cause`, and those that never began because the host is left alone.
    private let ends = Mutex<[String: Int]>([:])
    private let start = ContinuousClock.now

    /// Starts its thread, which ends with it.
    package init(_ settings: OutgoingSettings = OutgoingSettings()) throws(OutgoingFailure) {
        self.settings = settings
        inbox = try TransferLoop.start(settings)
        breakers = Mutex(CircuitBreakers(settings.bounds))
    }

    deinit { inbox.stop() }

    /// Sends a request, again if that does no harm and may help: when the host couldn't be reached or didn't answer,
    /// and on 429, 500, 502, 503 and 504. Returns the server's last answer, whatever its status.
    package func send(_ request: OutgoingRequest) async throws(OutgoingFailure) -> OutgoingResponse {
        if let fault = request.fault(settings.bounds) { throw .unusable(fault) }
        let bytes = settings.bounds.urlBytes
        guard let url = OutgoingURL(request.url, schemes: ["https", "http"], bytes: bytes) else {
            throw .unusable("the URL")
        }
        let began = ContinuousClock.now
        var times = RetryTimes(settings.bounds)
        var generator = SystemRandomNumberGenerator()
        while true {
            let outcome = await attempt(request, url)
            guard Self.mayHelp(outcome, request),
                let wait = times.next(elapsed: .now - began, asked: Self.asked(outcome), &generator)
            else { return try outcome.get() }
            do { try await Task.sleep(for: wait) } catch { throw .cancelled }
        }
    }

    /// Sends a mail to a mail server, once.
    func deliver(_ envelope: MailEnvelope, to url: OutgoingURL) async -> TransferEnd {
        await transfer(url, .mail(envelope))
    }

    /// Introduces itself to a server of mail, once.
    func greet(_ url: OutgoingURL, _ access: MailAccess) async -> TransferEnd {
        await transfer(url, .greeting(access))
    }

    private func attempt(
        _ request: OutgoingRequest, _ url: OutgoingURL
    ) async -> Result<OutgoingResponse, OutgoingFailure> {
        let site = url.site
        guard breakers.withLock({ $0.admits(site, now: .now - start) }) else {
            count("resting")
            return .failure(.resting)
        }
        let end = await transfer(url, .http(request))
        let outcome = Self.outcome(end)
        breakers.withLock { breakers in
            switch outcome {
            case .success(let response) where Self.isOutage(response.status):
                breakers.failed(site, now: .now - start)
            case .failure(.timeout), .failure(.unreachable), .failure(.untrusted):
                breakers.failed(site, now: .now - start)
            case .success, .failure(.tooLarge): breakers.succeeded(site)
            case .failure: breakers.abandoned(site)
            }
        }
        return outcome
    }

    /// Outcomes of all tries since the start, and the number of hosts that are left alone.
    package var counts: (ends: [(result: String, count: Int)], resting: Int) {
        let found = ends.withLock { $0 }
        let now = ContinuousClock.now - start
        return (
            (TransferEnd.Cause.words + ["resting"]).map { ($0, found[$0] ?? 0) },
            breakers.withLock { $0.resting(now: now) }
        )
    }

    private func count(_ word: String) { ends.withLock { $0[word, default: 0] += 1 } }

    private func transfer(_ url: OutgoingURL, _ work: TransferWork) async -> TransferEnd {
        let end = await carry(url, work)
        count(end.cause.word)
        return end
    }

    private func carry(_ url: OutgoingURL, _ work: TransferWork) async -> TransferEnd {
        let order = TransferOrder(url: url, work: work, deadline: .now + settings.bounds.whole)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                order.expect(continuation)
                if let cause = inbox.post(order) { order.finish(TransferEnd(cause: cause)) }
            }
        } onCancel: {
            order.cancel()
            inbox.wake()
        }
    }
}

// Translation of a transfer's end.
extension OutgoingClient {
    /// The server can't answer, which may pass.
    private static func isOutage(_ status: Int) -> Bool { [500, 502, 503, 504].contains(status) }

    private static func mayHelp(_ outcome: Result<OutgoingResponse, OutgoingFailure>, _ request: OutgoingRequest)
        -> Bool
    {
        switch outcome {
        // Nothing was done.
        case .success(let response) where response.status == 429: true
        case .success(let response): request.mayRepeat && isOutage(response.status)
        case .failure(.timeout), .failure(.unreachable): request.mayRepeat
        case .failure: false
        }
    }

    private static func asked(_ outcome: Result<OutgoingResponse, OutgoingFailure>) -> Duration? {
        guard case .success(let response) = outcome, let field = response.header("retry-after") else { return nil }
        return retryAfter(field, now: curl_getdate("now", nil))
    }

    /// Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date. Nil if it is neither.
    static func retryAfter(_ field: String, now: Int) -> Duration? {
        if !field.isEmpty, field.utf8.allSatisfy({ (48...57).contains($0) }) {
            return .seconds(Int32(field) ?? .max)
        }
        let date = curl_getdate(field, nil)
        return date < 0 ? nil : .seconds(max(0, Int32(clamping: date - now)))
    }

    static func outcome(_ end: TransferEnd) -> Result<OutgoingResponse, OutgoingFailure> {
        switch end.cause {
        case .library(0):
            .success(OutgoingResponse(status: end.status, headers: end.headers, body: end.body))
        case .library(let code): .failure(failure(CURLcode(code)))
        case .refusedAddress: .failure(.refusedAddress)
        case .tooLarge: .failure(.tooLarge)
        case .overdue: .failure(.timeout)
        case .cancelled: .failure(.cancelled)
        case .stopped: .failure(.stopped)
        case .busy: .failure(.busy)
        }
    }

    /// libcurl's words for a code name neither hosts nor what was sent.
    private static func failure(_ code: CURLcode) -> OutgoingFailure {
        let words = curl_easy_strerror(code).map { String(cString: $0) } ?? "libcurl: \(code.rawValue)"
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED:
            return .untrusted(words)
        case CURLE_FAILED_INIT, CURLE_OUT_OF_MEMORY, CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION: return .library(words)
        default: return .unreachable(words)
        }
    }
}
