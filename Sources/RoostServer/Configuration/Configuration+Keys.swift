import Logging
import RoostConfiguration
import RoostCore
import RoostWire

extension Configuration {
    typealias Key = ConfigurationKey<Configuration>

    static let keys: [Key] =
        listenKeys + tlsKeys + storeKeys + retentionKeys + authKeys + directoryKeys + presenceKeys + contactKeys
        + gateKeys + drainKeys + metricsKeys + adminKeys + logKeys + limitKeys

    /// The comment above each section of Config/roost.yaml.
    static let sectionNotes = [
        "listen": "Where clients connect.",
        "tls":
            "TLS by the relay itself, 1.2 and 1.3. SIGHUP reads the files anew. See Docs/Operations.md.",
        "store": "Where messages are kept.",
        "retention":
            "Which messages are erased from the store. Clients see them as deleted. See Docs/Operations.md.",
        "auth": "Who may connect. Tokens are JWTs, signed with Roost's own key or by an issuer of yours.",
        "directory": "Who finds whom. See Docs/Protocol.md, section 14.",
        "presence": "Who is online.",
        "contacts": "Who knows whom. SIGHUP reads this section anew.",
        "gate": "Who may reach whom. SIGHUP reads this section anew.",
        "drain": "How the relay stops on SIGTERM.",
        "metrics": "What Prometheus may read at /metrics.",
        "admin": "What operators see with a token whose scope has admin.",
        "log": "What Roost writes to standard error.",
        "limits": "Limits. Docs/Protocol.md says what happens when a client reaches one.",
    ]

    private static let listenKeys: [Key] = [
        Key(
            "listen.host",
            .text(\.listen.host, .address),
            "Address to listen on: 127.0.0.1, ::1, localhost, :: for IPv6 and IPv4, or unix:/run/roost/socket. Without "
                + "tls.certificate keep it on loopback, behind a proxy that speaks TLS."
        ),
        Key(
            "listen.port",
            .whole(\.portNumber, 0...65_535),
            "Port to listen on. 0 takes a free port and prints it."
        ),
        Key(
            "listen.origins",
            .list(\.listen.origins, .origin),
            "Origins of web pages that may connect. If empty, a page may only connect to its own host. Clients that "
                + "send no Origin, as everything but a browser does, may always connect. The log names each origin "
                + "that is refused."
        ),
        Key(
            "listen.proxies",
            .list(\.listen.proxies, .network),
            "Your proxies. Limits of an address then apply to the addresses that these proxies name in "
                + "X-Forwarded-For. What others say there is ignored."
        ),
        Key(
            "listen.proxy_protocol",
            .word(\.proxyProtocolWord, ["off", "on"]),
            "on: connections of these proxies begin with a header of the PROXY protocol, version 1 or 2."
        ),
        Key(
            "listen.page",
            .word(\.chatPageWord, ["off", "on"]),
            "on: browsers get the chat page at /. It shows nothing without a token; `roost link` makes a link with "
                + "one. If listen.origins isn't empty, the page's own origin must be there."
        ),
        Key(
            "listen.services",
            .text(\.listen.services, .service),
            "Where browsers find roost-services, such as https://accounts.example.org. With it the chat page signs "
                + "people up and in. `roost up` names its own if this is empty."
        ),
    ]

    private static let tlsKeys: [Key] = [
        Key(
            "tls.certificate",
            .text(\.tls.certificate, .file),
            "File with the certificate and those that sign it, in PEM. If empty, connections are plain text."
        ),
        Key(
            "tls.key",
            .text(\.tls.key, .file),
            "File with the certificate's private key, in PEM. A handshake with ECDSA costs half of one with RSA."
        ),
        Key(
            "tls.client_ca",
            .text(\.tls.clientCA, .file),
            "File with the certificates that may sign those of clients. If empty, clients aren't asked for one."
        ),
        Key(
            "tls.client_paths",
            .list(\.tls.clientPaths, .target),
            "Paths, with everything below, that require a client certificate, such as /metrics, /admin or /v1/socket."
        ),
    ]

