import RoostConfiguration

/// An operator's settings of the services process: the sections `services`, `accounts`, `tokens`, `mail` and `openid`
/// of roost.yaml. Read at each start, and immutable then.
package struct ServicesConfiguration: Sendable, Equatable {
    package var host = "127.0.0.1"
    package var port = 8_081
    /// The folder of the database and the keys.
    package var data = "./data/services"
    package var origins: [String] = []
    package var proxies: [String] = []
    package var relayURL = "ws://127.0.0.1:8080/v1/socket"
    /// Where the relay is, if its name leads somewhere else; empty for what the name leads to.
    package var relayAddress = ""
    /// The certificates that the relay's is checked by; empty for the system's.
    package var relayCAFile = ""
    /// The address of the page that people use, which mails lead to. Empty: that of the relay's own.
    package var publicURL = ""
    /// Where browsers find this process; empty for its port on this machine.
    package var ownURL = ""
    /// Networks that aren't of the internet, and that requests may go to.
    package var allowedAddresses: [String] = []
    /// Lines of the log below this level are not written.
    package var logLevel = "notice"
    /// The token that `/metrics` requires; empty if only this machine may read it.
    package var metricsToken = ""
    /// Most accounts. Beyond it no user can sign up.
    package var accountsMax = 1_000_000
    package var passwordMin = 8
    package var roles: [String] = []
    package var tiers: [String] = []
    /// Whether people who are signed in may find others by their address.
    package var looksUp = false
    /// Whether deleting an account erases its messages.
    package var erasesMessages = false
    /// Whether operators are none without a second factor.
    package var operatorsNeedFactor = false
    package var accessSeconds = 3_600
    package var refreshDays = 60
    /// Where letters go, and how.
    package var mail = MailSettings()
    /// The providers that people may sign in with.
    package var openID = OpenIDSettings()

    /// The defaults.
    package init() {}

    /// The address of the page that people use.
    package var pageURL: String {
        guard publicURL.isEmpty else { return publicURL }
        let path = "/v1/socket"
        let root = relayURL.hasSuffix(path) ? relayURL.dropLast(path.count) : relayURL[...]
        return "http" + root.dropFirst(2)
    }

    /// Where browsers find this process.
    package var originURL: String { ownURL.isEmpty ? "http://127.0.0.1:\(port)" : ownURL }

    /// The origins whose pages may ask: those that are named, and the relay's own page, on this machine by both names.
    package var allowedOrigins: [String] {
        // A page may have a path, which no origin has.
        guard publicURL.isEmpty else {
            return origins + [publicURL.split(separator: "/", maxSplits: 3).prefix(2).joined(separator: "//")]
        }
        return origins + [pageURL, pageURL.replacing("//127.0.0.1", with: "//localhost")]
    }

    /// Applies the file, then `ROOST_…` variables, then flags to the defaults; a later source overrides an earlier one.
    /// It throws at the first mistake and never guesses.
    package static func load(
        file: String? = nil, environment: [String: String] = [:], flags: [ConfigurationFlag] = []
    ) throws(ConfigurationFailure) -> ServicesConfiguration {
        try table.load(into: ServicesConfiguration(), file: file, environment: environment, flags: flags).value
    }

    /// These sections as a file has them. They never show a secret.
    package var text: String { ServicesConfiguration.table.text(of: self) }
}
