import Glibc

/// Scheme, host and port of a page, as a browser or the web view of an app writes them (RFC 6454, section 6.2). An
/// operator may write `*` for the port of a page from this machine, whose development server takes whichever is free.
package enum WebOrigin {
    /// Hosts whose port may be `*`: no other machine can answer for them.
    private static let hostsOfAnyPort: Set<Substring> = ["localhost", "127.0.0.1", "[::1]"]
    /// The ports that browsers leave out (RFC 6454, section 6.1).
    private static let usualPorts: [Substring: Substring] = ["https": "443", "http": "80"]
    /// Schemes whose pages have no origin of their own: browsers write `null` for all of them together.
    private static let opaque: Set<Substring> = ["file", "data", "blob", "javascript", "about"]
    /// Most bytes of a scheme, of a host (RFC 1035) and of a port, with what is between them.
    private static let bytesMax = 32 + 3 + 255 + 6

    /// Whether the origin that a browser wrote is one of those that the operator wrote.
    package static func isOne(_ origin: String, of written: Set<String>) -> Bool {
        let origin = origin.lowercased()
        if written.contains(origin) { return !origin.hasSuffix("*") }
        guard let parts = Parts(origin) else { return false }
        let usual = parts.port == nil ? usualPorts[parts.scheme] : nil
        if let usual, written.contains("\(origin):\(usual)") { return true }
        let isAnyPort = parts.port.map { isPort($0) } ?? true
        return isAnyPort && hostsOfAnyPort.contains(parts.host) && written.contains("\(parts.base):*")
    }

    /// Whether it is one as an operator may write it. Any other spelling would never match.
    package static func isWritten(_ text: String) -> Bool {
        guard text.utf8.count <= bytesMax, let parts = Parts(text) else { return false }
        guard isScheme(parts.scheme), isHost(parts.host) else { return false }
        guard let port = parts.port else { return true }
        return port == "*" ? usualPorts[parts.scheme] != nil && hostsOfAnyPort.contains(parts.host) : isPort(port)
    }

    /// Whether it is of a page that a browser loads over HTTP.
    package static func isOfWeb(_ text: String) -> Bool {
        isWritten(text) && Parts(text).map { usualPorts[$0.scheme] != nil } == true
    }

    private struct Parts {
        var scheme: Substring
        var host: Substring
        /// Scheme and host.
        var base: Substring
        var port: Substring?

        /// Nil if it has another form.
        init?(_ origin: String) {
            guard let colon = origin.firstIndex(of: ":"), origin[colon...].hasPrefix("://") else { return nil }
            scheme = origin[..<colon]
            let authority = origin[colon...].dropFirst(3)
            // The colons of an IPv6 address are in brackets.
            let bracket = authority.first == "[" ? authority.firstIndex(of: "]") : nil
            let end = authority[(bracket ?? authority.startIndex)...].firstIndex(of: ":") ?? authority.endIndex
            host = authority[..<end]
            base = origin[..<end]
            port = end == authority.endIndex ? nil : authority[authority.index(after: end)...]
        }
    }

    /// Whether it is a port as a browser writes it.
    private static func isPort(_ text: Substring) -> Bool { UInt16(text).map { $0 > 0 && String($0) == text } ?? false }

    /// A scheme in lower case (RFC 3986, section 3.1) whose pages have an origin.
    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 32, !opaque.contains(text) else {
            return false
        }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func isHost(_ host: Substring) -> Bool {
        guard host.first == "[" else {
            return !host.isEmpty && host.utf8.allSatisfy { isLetter($0) || isDigit($0) || ".-_".utf8.contains($0) }
        }
        guard host.last == "]" else { return false }
        let address = String(host.dropFirst().dropLast())
        var bytes = in6_addr()
        // Browsers write each group of an IPv6 address in hexadecimal (the URL standard, "host serializer").
        guard !address.contains("."), inet_pton(AF_INET6, address, &bytes) == 1 else { return false }
        var room = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &bytes, &room, socklen_t(room.count)) != nil else { return false }
        let shortest = String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return shortest == address || shortest.contains(".")
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