    private static let storeKeys: [Key] = [
        Key(
            "store.path",
            .text(\.store.path, .path),
            "The SQLite file. Its folder is created if it is missing."
        ),
        Key(
            "store.durability",
            .word(\.durabilityWord, Durability.allCases.map(\.rawValue)),
            "What an acked message survives. full: a power cut. normal: a crash of the process. memory: neither; "
                + "nothing is written to disk."
        ),
        Key(
            "store.free_megabytes",
            .whole(\.store.freeMegabytes, 0...1_048_576),
            "While fewer megabytes are free on its disk, commands that store something are refused; reading goes on. "
                + "0: until the disk is really full."
        ),
    ]

    private static let retentionKeys: [Key] = [
        Key(
            "retention.days",
            .whole(\.retention.days, 0...36_500),
            "Messages that are older are erased. 0: none."
        ),
        Key(
            "retention.megabytes",
            .whole(\.retention.megabytes, 0...1_073_741_824),
            "When the texts of all messages take more, the oldest are erased, but none of the last 24 hours. 0: none."
        ),
    ]

    private static let authKeys: [Key] = [
        Key(
            "auth.key_file",
            .text(\.auth.keyFile, .path),
            "Roost's own signing key (HS256). It is created at the first start. Nobody but its owner may read the file."
        ),
        Key(
            "auth.public_keys",
            .list(\.auth.publicKeys, .path),
            "Files with the public keys of your issuers, as PEM or JWK set, for RS256, ES256 and EdDSA. They are read "
                + "again when a token names a key that isn't in them."
        ),
        Key(
            "auth.audience",
            .text(\.audienceText, .claim),
            "The audience that a token's aud must name. If empty, aud is not checked."
        ),
        Key(
            "auth.issuer",
            .text(\.issuerText, .claim),
            "The issuer that a token's iss must name. If empty, iss is not checked."
        ),
    ]

    private static let directoryKeys: [Key] = [
        Key(
            "directory.find",
            .word(\.directoryWord, PolicyRules.Directory.allCases.map(\.rawValue)),
            "Whom people find and whose profile they are shown. everyone: everybody. contacts: contacts, and those in "
                + "conversations with them. exact: everybody, by the whole name or username and not by a part of it."
        ),
        Key(
            "directory.unknown",
            .word(\.unknownWord, ["auto"] + PolicyRules.Unknown.allCases.map(\.rawValue)),
            "What becomes of a name that nobody has, when somebody writes to it, adds it, invites, watches or blocks "
                + "it. refuse: it is an error. allow: it makes a user, who may connect later, for tokens of your own. "
                + "auto: refuse if there are services (listen.services), otherwise allow."
        ),
    ]

    private static let presenceKeys: [Key] = [
        Key(
            "presence.grace_seconds",
            .seconds(\.limits.graceMilliseconds, 0...300),
            "How long a dropped device may take to come back before its user is shown as offline. If this is short, "
                + "people who only change networks are shown as offline."
        ),
        Key(
            "presence.away_seconds",
            .seconds(\.limits.awayMilliseconds, 0...86_400),
            "How long a device is idle before its user is shown as away. 0: at once."
        ),
    ]

    private static let contactKeys: [Key] = [
        Key(
            "contacts.kinds",
            .list(\.contactKindTexts, .contactKind),
            "What users can be to each other: words, such as friend, or two of them for two who aren't the same to "
                + "each other, such as trainer/client. The first is meant if an invitation names none. If empty, "
                + "nobody can be invited."
        )
    ]

    private static let gateKeys: [Key] = [
        Key(
            "gate.mode",
            .text(\.gateMode, .gateMode),
            "Whether two who don't know each other may open a conversation, add and watch each other. off: yes. log: "
                + "yes, and the metrics say what would be refused. percent N: no for N of 100 pairs, always the same. "
                + "on: no. Known are contacts, and those who have a conversation already."
        ),
        Key(
            "gate.shared_groups",
            .word(\.sharedGroupsWord, ["off", "on"]),
            "on: members of the same group know each other."
        ),
        Key(
            "gate.strangers",
            .word(\.strangersWord, ["refuse", "request"]),
            "What becomes of a first message that the gate stops. refuse: nothing. request: it waits until the "
                + "receiver accepts it."
        ),
    ]

