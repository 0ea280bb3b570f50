/// Which web pages may read our answers (the Fetch standard, CORS). There are no cookies, so that a page that isn't
/// named here can't do anything in somebody's name either.
package struct OriginRule: Sendable {
    /// Hosts whose port may be `*`: no other machine can answer for them.
    private static let localBases = [
        "http://localhost", "http://127.0.0.1", "https://localhost", "https://127.0.0.1",
    ]

    private let origins: Set<String>

    /// `origins` as the operator wrote them.
    package init(_ origins: [String]) { self.origins = Set(origins) }

    /// Whether a page of this origin may read answers.
    package func allows(_ origin: String) -> Bool {
        if origins.contains(origin) { return !origin.hasSuffix("*") }
        return OriginRule.localBases.contains { base in
            guard origins.contains(base + ":*"), origin.hasPrefix(base) else { return false }
            let port = origin.dropFirst(base.count)
            return port.isEmpty || port.first == ":" && UInt16(port.dropFirst()).map { ":\($0)" == port } ?? false
        }
    }

    /// Whether it is an origin as a browser writes it, or one of this machine with any port.
    package static func isOrigin(_ text: String) -> Bool {
        if localBases.contains(where: { text == $0 + ":*" }) { return true }
        guard text.utf8.count <= 267, let scheme = ["https://", "http://"].first(where: text.hasPrefix) else {
            return false
        }
        let parts = text.dropFirst(scheme.count).split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2, !host.isEmpty, host.utf8.allSatisfy(isPartOfHost) else {
            return false
        }
        return parts.count == 1 || UInt16(parts[1]).map { $0 > 0 && String($0) == parts[1] } ?? false
    }

    private static func isPartOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
