import RoostAuth
import RoostConfiguration
import RoostServicesConfiguration

extension OpenID.Settings {
    /// The part of the configuration that is about signing in with others.
    /// - Throws: what is missing, or can't be used, in one line.
    init(_ configuration: ServicesConfiguration, rule: EndpointRule) throws(ConfigurationFailure) {
        self.init()
        ownURL = configuration.originURL
        pageURL = configuration.pageURL
        let written = configuration.openID
        if written.google.isOn {
            providers.append(IdentityProvider(id: "google", name: "Google", written.google))
        }
        if written.apple.isOn {
            providers.append(IdentityProvider(id: "apple", name: "Apple", written.apple, key: try Self.key(written)))
        }
        if written.other.isOn {
            guard !written.other.issuer.isEmpty else {
                throw ConfigurationFailure("openid.issuer: is missing; openid.client_id needs it")
            }
            providers.append(IdentityProvider(id: "sso", name: written.name, written.other))
        } else if !written.other.issuer.isEmpty {
            throw ConfigurationFailure("openid.client_id: is missing; openid.issuer needs it")
        }
        for provider in providers where !rule.allows(provider.issuer) {
            throw ConfigurationFailure(
                "openid: the issuer of \(provider.id) must have https, or be on this machine and among "
                    + "services.allowed_addresses")
        }
    }

    private static func key(_ written: OpenIDSettings) throws(ConfigurationFailure) -> AppleKey {
        let needed = [
            ("openid.apple_team_id", written.appleTeam), ("openid.apple_key_id", written.appleKey),
            ("openid.apple_key_file", written.appleKeyFile),
        ]
        for (key, value) in needed where value.isEmpty {
            throw ConfigurationFailure("\(key): is missing; signing in with Apple needs it")
        }
        do throws(KeyFailure) {
            return try AppleKey(team: written.appleTeam, name: written.appleKey, path: written.appleKeyFile)
        } catch {
            throw ConfigurationFailure("openid.apple_key_file: \(error)")
        }
    }
}

extension AddressPolicy {
    /// The addresses that the configuration names are allowed, too.
    init(_ configuration: ServicesConfiguration) {
        self.init(allowed: configuration.allowedAddresses.compactMap { AddressRange($0) })
    }
}
