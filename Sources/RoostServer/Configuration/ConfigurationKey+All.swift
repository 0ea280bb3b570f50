import Logging
import RoostWire

extension ConfigurationKey {
    /// Every key there is, in the order of Config/roost.yaml.
    static let all: [ConfigurationKey] = listen + store + auth + presence + drain + metrics + log + limits

    /// What stands above each section of Config/roost.yaml.
    static let sectionNotes = [
        "listen": "Where clients connect.",
        "store": "Where messages are kept.",
        "auth": "Who may come in: tokens are JWTs, signed by Roost's own key or by an issuer of yours.",
        "presence": "Who is here.",
        "drain": "How the relay stops on SIGTERM.",
        "metrics": "What Prometheus may read at /metrics.",
        "log": "What is written to standard error.",
        "limits": "Bounds. What happens at each one is in Docs/Protocol.md.",
    ]

    private static let listen = [
        ConfigurationKey(
            "listen.host",
            .text(\.listen.host, .address),
            "Address to listen on. Roost speaks no TLS: let a proxy do that, and keep Roost on loopback."
        ),
        ConfigurationKey(
            "listen.port",
            .whole(\.portNumber, 0...65_535),
            "Port to listen on; 0 takes any free one and prints it."
        ),
        ConfigurationKey(
            "listen.origins",
            .list(\.listen.origins, .origin),
            "Web pages that may connect. Empty: only pages of the host that they connect to. Clients that send no "
                + "Origin (anything but a browser) always may."
        ),
    ]

    private static let store = [
        ConfigurationKey(
            "store.path",
            .text(\.store.path, .path),
            "The SQLite file. Its folder is made if it isn't there."
        ),
        ConfigurationKey(
            "store.durability",
            .word(\.durabilityWord, Durability.allCases.map(\.rawValue)),
            "What an acked message survives: full, a power cut; normal, a crash of the process; memory, neither, and "
                + "nothing is written to disk."
        ),
    ]

    private static let auth = [
        ConfigurationKey(
            "auth.key_file",
            .text(\.auth.keyFile, .path),
            "Roost's own signing key (HS256). Made at the first start; only its owner may be able to read it."
        ),
        ConfigurationKey(
            "auth.public_keys",
            .list(\.auth.publicKeys, .path),
            "Files of public keys of your issuers: PEM, or a JWK set. RS256, ES256 and EdDSA."
        ),
        ConfigurationKey(
            "auth.audience",
            .text(\.audienceText, .claim),
            "What a token's aud has to name. Empty: not looked at."
        ),
        ConfigurationKey(
            "auth.issuer",
            .text(\.issuerText, .claim),
            "What a token's iss has to be. Empty: not looked at."
        ),
    ]

    private static let presence = [
        ConfigurationKey(
            "presence.grace_seconds",
            .seconds(\.limits.graceMilliseconds, 0...300),
            "From an abrupt drop to offline. Shorter shows people offline who only change networks."
        )
    ]

    private static let drain = [
        ConfigurationKey(
            "drain.seconds",
            .whole(\.drain.seconds, 1...10),
            "From the signal to the exit. Clients are told to come back, queues are flushed, the log is closed."
        ),
        ConfigurationKey(
            "drain.spread_seconds",
            .whole(\.drain.spreadSeconds, 0...300),
            "Over this time clients are told to come back, each at a moment of its own: 10,000 clients over 5 seconds "
                + "are 2,000 logins a second for whoever takes them."
        ),
    ]

    private static let metrics = [
        ConfigurationKey(
            "metrics.token",
            .text(\.metricsToken, .bearer),
            "Bearer token that /metrics asks for. Empty: open to whoever reaches the port. Better set by the "
                + "environment than by a flag, which others on the machine can see.",
            isSecret: true
        )
    ]

    private static let log = [
        ConfigurationKey(
            "log.level",
            .word(\.logLevelWord, Logger.Level.allCases.map(\.rawValue)),
            "Lines below this level are not written. Tokens and bodies are written at none."
        )
    ]
}

// Between the typed fields and the texts and numbers of the table. A setter is only given what the form allows.
extension Configuration {
    fileprivate var portNumber: Int {
        get { Int(listen.port) }
        set { listen.port = UInt16(clamping: newValue) }
    }

    fileprivate var durabilityWord: String {
        get { store.durability.rawValue }
        set { store.durability = Durability(rawValue: newValue) ?? store.durability }
    }

    fileprivate var audienceText: String {
        get { auth.audience ?? "" }
        set { auth.audience = newValue.isEmpty ? nil : newValue }
    }

    fileprivate var issuerText: String {
        get { auth.issuer ?? "" }
        set { auth.issuer = newValue.isEmpty ? nil : newValue }
    }

    fileprivate var metricsToken: String {
        get { metrics.token ?? "" }
        set { metrics.token = newValue.isEmpty ? nil : newValue }
    }

    fileprivate var logLevelWord: String {
        get { logLevel.rawValue }
        set { logLevel = Logger.Level(rawValue: newValue) ?? logLevel }
    }
}
