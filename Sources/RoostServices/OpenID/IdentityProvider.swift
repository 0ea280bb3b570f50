import RoostServicesConfiguration

/// A provider that people may sign in with. A value.
package struct IdentityProvider: Sendable {
    /// The proof that we are its client.
    enum Secret: Sendable {
        /// No secret: an app that everyone has a copy of can't keep one.
        case none
        case text(String)
        case apple(AppleKey)
    }

    /// The id in paths, such as `google`.
    let id: String
    /// Its name for people.
    let name: String
    /// The issuer in its tokens.
    let issuer: String
    /// Our client for browsers.
    let client: String
    /// Our other clients: apps, to which the provider's own library gives identity tokens.
    let apps: [String]
    /// Other audiences that an identity token may have, beside one of these.
    let audiences: [String]
    /// Whether its addresses count as confirmed if it says nothing of that.
    let trustsAddresses: Bool
    let secret: Secret

    /// A provider as the operator describes it.
    /// - Parameter key: what Apple wants in place of a secret.
    init(id: String, name: String, _ client: OpenIDSettings.Client, key: AppleKey? = nil) {
        self.id = id
        self.name = name
        issuer = client.issuer
        self.client = client.id
        apps = client.apps
        // A token for our page and our app has no other audience.
        audiences = client.audiences + client.apps + (client.id.isEmpty ? [] : [client.id])
        trustsAddresses = client.trustsAddresses
        secret = key.map { .apple($0) } ?? (client.secret.isEmpty ? .none : .text(client.secret))
    }

    /// Accepted values of `iss`. Google's tokens come in two forms
    /// (developers.google.com/identity/sign-in/web/backend-auth).
    var issuers: [String] {
        issuer == "https://accounts.google.com" ? [issuer, "accounts.google.com"] : [issuer]
    }

    /// Whether it sends the browser back with a form, which it does when it is asked for a name.
    var answersByForm: Bool {
        if case .apple = secret { true } else { false }
    }

    /// Whether what it grants must be ended when the account is deleted (Apple's rule 5.1.1(v)). Others grant nothing
    /// that outlives the sign-in, because we don't ask for it.
    var keepsGrants: Bool { answersByForm }

    /// The provider's own parameters of the browser's request, beside those of every flow.
    var query: [(String, String)] {
        switch id {
        case "apple": [("scope", "openid name email"), ("response_mode", "form_post")]
        // A user with several accounts there, or on a shared browser, chooses.
        case "google": [("scope", "openid email profile"), ("prompt", "select_account")]
        default: [("scope", "openid email profile")]
        }
    }

    /// The proof that one of our clients sends.
    func proof(of client: String, now: Int64) throws(ServiceFault) -> ClientProof {
        switch secret {
        case .none: ClientProof(id: client)
        case .text(let secret): ClientProof(id: client, secret: secret)
        case .apple(let key):
            ClientProof(id: client, secret: try key.secret(of: client, issuer: issuer, now: now), isInBody: true)
        }
    }
}
