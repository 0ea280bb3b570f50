/// The way that requests take to the services: `URLSessionTransport`, or an app's own, or a test's.
public protocol AccountTransport: Sendable {
    /// Sends a request once, follows no redirect, and returns the whole answer, whatever its status.
    func send(_ request: AccountRequest) async throws(TransportFailure) -> AccountAnswer
}

/// A request.
public struct AccountRequest: Sendable, Equatable {
    /// The method of HTTP.
    public var method: String
    /// The whole address.
    public var url: String
    /// The token for `Authorization: Bearer`. It must be in no log.
    public var token: String?
    /// JSON.
    public var body: [UInt8]?
    /// Longest wait for the answer.
    public var timeout: Duration
    /// Most bytes of the answer.
    public var answerBytes: Int
}

/// An answer.
public struct AccountAnswer: Sendable, Equatable {
    /// The status of HTTP.
    public var status: Int
    /// Nothing, or JSON.
    public var body: [UInt8]

    /// An answer with this status and body.
    public init(status: Int, body: [UInt8] = []) {
        self.status = status
        self.body = body
    }
}

/// Why there is no answer.
public enum TransportFailure: Error, Sendable, Equatable {
    /// The request has reached no server: there is no network, or no such host, or it refuses connections.
    case notSent
    /// The request may have arrived.
    case noAnswer
}
