extension ServicesKey {
    /// The sections that are ours. The relay leaves them to us.
    static let sections = ["services", "accounts", "tokens", "mail", "openid"]
    /// The sections of the relay, which are in the same file.
    static let relaySections = [
        "listen", "tls", "store", "retention", "auth", "presence", "drain", "metrics", "admin", "log", "limits",
    ]

    /// Every key there is.
    static let all: [ServicesKey] = people + mail

    private static let people = [
        ServicesKey("services.host", .text(\.host, address)),
        ServicesKey("services.port", .whole(\.port, 0...65_535)),
        ServicesKey("services.data", .text(\.data, path)),
        ServicesKey("services.origins", .list(\.origins, origin)),
        ServicesKey("services.proxies", .list(\.proxies, network)),
        ServicesKey("services.relay_url", .text(\.relayURL, socketURL)),
        ServicesKey("services.relay_ca_file", .text(\.relayCAFile, line)),
        ServicesKey("services.public_url", .text(\.publicURL, webURL)),
        // OWASP asks for 8 where there is no second factor. Below 6 a password is found in the allowed attempts.
        ServicesKey("accounts.password_min", .whole(\.passwordMin, 6...64)),
        ServicesKey("accounts.roles", .list(\.roles, role)),
        // The relay refuses the tokens of a session that has ended for a day at most.
        ServicesKey("tokens.access_seconds", .whole(\.accessSeconds, 1...43_200)),
        ServicesKey("tokens.refresh_days", .whole(\.refreshDays, 1...400)),
    ]

    private static let mail = [
        ServicesKey(
            "mail.mode", .word(\.mailMode, ServicesConfiguration.MailMode.allCases.map(\.rawValue))),
        ServicesKey("mail.host", .text(\.mail.host, line)),
        ServicesKey("mail.port", .whole(\.mailPort, 1...65_535)),
        ServicesKey("mail.security", .word(\.mailSecurity, MailSettings.Security.allCases.map(\.rawValue))),
        ServicesKey("mail.user", .text(\.mail.user, line)),
        ServicesKey("mail.password", .text(\.mail.password, line), isSecret: true),
        ServicesKey("mail.from", .text(\.mail.from, line)),
        ServicesKey("mail.reply_to", .text(\.mail.replyTo, line)),
        ServicesKey("mail.texts", .text(\.mail.texts, line)),
        ServicesKey("mail.language", .text(\.mail.language, line)),
        ServicesKey("mail.ca_file", .text(\.mailCAFile, line)),
    ]

    private static let line = Rule(said: "a line of at most 1024 bytes") { text in
        text.utf8.count <= 1_024 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static let address = Rule(said: "an address such as 127.0.0.1 or ::1, or localhost") { text in
        text == "localhost" || ClientAddress(proxies: [text]) != nil && !text.contains("/")
    }
    private static let path = Rule(said: "a path of 1 to 4096 bytes") { text in
        (1...4_096).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
    private static let origin = Rule(
        said: "an origin such as https://chat.example.org, in lower case and without a path, or http://localhost:*"
    ) { OriginRule.isOrigin($0) }
    private static let network = Rule(said: "an address, or a network from /8 on such as 10.0.0.0/8") {
        ClientAddress(proxies: [$0]) != nil
    }
    private static let socketURL = Rule(said: "a URL such as ws://127.0.0.1:8080/v1/socket") { text in
        isURL(text, ["ws://", "wss://"])
    }
    private static let webURL = Rule(
        said: "nothing, or a URL such as https://chat.example.org, without a slash at its end"
    ) {
        $0.isEmpty || isURL($0, ["http://", "https://"]) && !$0.hasSuffix("/") && !$0.contains("#")
    }
    private static let role = Rule(said: "1 to 32 of a-z, 0-9, - and _") { text in
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
