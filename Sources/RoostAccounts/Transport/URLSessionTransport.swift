import Foundation
import Synchronization

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
    }

    private let pending = Mutex<[Int: Pending]>([:])
    private let session = Mutex<URLSession?>(nil)

    /// Nothing is opened yet.
    public override init() { super.init() }

    // A session keeps its delegate until it is invalidated, so that there is one only while requests wait.
    private func current() -> URLSession {
        session.withLock { session in
            if let session { return session }
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieAcceptPolicy = .never
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            let made = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
            session = made
            return made
        }
    }

    /// Sends a request once.
    public func send(_ request: AccountRequest) async throws(TransportFailure) -> AccountAnswer {
        guard let url = URL(string: request.url) else { throw .notSent }
        var wire = URLRequest(url: url)
        wire.httpMethod = request.method
        wire.timeoutInterval = request.timeout / .seconds(1)
        wire.httpBody = request.body.map { Data($0) }
        if request.body != nil { wire.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        if let token = request.token { wire.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        let task = current().dataTask(with: wire)
        // `timeoutInterval` begins anew with each byte.
        let alarm = Task {
            try await Task.sleep(for: request.timeout)
            task.cancel()
        }
        defer { alarm.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pending.withLock {
                    $0[task.taskIdentifier] = Pending(continuation: continuation, answerBytes: request.answerBytes)
                }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    private func finish(_ task: URLSessionTask, _ error: (any Error)?) {
        let (found, isLast) = pending.withLock { pending in
            let found = pending.removeValue(forKey: task.taskIdentifier)
            return (found, pending.isEmpty)
        }
        if isLast {
            session.withLock { session in
                session?.finishTasksAndInvalidate()
                session = nil
            }
        }
        guard let found else { return }
        guard let error else {
            return found.continuation.resume(
                returning: .success(AccountAnswer(status: found.status, body: found.body)))
        }
        found.continuation.resume(returning: .failure(URLSessionTransport.failure(error)))
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
        pending.withLock {
            $0[dataTask.taskIdentifier]?.status = (response as? HTTPURLResponse)?.statusCode ?? 0
        }
        completionHandler(.allow)
    }

    /// A piece of an answer.
    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let fits = pending.withLock { pending in
            guard let entry = pending[dataTask.taskIdentifier] else { return true }
            guard data.count <= entry.answerBytes - entry.body.count else { return false }
            pending[dataTask.taskIdentifier]?.body += data
            return true
        }
        if !fits { dataTask.cancel() }
    }

    /// The end of an answer, or of the wait for it.
    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        finish(task, error)
    }
}
