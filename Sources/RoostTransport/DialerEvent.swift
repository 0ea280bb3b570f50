/// What happens to a dialer, in this order: `failed`, or `opened`, any number of `text`, and `closed`.
public enum DialerEvent: Sendable, Equatable {
    /// The handshake is done; `send` works from here on.
    case opened
    /// One whole message, valid UTF-8.
    case text([UInt8])
    /// It was open and is not any more. 1006 if no close frame said why (RFC 6455, section 7.4.1).
    case closed(code: UInt16, reason: String)
    /// It never opened: no route, refused, no upgrade, or too slow. `status` is that of the HTTP answer, if one came.
    case failed(reason: String, status: Int?)
}

/// What a dialer says of itself and every bound it keeps.
public struct DialerSettings: Sendable {
    /// The only subprotocol it offers.
    public var subprotocol = "roost.v1"
    /// Further request headers, such as `Origin` or `User-Agent`; names without the colon, at most 2 KiB together.
    public var headers: [(name: String, value: String)] = []
    /// Bytes of one message from the server; a longer one closes with 1009. Holds a page of history, escaped.
    public var messageBytesMax = 4_194_304
    /// Messages that wait to be sent; `send` says no beyond that.
    public var queuedMax = 1_024
    /// Bytes of them.
    public var queuedBytesMax = 4_194_304

    /// The defaults.
    public init() {}
}

/// Why a dialer could not be made.
public enum DialerFailure: Error, Sendable, Equatable {
    /// Not a `ws://` or `wss://` URL with a host, an optional port and an optional path.
    case badURL(String)
    /// No loop to run on.
    case transport(TransportFailure)
}
