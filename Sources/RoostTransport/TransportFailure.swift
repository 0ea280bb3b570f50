/// Why a loop could not start.
public enum TransportFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// Another process listens on this address and port.
    case addressInUse(host: String, port: UInt16)
    /// The host is not an address of this machine.
    case foreignAddress(String)
    /// The host is not an address at all.
    case badAddress(String)
    /// A system call failed; `code` is its errno.
    case system(call: String, code: Int32)
    /// libwebsockets or libev could not create a context. The package with the libev plugin may be missing.
    case library(String)

    /// One line for the operator.
    public var description: String {
        switch self {
        case .addressInUse(let host, let port): "\(host):\(port) is already in use by another process"
        case .foreignAddress(let host): "\(host) is not an address of this machine"
        case .badAddress(let host): "\(host) is not an address"
        case .system(let call, let code): "\(call) failed with errno \(code)"
        case .library(let what): "\(what) failed; are libwebsockets and libwebsockets-evlib-ev installed?"
        }
    }
}
