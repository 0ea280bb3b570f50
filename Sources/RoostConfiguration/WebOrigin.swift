/// Scheme, host and port of a page, as a browser writes them (RFC 6454, section 6.2). An operator may write `*` for the
/// port of a page from this machine, whose development server takes whichever is free.
package enum WebOrigin {
    /// Hosts whose port may be `*`: no other machine can answer for them.
    private static let hostsOfAnyPort: Set<Substring> = ["localhost", "127.0.0.1"]

    /// Whether a page's origin, in lower case, is one of those that the operator wrote.
    package static func isOne(_ origin: String, of written: Set<String>) -> Bool {
        if written.contains(origin) { return !origin.hasSuffix("*") }
        guard let (base, host, port) = parts(of: origin) else { return false }
        let isAnyPort = port.map { isPort($0) } ?? true
        return isAnyPort && hostsOfAnyPort.contains(host) && written.contains("\(base):*")
    }

    /// Whether it is one as an operator may write it. Any other spelling would never match.
    package static func isWritten(_ text: String) -> Bool {
        guard text.utf8.count <= 267, let (_, host, port) = parts(of: text), !host.isEmpty else { return false }
        guard host.utf8.allSatisfy(isPartOfHost), let port else { return host.utf8.allSatisfy(isPartOfHost) }
        return port == "*" ? hostsOfAnyPort.contains(host) : isPort(port)
    }

    /// Scheme with host, the host, and the port if there is one; nil if it has another form.
    private static func parts(of origin: String) -> (base: Substring, host: Substring, port: Substring?)? {
        guard let scheme = ["https://", "http://"].first(where: origin.hasPrefix) else { return nil }
        let parts = origin.dropFirst(scheme.count).split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2 else { return nil }
        return (origin.prefix(scheme.count + host.count), host, parts.count == 2 ? parts[1] : nil)
    }

    /// Whether it is a port as a browser writes it.
    private static func isPort(_ text: Substring) -> Bool { UInt16(text).map { $0 > 0 && String($0) == text } ?? false }

    private static func isPartOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
