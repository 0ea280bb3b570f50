/// The section `openid` of the configuration. A value.
package struct OpenIDSettings: Sendable, Equatable {
    /// The settings that all providers have.
    package struct Client: Sendable, Equatable {
        /// The issuer in its tokens.
        package var issuer: String
        /// Our client for browsers; empty for none.
        package var id: String
        /// Empty for none. Never printed.
        package var secret: String
        /// Our clients in apps.
        package var apps: [String]
        /// Other audiences that identity tokens may have, beside one of these.
        package var audiences: [String]
        /// Whether its addresses count as confirmed if it says nothing of that.
        package var trustsAddresses: Bool

        /// No client, unless it is said.
        package init(
            issuer: String = "", id: String = "", secret: String = "", apps: [String] = [], audiences: [String] = [],
            trustsAddresses: Bool = false
        ) {
            self.issuer = issuer
            self.id = id
            self.secret = secret
            self.apps = apps
            self.audiences = audiences
            self.trustsAddresses = trustsAddresses
        }

        /// Whether people may sign in by it.
        package var isOn: Bool { !id.isEmpty || !apps.isEmpty }
    }

    package var google = Client(issuer: "https://accounts.google.com")
    package var apple = Client(issuer: "https://appleid.apple.com")
    /// The developer's team at Apple.
    package var appleTeam = ""
    /// The name of the key, and its file.
    package var appleKey = ""
    package var appleKeyFile = ""
    /// Any other.
    package var other = Client()
    /// The provider's name for people.
    package var name = "Single sign-on"
    /// The certificates that the issuers' are checked by; empty for the system's.
    package var caFile = ""

    /// No provider.
    package init() {}
}