    private static let drainKeys: [Key] = [
        Key(
            "drain.seconds",
            .whole(\.drain.seconds, 1...10),
            "The longest time from the signal to the exit. In it, clients are told to come back, queues are flushed, "
                + "and the store is closed."
        ),
        Key(
            "drain.spread_seconds",
            .whole(\.drain.spreadSeconds, 0...300),
            "Clients are told to come back at different moments, spread over this time. 10,000 clients over 5 seconds "
                + "make 2,000 logins a second for the relay that takes them."
        ),
    ]

    private static let adminKeys: [Key] = [
        Key(
            "admin.page",
            .word(\.adminPageWord, ["off", "on"]),
            "on: the page /admin is served. It shows nothing without a token. If listen.origins isn't empty, the "
                + "page's own origin must be there."
        )
    ]

    private static let metricsKeys: [Key] = [
        Key(
            "metrics.token",
            .text(\.metricsToken, .bearer),
            "Bearer token that /metrics requires. If empty, only requests from this machine that no proxy passed on "
                + "may read it, or those with a certificate if it is among tls.client_paths. Set it through the "
                + "environment: others on the machine can see a flag.",
            isSecret: true
        )
    ]

    private static let logKeys: [Key] = [
        Key(
            "log.level",
            .word(\.logLevelWord, Logger.Level.allCases.map(\.rawValue)),
            "Lines below this level are not written: refusals and unusual ends are info, everybody who comes and goes "
                + "is debug. No level writes tokens or message bodies."
        ),
        Key(
            "log.format",
            .word(\.logFormatWord, LogFormat.allCases.map(\.rawValue)),
            "Lines for people, or one JSON object for each."
        ),
    ]
}

// Converts between the typed fields and the texts and numbers of the table. The table checks a value before it calls a
// setter.
extension Configuration {
    fileprivate var portNumber: Int {
        get { Int(listen.port) }
        set { listen.port = UInt16(clamping: newValue) }
    }

    fileprivate var proxyProtocolWord: String {
        get { listen.takesProxyHeader ? "on" : "off" }
        set { listen.takesProxyHeader = newValue == "on" }
    }

    fileprivate var gateMode: String {
        get { rules.gate.mode.description }
        set { rules.gate.mode = GateRules.Mode(newValue) ?? rules.gate.mode }
    }

    fileprivate var sharedGroupsWord: String {
        get { rules.gate.countsSharedGroups ? "on" : "off" }
        set { rules.gate.countsSharedGroups = newValue == "on" }
    }

    fileprivate var strangersWord: String {
        get { rules.gate.takesRequests ? "request" : "refuse" }
        set { rules.gate.takesRequests = newValue == "request" }
    }

    fileprivate var contactKindTexts: [String] {
        get { rules.contactKinds.map(\.description) }
        set { rules.contactKinds = newValue.map(ContactKind.init) }
    }

    fileprivate var durabilityWord: String {
        get { store.durability.rawValue }
        set { store.durability = Durability(rawValue: newValue) ?? store.durability }
    }

    fileprivate var directoryWord: String {
        get { rules.directory.rawValue }
        set { rules.directory = PolicyRules.Directory(rawValue: newValue) ?? rules.directory }
    }

    fileprivate var unknownWord: String {
        get { unknownNames?.rawValue ?? "auto" }
        set { unknownNames = PolicyRules.Unknown(rawValue: newValue) }
    }

    fileprivate var audienceText: String {
        get { auth.audience ?? "" }
        set { auth.audience = newValue.isEmpty ? nil : newValue }
    }

    fileprivate var issuerText: String {
        get { auth.issuer ?? "" }
        set { auth.issuer = newValue.isEmpty ? nil : newValue }
    }

    fileprivate var adminPageWord: String {
        get { hasAdminPage ? "on" : "off" }
        set { hasAdminPage = newValue == "on" }
    }

    fileprivate var chatPageWord: String {
        get { hasChatPage ? "on" : "off" }
        set { hasChatPage = newValue == "on" }
    }

    fileprivate var metricsToken: String {
        get { metrics.token ?? "" }
        set { metrics.token = newValue.isEmpty ? nil : newValue }
    }

    fileprivate var logLevelWord: String {
        get { logLevel.rawValue }
        set { logLevel = Logger.Level(rawValue: newValue) ?? logLevel }
    }

    fileprivate var logFormatWord: String {
        get { logFormat.rawValue }
        set { logFormat = LogFormat(rawValue: newValue) ?? logFormat }
    }
}
