internal import COpenSSL
internal import Glibc

/// Why TLS can't be used, or why a connection has no TLS any more. One line, without anything that a peer sent.
public struct TLSFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line.
    public let description: String

    init(_ description: String) { self.description = description }

    /// The failure that OpenSSL reported last on this thread.
    static func last(_ what: String) -> TLSFailure {
        let code = ERR_peek_error()
        ERR_clear_error()
        guard code != 0 else { return TLSFailure(what) }
        // An errno has the highest of 32 bits (ERR_SYSTEM_ERROR in err.h, since OpenSSL 3).
        let text = code >> 31 & 1 == 1 ? strerror(Int32(code & 0x7FFF_FFFF)) : nil
        guard let reason = text.map({ UnsafePointer($0) }) ?? ERR_reason_error_string(code) else {
            return TLSFailure(what)
        }
        return TLSFailure("\(what): \(String(cString: reason))")
    }
}
