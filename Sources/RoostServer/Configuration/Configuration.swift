import Logging
import RoostCore
import RoostTransport
import RoostWire

/// The operator's settings, checked and typed. The server is built from this value, which never changes afterwards.
///
/// The defaults are here, in `Limits` and in `TransportSettings`. `ConfigurationKey.all` says which keys there are, how
/// they are read and what they may be. `load` applies file, environment and flags to the defaults.
public struct Configuration: Sendable, Equatable {
    /// Where clients connect.
    public struct Listen: Sendable, Equatable {
        /// IPv4 address. Loopback by default, because a relay without TLS belongs behind a proxy.
        public var host = "127.0.0.1"
        /// The port; 0 takes any free one.
        public var port: UInt16 = 8_080
        /// Web origins that may connect, as browsers write them; see `OriginPolicy` for what an empty list means.
        public var origins: [String] = []
        /// The origin of the services, for the chat page; empty if there are none.
        public var services = ""
        /// Addresses and networks of the proxies trusted to name their clients.
        public var proxies: [String] = []
        /// Whether connections of these proxies begin with a header of the PROXY protocol.
        public var takesProxyHeader = false
    }

    /// With what connections are encrypted, if they are.
    public struct TLS: Sendable, Equatable {
        /// The file of the certificate, with those that sign it; empty for plain text.
        public var certificate = ""
        /// The file of its private key.
        public var key = ""
        /// The file of the certificates that may sign those of clients; empty if clients aren't asked for one.
        public var clientCA = ""
        /// Paths, with everything below, for which a client needs a certificate.
        public var clientPaths: [String] = []

        /// Whether connections are encrypted.
        public var isOn: Bool { !certificate.isEmpty }
    }

    /// Where messages are kept.
    public struct Store: Sendable, Equatable {
        /// The SQLite file. Others are created beside it.
        public var path = "./data/roost.db"
        /// The failures that an acked message survives.
        public var durability = Durability.full
        /// While fewer megabytes are free on its disk, nothing is stored. The rest has to be enough for the largest
        /// batch, and for copying the write-ahead log into the database.
        public var freeMegabytes = 128
    }

    /// The time for which people's content is kept.
    public struct Retention: Sendable, Equatable {
        /// Days that a message is kept; 0 for ever.
        public var days = 0
        /// Megabytes (2^20 bytes) that the bodies of all messages may have; 0 for as many as there are.
        public var megabytes = 0
    }

    /// The keys and claims that tokens must have.
    public struct Auth: Sendable, Equatable {
        /// The file of the relay's own signing key, created at the first start.
        public var keyFile = "./data/signing.key"
        /// Files with the public keys (PEM or JWK set) of other issuers.
        public var publicKeys: [String] = []
        /// The audience that a token's `aud` must contain; nil accepts any.
        public var audience: String?
        /// The issuer that a token's `iss` must be; nil accepts any.
        public var issuer: String?
    }

    /// The times of a shutdown.
    public struct Drain: Sendable, Equatable {
        /// Longest time from the signal to the exit, in seconds.
        public var seconds = 5
        /// Time over which reconnects are spread, in seconds.
        public var spreadSeconds = 5
    }

    /// Access to the metrics for Prometheus.
    public struct Metrics: Sendable, Equatable {
        /// Bearer token of `/metrics`; nil leaves it open. Never printed.
        public var token: String?
    }

    /// Where clients connect.
    public var listen = Listen()
    /// With what connections are encrypted.
    public var tls = TLS()
    /// Where messages are kept.
    public var store = Store()
    /// The time for which people's content is kept.
    public var retention = Retention()
    /// The keys and claims that tokens must have.
    public var auth = Auth()
    /// The rules of who may do what that operators choose.
    public var rules = PolicyRules()
    /// The operator's rule for unknown names; nil if it follows from whether there are services.
    public var unknownNames: PolicyRules.Unknown?
    /// The times of a shutdown.
    public var drain = Drain()
    /// Access to the metrics for Prometheus.
    public var metrics = Metrics()
    /// Whether the operators' page is served.
    public var hasAdminPage = true
    /// Whether the chat page is served.
    public var hasChatPage = true
    /// The lowest level that is written to the log.
    public var logLevel = Logger.Level.info
    /// The format of the log's lines.
    public var logFormat = LogFormat.text
    /// Connections at once.
    public var connectionsMax = TransportSettings().connectionsMax
    /// Connections at once from one address.
    public var connectionsPerAddressMax = TransportSettings().connectionsPerAddressMax
    /// Connections at once that have not been welcomed.
    public var strangersMax = TransportSettings().strangersMax
    /// Connections at once from one address that have not been welcomed.
    public var strangersPerAddressMax = TransportSettings().strangersPerAddressMax
    /// Plain HTTP requests of one address in a second.
    public var requestsPerSecond = TransportSettings().requestsPerSecond
    /// Bytes of memory for unfinished messages of all connections.
    public var partialBytesMax = TransportSettings().partialBytesMax
    /// The bounds of the protocol and the Relay.
    public var limits = Limits()

    /// The defaults.
    public init() {}
}
