/// A request that leaves this machine. A value.
package struct OutgoingRequest: Sendable {
    /// `GET`, `POST` and so on.
    package var method: String
    /// With `https` or `http`, and without a name or password.
    package var url: String
    /// The header fields besides those that the protocol needs.
    package var headers: [(name: String, value: String)]
    /// Empty for none.
    package var body: [UInt8]
    /// Whether a second one does no harm: so it is tried again although the first may have arrived.
    package var mayRepeat: Bool
    /// Bytes of the response's body; nil for the usual bound. A longer one is a failure.
    package var responseBytes: Int?

    /// - Parameter mayRepeat: nil for what the method says (RFC 9110, section 9.2.2).
    package init(
        _ method: String = "GET", _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        mayRepeat: Bool? = nil, responseBytes: Int? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.mayRepeat = mayRepeat ?? ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"].contains(method)
        self.responseBytes = responseBytes
    }

    /// The part that can't be sent, in words; nil if there is none. A line break in a field would begin another one.
    func fault(_ bounds: OutgoingBounds) -> String? {
        guard !method.isEmpty, method.utf8.allSatisfy({ (65...90).contains($0) }) else { return "the method" }
        guard body.count <= bounds.bodyBytes else { return "a body that is too large" }
        for (name, value) in headers {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else { return "the name of a header field" }
            guard value.utf8.allSatisfy({ $0 == 9 || ($0 >= 32 && $0 != 127) }) else {
                return "the value of a header field"
            }
        }
        return nil
    }

    /// RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

/// The answer, whatever its status. A value.
package struct OutgoingResponse: Sendable {
    /// The status of HTTP.
    package let status: Int
    /// The header fields, their names in lower case.
    package let headers: [(name: String, value: String)]
    /// The body, as it came.
    package let body: [UInt8]

    /// The first field of that name, which is in lower case.
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Why there is no response. It never names an address or what was sent.
package enum OutgoingFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The request itself can't be sent, with what is wrong in it.
    case unusable(String)
    /// The name stands for an address that isn't of the internet, and that the configuration doesn't name.
    case refusedAddress
    /// There is no such name, the port is closed, or the connection broke; with libcurl's words.
    case unreachable(String)
    /// The certificate isn't valid, or TLS failed otherwise; with libcurl's words.
    case untrusted(String)
    /// It took too long.
    case timeout
    /// The response is larger than allowed.
    case tooLarge
    /// Too many wait already.
    case busy
    /// The host failed so often that it is left alone for now.
    case resting
    /// The task was cancelled.
    case cancelled
    /// The client has been stopped.
    case stopped
    /// libcurl is missing something; with its words.
    case library(String)

    /// A few words for the log.
    package var description: String {
        switch self {
        case .unusable(let what): "\(what) can't be sent"
        case .refusedAddress: "the address is a private one, and services.allowed_addresses doesn't name it"
        case .unreachable(let words), .untrusted(let words), .library(let words): words
        case .timeout: "no answer in time"
        case .tooLarge: "the response is too large"
        case .busy: "too many requests wait already"
        case .resting: "the host failed several times and is left alone for now"
        case .cancelled: "cancelled"
        case .stopped: "stopped"
        }
    }
}
