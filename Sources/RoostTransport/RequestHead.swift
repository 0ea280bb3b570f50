internal import RoostWire

/// The head of an HTTP request: request line and header fields (RFC 9112, sections 2 to 5). It is read strictly,
/// because a proxy in front may read it differently: no bare line feeds, no folded fields, no space before a colon.
struct RequestHead {
    /// Bounds of a head, with their reasons.
    enum Bounds {
        /// Most bytes of a head, as much as of everything else that a stranger sends (`Limits.helloBytes`). Proxies
        /// and browsers stay below this with their cookies.
        static let bytes = 8_192
        /// Most bytes of the target. All of ours are short; a token in the query has a few hundred bytes.
        static let targetBytes = 4_096
        /// Most bytes of the request line: of the target, and room for method and version.
        static let lineBytes = targetBytes + 32
        /// Most header fields. A browser behind two proxies sends about 40.
        static let fields = 100
        /// Most empty lines before a request. Old clients send one behind a body (RFC 9112, section 2.2).
        static let emptyLines = 2
    }

    let method: String
    /// The target's path, as it was sent: neither decoded nor normalized.
    let path: String
    /// The text behind the target's `?`, as sent.
    let query: String
    /// Whether the version is 1.0, without `Host` and kept connections.
    let isOld: Bool
    /// Names in lower case.
    private let fields: [(name: String, value: String)]

    /// The value of a field; several are joined by commas (RFC 9110, section 5.3). Nil if there is none.
    func value(_ name: String) -> String? {
        var joined: String?
        for field in fields where field.name == name { joined = joined.map { "\($0), \(field.value)" } ?? field.value }
        return joined
    }

    /// The elements of a field that is a list.
    func list(_ name: String) -> [String] {
        (value(name) ?? "").split(separator: ",").map { String(RequestHead.trimmed($0.utf8[...])) }
    }

    func count(_ name: String) -> Int { fields.count { $0.name == name } }

    // MARK: Reading

    /// The answer to an invalid head.
    struct Refusal: Error {
        var response: HTTPResponse
    }

    /// The answer to a wrong request line; nil if it is right.
    static func fault(inLine bytes: ArraySlice<UInt8>) -> HTTPResponse? {
        if case .failure(let refusal) = line(bytes) { refusal.response } else { nil }
    }

    private struct Line {
        var method: String
        var target: ArraySlice<UInt8>
        var isOld: Bool
    }

    private static func line(_ bytes: ArraySlice<UInt8>) -> Result<Line, Refusal> {
        func refuse(_ response: HTTPResponse) -> Result<Line, Refusal> { .failure(Refusal(response: response)) }
        let parts = bytes.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, isToken(parts[0]), !parts[1].isEmpty else {
            return refuse(.badRequest("the request line is not `method target version`"))
        }
        guard parts[1].count <= Bounds.targetBytes else { return refuse(.targetTooLong) }
        guard parts[1].allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return refuse(.badRequest("the target has a byte that is not printable ASCII"))
        }
        let version = String(decoding: parts[2], as: UTF8.self)
        guard version.hasPrefix("HTTP/"), version.utf8.count == 8 else {
            return refuse(.badRequest("the request line names no version of HTTP"))
        }
        guard version.hasPrefix("HTTP/1."), let minor = version.utf8.last, (0x30...0x39).contains(minor) else {
            return refuse(.refusal(505, code: "http_version", reason: "only HTTP/1.1 and HTTP/1.0 are spoken here"))
        }
        return .success(
            Line(method: String(decoding: parts[0], as: UTF8.self), target: parts[1], isOld: minor == 0x30))
    }

    /// The head of these lines.
    static func parse(_ lines: [ArraySlice<UInt8>]) -> Result<RequestHead, Refusal> {
        func refuse(_ reason: String) -> Result<RequestHead, Refusal> {
            .failure(Refusal(response: .badRequest(reason)))
        }
        guard let first = lines.first, case .success(let line) = line(first) else {
            return refuse("there is no request line")
        }
        var fields: [(name: String, value: String)] = []
        fields.reserveCapacity(lines.count - 1)
        for field in lines.dropFirst() {
            guard let colon = field.firstIndex(of: 0x3A), isToken(field[..<colon]) else {
                return refuse("a header line is not `name: value`")
            }
            let name = String(decoding: field[..<colon], as: UTF8.self).lowercased()
            fields.append((name, String(trimmed(field[(colon + 1)...]))))
        }
        let parts = line.target.split(separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false)
        let head = RequestHead(
            method: line.method, path: String(decoding: parts[0], as: UTF8.self),
            query: parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "", isOld: line.isOld, fields: fields)
        guard head.hasHost else { return refuse("the header Host is missing, repeated or wrong") }
        return .success(head)
    }

    // RFC 9112, section 3.2: exactly one, except in HTTP/1.0.
    private var hasHost: Bool {
        let count = count("host")
        guard count == 1, let host = value("host") else { return count == 0 && isOld }
        return host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"):
                true
            default: "-._~%!$&'()*+;=:[]".utf8.contains(byte)
            }
        }
    }

    private static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Substring {
        var rest = bytes[...]
        while let first = rest.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
        return Substring(decoding: rest, as: UTF8.self)
    }

    // RFC 9110, section 5.6.2.
    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

extension HTTPResponse {
    static func badRequest(_ reason: String) -> HTTPResponse { refusal(400, code: "bad_request", reason: reason) }

    static let targetTooLong = refusal(
        414, code: "uri_too_long", reason: "the target has more than \(RequestHead.Bounds.targetBytes) bytes")

    static let headTooLarge = refusal(
        431, code: "headers_too_large",
        reason: "the headers have more than \(RequestHead.Bounds.bytes) bytes or \(RequestHead.Bounds.fields) lines")
}
