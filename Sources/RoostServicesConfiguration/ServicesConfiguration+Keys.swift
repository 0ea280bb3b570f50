import RoostConfiguration

extension ServicesConfiguration {
    typealias Key = ConfigurationKey<ServicesConfiguration>

    /// Every key there is, in the order of Config/roost.yaml.
    package static let table = ConfigurationTable<ServicesConfiguration>(
        .services, notes: sectionNotes, serviceKeys + accountKeys + tokenKeys + mailKeys + openIDKeys)

    private static let sectionNotes = [
        "services": "Where roost-services listens, and how it reaches the relay. `roost up` fills in what fits.",
        "accounts": "Who may sign up, and how. See Docs/Accounts.md.",
        "tokens": "How long people stay signed in.",
        "mail": "Letters with links: to confirm an address, and to choose a new password.",
        "openid": "Who else people may sign in with, by OpenID Connect. See Docs/Accounts.md.",
    ]

    private static let serviceKeys: [Key] = [
        Key(
            "services.host", .text(\.host, .address),
            "Address to listen on. Keep it on loopback, behind a proxy that speaks TLS."),
        Key("services.port", .whole(\.port, 0...65_535), "Port to listen on. 0 takes a free port and prints it."),
        Key(
            "services.data", .text(\.data, .path),
            "The folder of the database and the keys. `roost up` takes the folder services beside the relay's file."),
        Key(
            "services.origins", .list(\.origins, .origin),
            "Origins of web pages that may ask, beside the one in public_url or the relay's own."),
        Key(
            "services.proxies", .list(\.proxies, .network),
            "Your proxies. Limits of an address then apply to the addresses that these proxies name in "
                + "X-Forwarded-For. What others say there is ignored."),
        Key(
            "services.relay_url", .text(\.relayURL, .socketURL),
            "The relay, to which sign-outs and deletions are told. `roost up` knows its own."),
        Key(
            "services.relay_address", .text(\.relayAddress, .someAddress),
            "The address to connect to, instead of looking up the host in relay_url. `roost up` takes the relay's."),
        Key(
            "services.relay_ca_file", .text(\.relayCAFile, .file),
            "File with the certificates that may sign the relay's, in PEM. If empty, those of the system."),
        Key(
            "services.public_url", .text(\.publicURL, .webURL),
            "The address of the page that people use, which mails lead to. If empty, the relay's own page."),
        Key(
            "services.log_level",
            // Those of swift-log.
            .word(\.logLevel, ["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            "Lines below this level are not written. No level writes tokens, passwords or addresses."),
        Key(
            "services.metrics_token", .text(\.metricsToken, .bearer),
            "Bearer token that /metrics requires. If empty, only requests from this machine that no proxy passed on "
                + "may read it. Set it through the environment.", isSecret: true),
        Key(
            "services.own_url", .text(\.ownURL, .webURL),
            "Where browsers find roost-services, which providers of sign-ins send them back to. If empty, its port on "
                + "this machine. `roost up` takes listen.services."),
        Key(
            "services.allowed_addresses", .list(\.allowedAddresses, .anyNetwork),
            "Networks that requests may go to although they aren't of the internet, such as that of an issuer of yours."
        ),
    ]

    private static let accountKeys: [Key] = [
        Key(
            "accounts.max", .whole(\.accountsMax, 1...100_000_000),
            "Most accounts. Beyond it nobody can sign up, so that strangers can't fill the disk. A million take 400 MB."
        ),
        // OWASP asks for 8 where there is no second factor. Below 6 a password is found in the allowed attempts.
        Key("accounts.password_min", .whole(\.passwordMin, 6...64), "Fewest characters of a password."),
        Key(
            "accounts.roles", .list(\.roles, .role),
            "Roles of which one is chosen at sign-up, for ever, such as trainer and client. If empty, nobody has one."),
        Key(
            "accounts.tiers", .list(\.tiers, .role),
            "What operators may sort people by, such as free and gold. If empty, any word."),
        Key(
            "accounts.lookup", .word(\.lookupWord, ["off", "on"]),
            "on: whoever is signed in learns from an address who has it, ten times a minute. See Docs/Accounts.md."),
        Key(
            "accounts.messages", .word(\.messagesWord, ["keep", "erase"]),
            "What becomes of the messages of somebody whose account is deleted. keep: they stay, from a random id. "
                + "erase: others see them as deleted ones."),
        Key(
            "accounts.operator_factor", .word(\.operatorFactorWord, ["optional", "required"]),
            "required: operators may do nothing as such before they have turned on two-step verification."),
    ]

    private static let tokenKeys: [Key] = [
        // The relay refuses the tokens of a session that has ended for a day at most.
        Key(
            "tokens.access_seconds", .whole(\.accessSeconds, 1...43_200),
            "How long an access token is good. Apps exchange it before."),
        Key(
            "tokens.refresh_days", .whole(\.refreshDays, 1...400),
            "Who doesn't come for so long has to sign in again."),
    ]

    private static let mailKeys: [Key] = [
        Key(
            "mail.mode", .word(\.mailModeWord, MailSettings.Mode.allCases.map(\.rawValue)),
            "print: to the terminal, for a first try. smtp: to a server. off: nowhere."),
        Key("mail.host", .text(\.mail.host, .line), "Name or address of the mail server."),
        Key("mail.port", .whole(\.mail.port, 1...65_535), "Its port: 587 with starttls, 465 with tls."),
        Key(
            "mail.security", .word(\.mailSecurityWord, MailSettings.Security.allCases.map(\.rawValue)),
            "How the connection is protected. none is for a server on this machine."),
        Key("mail.user", .text(\.mail.user, .line), "Who we are to the mail server. If empty, nobody."),
        Key(
            "mail.password", .text(\.mail.password, .line),
            "Set it through the environment: others on the machine can see a flag.", isSecret: true),
        Key("mail.from", .text(\.mail.from, .line), "Who letters are from: Roost <no-reply@example.org>."),
        Key("mail.reply_to", .text(\.mail.replyTo, .line), "Where answers go. If empty, to the sender."),
        Key(
            "mail.texts", .text(\.mail.texts, .file),
            "A folder with letters that replace ours, such as verify.fr.txt. See Docs/Accounts.md."),
        Key("mail.language", .text(\.mail.language, .line), "For those whose language there isn't."),
        Key(
            "mail.ca_file", .text(\.mail.caFile, .file),
            "File with the certificates that may sign the mail server's, in PEM. If empty, those of the system."),
    ]

    private static let openIDKeys: [Key] = [
        Key("openid.google_client_id", .text(\.openID.google.id, .line), "Our client at Google. If empty, none."),
        Key(
            "openid.google_client_secret", .text(\.openID.google.secret, .line),
            "Set it through the environment.", isSecret: true),
        Key(
            "openid.google_app_ids", .list(\.openID.google.apps, .line),
            "Clients of your apps at Google, whose identity tokens are taken, too."),
        Key(
            "openid.google_issuer", .text(\.openID.google.issuer, .issuer),
            "Another one is for tests."),
        Key("openid.apple_client_id", .text(\.openID.apple.id, .line), "Our services id at Apple. If empty, none."),
        Key(
            "openid.apple_app_ids", .list(\.openID.apple.apps, .line),
            "Bundle ids of your apps, whose identity tokens are taken, too."),
        Key("openid.apple_team_id", .text(\.openID.appleTeam, .line), "The developer's team at Apple."),
        Key("openid.apple_key_id", .text(\.openID.appleKey, .line), "The name of the key for Sign in with Apple."),
        Key(
            "openid.apple_key_file", .text(\.openID.appleKeyFile, .file),
            "The key's .p8 file. Nobody but its owner may read it."),
        Key(
            "openid.apple_issuer", .text(\.openID.apple.issuer, .issuer),
            "Another one is for tests."),
        Key(
            "openid.issuer", .text(\.openID.other.issuer, .noIssuer),
            "Any other issuer, such as a company's own, as its discovery document names it."),
        Key("openid.name", .text(\.openID.name, .line), "What people call it."),
        Key("openid.client_id", .text(\.openID.other.id, .line), "Our client there. If empty, none."),
        Key(
            "openid.client_secret", .text(\.openID.other.secret, .line),
            "Set it through the environment.", isSecret: true),
        Key(
            "openid.app_ids", .list(\.openID.other.apps, .line),
            "Clients of your apps there, whose identity tokens are taken, too."),
        Key(
            "openid.audiences", .list(\.openID.other.audiences, .line),
            "Who else its identity tokens may be for, beside our client, such as a project of ZITADEL's. Tokens for "
                + "anybody else are refused."),
        Key(
            "openid.trust_addresses", .word(\.trustWord, ["off", "on"]),
            "on: its addresses count as confirmed even if it doesn't say so, as Entra ID doesn't. For an issuer that "
                + "lets nobody choose an address. See Docs/Accounts.md."),
        Key(
            "openid.ca_file", .text(\.openID.caFile, .file),
            "File with the certificates that may sign the issuers', in PEM. If empty, those of the system."),
    ]

    // As they are written. The table checks a value before it calls a setter.
    private var lookupWord: String {
        get { looksUp ? "on" : "off" }
        set { looksUp = newValue == "on" }
    }

    private var trustWord: String {
        get { openID.other.trustsAddresses ? "on" : "off" }
        set { openID.other.trustsAddresses = newValue == "on" }
    }

    private var operatorFactorWord: String {
        get { operatorsNeedFactor ? "required" : "optional" }
        set { operatorsNeedFactor = newValue == "required" }
    }

    private var messagesWord: String {
        get { erasesMessages ? "erase" : "keep" }
        set { erasesMessages = newValue == "erase" }
    }

    private var mailModeWord: String {
        get { mail.mode.rawValue }
        set { mail.mode = MailSettings.Mode(rawValue: newValue) ?? mail.mode }
    }

    private var mailSecurityWord: String {
        get { mail.security.rawValue }
        set { mail.security = MailSettings.Security(rawValue: newValue) ?? mail.security }
    }
}

/// The forms that only these keys have.
extension ConfigurationRule {
    fileprivate static let address = ConfigurationRule("an address such as 127.0.0.1 or ::1, or localhost") { text in
        text == "localhost" || NetworkAddress(text) != nil
    }

    fileprivate static let someAddress = ConfigurationRule("nothing, or an address such as 127.0.0.1 or ::1") { text in
        text.isEmpty || NetworkAddress(text) != nil
    }

    fileprivate static let network = ConfigurationRule("an address, or a network from /8 on such as 10.0.0.0/8") {
        AddressRange($0).map { $0.bits >= 8 } ?? false
    }

    fileprivate static let anyNetwork = ConfigurationRule("an address, or a network such as 10.0.0.0/8 or fd00::/8") {
        AddressRange($0) != nil
    }

    fileprivate static let issuer = ConfigurationRule("a URL such as https://accounts.google.com") { text in
        isURL(text, ["https://", "http://"]) && !text.contains("#") && !text.contains("?")
    }

    fileprivate static let noIssuer = ConfigurationRule("nothing, or a URL such as https://login.example.org") { text in
        text.isEmpty || issuer.allows(text)
    }

    fileprivate static let socketURL = ConfigurationRule("a URL such as ws://127.0.0.1:8080/v1/socket") { text in
        isURL(text, ["ws://", "wss://"])
    }

    fileprivate static let webURL = ConfigurationRule(
        "nothing, or a URL such as https://chat.example.org, without a slash at its end"
    ) {
        $0.isEmpty || isURL($0, ["http://", "https://"]) && !$0.hasSuffix("/") && !$0.contains("#")
    }

    /// The form of a role, and of a tier.
    package static let role = ConfigurationRule("1 to 32 of a-z, 0-9, - and _") { text in
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                case UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }

    private static func isURL(_ text: String, _ schemes: [String]) -> Bool {
        guard let scheme = schemes.first(where: text.hasPrefix) else { return false }
        return text.utf8.count <= 1_024 && text.utf8.count > scheme.utf8.count
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
    }
}
