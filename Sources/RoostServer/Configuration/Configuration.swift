import Logging
import RoostWire

/// Everything an operator may decide, checked and typed; one value that the server is built from and never changes.
///
/// The defaults are here and in `Limits`; which keys there are, how they are read and what they may be is in
/// `ConfigurationKey.all`, and `load` puts file, environment and flags on top.
public struct Configuration: Sendable, Equatable {
    /// Where clients connect.
    public struct Listen: Sendable, Equatable {
        /// IPv4 address. Loopback: a relay without TLS belongs behind a proxy.
        public var host = "127.0.0.1"
        /// 0 takes any free port.
        public var port: UInt16 = 8_080
        /// Web origins that may connect, as browsers write them; see `OriginPolicy` for what an empty list means.
        public var origins: [String] = []
    }

    /// The log.
    public struct Store: Sendable, Equatable {
        /// The SQLite file; others are made beside it.
        public var path = "./data/roost.db"
        /// What an acked message survives.
        public var durability = Durability.full
    }

    /// Who may come in.
    public struct Auth: Sendable, Equatable {
        /// The relay's own signing key; made at the first start.
        public var keyFile = "./data/signing.key"
        /// Files of public keys (PEM or JWK set) of other issuers.
        public var publicKeys: [String] = []
        /// What `aud` has to name; nil takes any.
        public var audience: String?
        /// What `iss` has to be; nil takes any.
        public var issuer: String?
    }

    /// How the relay stops.
    public struct Drain: Sendable, Equatable {
        /// From the signal to the exit, in seconds.
        public var seconds = 5
        /// Over how many seconds clients are told to come back.
        public var spreadSeconds = 5
    }

    /// What operators see.
    public struct Metrics: Sendable, Equatable {
        /// Bearer token of `/metrics`; nil leaves it open. Never printed.
        public var token: String?
    }

    /// Where clients connect.
    public var listen = Listen()
    /// The log.
    public var store = Store()
    /// Who may come in.
    public var auth = Auth()
    /// How the relay stops.
    public var drain = Drain()
    /// What operators see.
    public var metrics = Metrics()
    /// Lines below this level are not written.
    public var logLevel = Logger.Level.info
    /// WebSocket connections at once.
    public var connectionsMax = 10_000
    /// Of them, from one address.
    public var connectionsPerAddressMax = 10_000
    /// The bounds of the protocol and the Relay.
    public var limits = Limits()

    /// The defaults.
    public init() {}
}
