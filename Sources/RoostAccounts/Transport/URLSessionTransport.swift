import Foundation
import RoostLock

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests by `URLSession`, without cookies, caches, redirects or anything else that is kept.
public final class URLSessionTransport: NSObject, AccountTransport {
    // One request that waits for its answer.
    private struct Pending {
        var continuation: CheckedContinuation<Result<AccountAnswer, TransportFailure>, Never>
        var answerBytes: Int
        var status = 0
        var body: [UInt8] = []
        // A task that is cancelled at its end ends well.
        var isTooLarge = false
    }

    private struct State {
        // It keeps its delegate until it is invalidated, so that there is one only while requests are open.
        var session: URLSession?
        var open = 0
        var pending: [ObjectIdentifier: Pending] = [:]
        // Tasks that haven't begun, and whether they were given up before that.
        var unbegun: [ObjectIdentifier: Bool] = [:]
    }

    private let state = Locked(State())

    /// Nothing is opened yet.
    public override init() { super.init() }

    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        return configuration
    }

    /// Sends a request once.
    public func send(_ request: AccountRequest) async throws(TransportFailure) -> AccountAnswer {
        guard let wire = URLSessionTransport.wire(request) else { throw .notSent }
        let task = open(wire)
        // `timeoutInterval` begins anew with each byte, and on Linux it counts whole seconds.
        let alarm = Task {
            try await Task.sleep(for: request.timeout)
            giveUp(task)
        }
        defer { alarm.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { begin(task, $0, answerBytes: request.answerBytes) }
        } onCancel: {
            giveUp(task)
        }
        return try result.get()
    }

    private static func wire(_ request: AccountRequest) -> URLRequest? {
        guard let url = URL(string: request.url) else { return nil }
        var wire = URLRequest(url: url)
        wire.httpMethod = request.method
        wire.timeoutInterval = (request.timeout / .seconds(1)).rounded(.up) + 1
        wire.httpBody = request.body.map { Data($0) }
        if request.body != nil { wire.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        if let token = request.token { wire.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return wire
    }

    private func open(_ wire: URLRequest) -> URLSessionDataTask {
        state.withLock { state in
            let session =
                state.session
                ?? URLSession(configuration: URLSessionTransport.configuration, delegate: self, delegateQueue: nil)
            state.session = session
            state.open += 1
            let task = session.dataTask(with: wire)
            state.unbegun[ObjectIdentifier(task)] = false
            return task
        }
    }

    private func begin(
        _ task: URLSessionDataTask, _ continuation: CheckedContinuation<Result<AccountAnswer, TransportFailure>, Never>,
        answerBytes: Int
    ) {
        let isGivenUp = state.withLock { state in
            if state.unbegun.removeValue(forKey: ObjectIdentifier(task)) == true { return true }
            state.pending[ObjectIdentifier(task)] = Pending(continuation: continuation, answerBytes: answerBytes)
            return false
        }
        guard isGivenUp else { return task.resume() }
        task.cancel()
        close()
        continuation.resume(returning: .failure(.notSent))
    }

    private func giveUp(_ task: URLSessionDataTask) {
        let hasBegun = state.withLock { state in
            // Nothing if it has ended meanwhile.
            state.unbegun[ObjectIdentifier(task)]? = true
            return state.pending[ObjectIdentifier(task)] != nil
        }
        if hasBegun { task.cancel() }
    }

    private func close() {
        let last = state.withLock { state -> URLSession? in
            state.open -= 1
            guard state.open == 0 else { return nil }
            defer { state.session = nil }
            return state.session
        }
        last?.finishTasksAndInvalidate()
    }

    private func finish(_ task: URLSessionTask, _ error: (any Error)?) {
        guard let found = state.withLock({ $0.pending.removeValue(forKey: ObjectIdentifier(task)) }) else { return }
        close()
        let answer = AccountAnswer(status: found.status, body: found.body)
        if found.isTooLarge {
            found.continuation.resume(returning: .failure(.noAnswer))
        } else if let error {
            found.continuation.resume(returning: .failure(URLSessionTransport.failure(error)))
        } else {
            found.continuation.resume(returning: .success(answer))
        }
    }

    private static func failure(_ error: any Error) -> TransportFailure {
        switch (error as? URLError)?.code {
        case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet, .badURL,
            .unsupportedURL, .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot:
            .notSent
        default: .noAnswer
        }
    }
}

extension URLSessionTransport: URLSessionDataDelegate {
    /// Redirects aren't followed: a token is for the services alone.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// The head of an answer.
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        state.withLock {
            $0.pending[ObjectIdentifier(dataTask)]?.status = (response as? HTTPURLResponse)?.statusCode ?? 0
        }
        completionHandler(.allow)
    }

    /// A piece of an answer.
    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let fits = state.withLock { state in
            let id = ObjectIdentifier(dataTask)
            guard let entry = state.pending[id] else { return true }
            guard data.count <= entry.answerBytes - entry.body.count else {
                state.pending[id]?.isTooLarge = true
                return false
            }
            state.pending[id]?.body += data
            return true
        }
        if !fits { dataTask.cancel() }
    }

    /// The end of an answer, or of the wait for it.
    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        finish(task, error)
    }
}
