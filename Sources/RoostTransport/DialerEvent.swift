/// An event of a dialer. An attempt gives either `failed`, or `opened`, any number of `text`, and `closed`.
public enum DialerEvent: Sendable, Equatable {
    /// The handshake is done, and `send` works from now on.
    case opened
    /// One whole message, valid UTF-8.
    case text([UInt8])
    /// The connection has ended. The code is 1006 if there was no close frame (RFC 6455, section 7.4.1).
    case closed(code: UInt16, reason: String)
    /// The connection never opened: no route, refused, no upgrade, or too slow. `status` is the HTTP status of the
    /// answer, if there was one.
    case failed(reason: String, status: Int?)
    /// The connection never opened: the server's certificate is not one to trust.
    case untrusted(reason: String)
}

/// A dialer's request, and its bounds.
public struct DialerSettings: Sendable {
    /// The only subprotocol it offers.
    public var subprotocol = "roost.v1"
    /// The address to connect to instead of the URL's host, whose name the certificate and the request still have.
    public var address: String?
    /// Further request headers, such as `Origin` or `User-Agent`; names without the colon, at most 2 KiB together.
    public var headers: [(name: String, value: String)] = []
    /// Most bytes of a message from the server. A longer one closes the connection with 1009. A page of history fits,
    /// even with everything escaped.
    public var messageBytesMax = 4_194_304
    /// Most messages waiting to be sent. Beyond that, `send` returns false.
    public var queuedMax = 1_024
    /// Most bytes of messages waiting to be sent.
    public var queuedBytesMax = 4_194_304

    /// The defaults.
    public init() {}
}

/// Why a dialer could not be created.
public enum DialerFailure: Error, Sendable, Equatable {
    /// Not a `ws://` or `wss://` URL with a host, an optional port and an optional path.
    case badURL(String)
    /// The shared loop could not start.
    case transport(TransportFailure)
}
