internal import RoostWire

/// The parts of a WebSocket upgrade request that a server needs. All strings are copies.
public struct UpgradeRequest: Sendable {
    /// `Origin`; browsers always send it.
    public var origin: String?
    /// `Host`, with the port if there is one.
    public var host: String?
    /// `User-Agent`.
    public var userAgent: String?
    /// `Authorization`. Never log it.
    public var authorization: String?
    /// Address of the client: the peer or, behind a listed proxy, the address that the proxy names.
    public var clientAddress: ClientAddress

    /// Creates a request, for tests of a handler.
    public init(
        clientAddress: ClientAddress,
        origin: String? = nil,
        host: String? = nil,
        userAgent: String? = nil,
        authorization: String? = nil
    ) {
        self.clientAddress = clientAddress
        self.origin = origin
        self.host = host
        self.userAgent = userAgent
        self.authorization = authorization
    }
}

/// The head of a plain HTTP request. All strings are copies.
public struct HTTPRequest: Sendable {
    /// `GET` or `HEAD`; the transport answers other methods itself.
    public var method: String
    /// The path as it was sent, without the query. Neither decoded nor normalized, so that a proxy that guards a path
    /// by its text can't be walked around.
    public var path: String
    /// The query as it was sent, without its `?`; empty if there is none.
    public var query: String
    /// `Authorization`. Never log it.
    public var authorization: String?
    /// `Accept`.
    public var accept: String?
    /// `Accept-Encoding`.
    public var acceptEncoding: String?
    /// `If-None-Match`.
    public var ifNoneMatch: String?
    /// Address of the client: the peer or, behind a listed proxy, the address that the proxy names.
    public var clientAddress: ClientAddress
    /// Whether it was made on this machine and no proxy passed it on, or came with the client certificate that its path
    /// requires.
    public var isTrusted: Bool

    /// Creates a request, for tests of a handler.
    public init(
        method: String, path: String, query: String = "", authorization: String? = nil, accept: String? = nil,
        acceptEncoding: String? = nil, ifNoneMatch: String? = nil, clientAddress: ClientAddress, isTrusted: Bool = false
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.authorization = authorization
        self.accept = accept
        self.acceptEncoding = acceptEncoding
        self.ifNoneMatch = ifNoneMatch
        self.clientAddress = clientAddress
        self.isTrusted = isTrusted
    }
}

/// A response with its whole body. The transport adds `Content-Length` and `Connection`.
public struct HTTPResponse: Sendable {
    /// The status code, such as 200.
    public var status: Int
    /// `Content-Type`.
    public var contentType: String
    /// The body, of any size. It is kept until the peer has read it.
    public var body: [UInt8]
    /// Further headers. Nothing that a client sent may be put here unchecked.
    public var headers: [(name: String, value: String)]
    /// The code and reason of a refusal; nil if the response isn't one.
    public private(set) var refusal: (code: String, reason: String)?

    /// Creates a response.
    public init(
        status: Int,
        contentType: String = "application/json",
        body: [UInt8] = [],
        headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.headers = headers
    }

    /// `{"code":…,"reason":…}`, the body of every refusal (Docs/Protocol.md, section 1).
    public static func refusal(
        _ status: Int,
        code: String,
        reason: String,
        retryAfterSeconds: Int? = nil
    ) -> HTTPResponse {
        let json = JSONWriter()
        json.beginBare()
        json.member("code", code)
        json.member("reason", reason)
        var response = HTTPResponse(status: status, body: [0x7B] + json.written + [0x7D])
        response.refusal = (code, reason)
        if let retryAfterSeconds { response.headers.append(("Retry-After", String(retryAfterSeconds))) }
        return response
    }
}

extension HTTPResponse {
    /// The response in HTTP/1.1 (RFC 9112).
    func serialized(keepAlive: Bool, withBody: Bool = true) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(HTTPResponse.phrase(status))\r\n"
        // A 304 describes no body (RFC 9110, sections 8.6 and 15.4.5).
        if status != 304 { head += "Content-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n" }
        // A response with `Upgrade` names it here (RFC 9110, section 7.8).
        let upgrade = headers.contains { $0.name == "Upgrade" } ? ", Upgrade" : ""
        head += "Connection: \(keepAlive ? "keep-alive" : "close")\(upgrade)\r\n"
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        head += "\r\n"
        return withBody ? Array(head.utf8) + body : Array(head.utf8)
    }

    private static func phrase(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 414: "URI Too Long"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
