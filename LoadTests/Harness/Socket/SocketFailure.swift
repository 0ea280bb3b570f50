import Glibc

/// Why a loop or a target could not be made. What befalls a connection is a `SocketEnding`, not an error.
enum SocketFailure: Error, Equatable, CustomStringConvertible {
    /// TLS can't be spoken: most likely the file of certificates can't be read.
    case tls(String)
    /// Not `ws://host[:port][/path]` or `wss://`, or a character in it that has no place in a request line.
    case badURL(String)
    /// The host has no IPv4 address.
    case unknownHost(String)
    /// A system call failed; `code` is its errno.
    case system(call: String, code: Int32)

    /// One line for the person at the terminal.
    var description: String {
        switch self {
        case .tls(let reason): reason
        case .badURL(let url): "\(url) is not a ws:// or wss:// URL"
        case .unknownHost(let host): "\(host) has no IPv4 address"
        case .system(let call, let code): "\(call): \(SocketFailure.text(of: code))"
        }
    }

    /// The system's text for an errno.
    static func text(of code: Int32) -> String {
        guard let text = strerror(code) else { return "errno \(code)" }
        return String(cString: text)
    }
}

/// The end of a connection.
enum SocketEnding: Equatable {
    /// The peer's close frame said so; 1005 without a code in it, 1006 without a frame (RFC 6455, section 7.1.5).
    case closed(code: UInt16, reason: String)
    /// The answer to the upgrade was not 101.
    case refused(status: Int)
    /// A system call failed, the peer broke the protocol, or it did not answer in time.
    case failed(String)
}
