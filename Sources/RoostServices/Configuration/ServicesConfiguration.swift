/// What an operator may set of the services process: the sections `services`, `accounts`, `tokens` and `mail` of
/// roost.yaml. Read at each start, and immutable then.
package struct ServicesConfiguration: Sendable, Equatable {
    package var host = "127.0.0.1"
    package var port = 8_081
    /// The folder of the database and the keys.
    package var data = "./data/services"
    package var origins: [String] = []
    package var proxies: [String] = []
    package var relayURL = "ws://127.0.0.1:8080/v1/socket"
    /// The certificates that the relay's is checked by; empty for the system's.
    package var relayCAFile = ""
    /// The address of the page that people use, which mails lead to. Empty: that of the relay's own.
    package var publicURL = ""
    package var passwordMin = 8
    package var roles: [String] = []
    package var accessSeconds = 3_600
    package var refreshDays = 60
    package var mailMode = MailMode.print.rawValue
    /// How letters are sent by SMTP.
    package var mail = MailSettings()
    /// The certificates that the mail server's is checked by; empty for the system's.
    package var mailCAFile = ""

    /// Where letters go.
    package enum MailMode: String, Sendable, CaseIterable {
        case print, smtp, off
    }

    /// The defaults.
    package init() {}

    // As they are written in the file.
    var mailPort: Int {
        get { mail.port }
        set { mail.port = newValue }
    }
    var mailSecurity: String {
        get { mail.security.rawValue }
        set { mail.security = MailSettings.Security(rawValue: newValue) ?? .starttls }
    }

    /// The address of the page that people use.
    package var pageURL: String {
        guard publicURL.isEmpty else { return publicURL }
        let path = "/v1/socket"
        let root = relayURL.hasSuffix(path) ? relayURL.dropLast(path.count) : relayURL[...]
        return "http" + root.dropFirst(2)
    }

    /// The origins whose pages may ask: those that are named, and the relay's own page, on this machine by both names.
    package var allowedOrigins: [String] {
        guard publicURL.isEmpty else { return origins + [publicURL] }
        return origins + [pageURL, pageURL.replacing("//127.0.0.1", with: "//localhost")]
    }
}

/// Why a configuration can't be used: one line for the operator.
package struct ConfigurationFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// Without line break.
    package let description: String

    init(_ source: String, _ text: String) { self.init("\(source): \(text)") }

    init(_ text: String) {
        // One line without control characters, whatever a path, key or value contains.
        description = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }
}
