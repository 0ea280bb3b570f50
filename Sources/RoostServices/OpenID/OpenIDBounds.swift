/// Limits of signing in with providers. A value; each bound has its reason beside it.
package struct OpenIDBounds: Sendable, Equatable {
    // MARK: Sign-ins that have begun

    /// Longest time for a sign-in from the first click to its tokens. People look for a password, or for a phone.
    package var flowSeconds: Int64 = 600
    /// Most unfinished sign-ins: 5 MiB. Beyond it the oldest is forgotten, so that an attacker who wants to push others
    /// out has to begin as many within the half minute that a person takes.
    package var flowsMax = 10_000

    /// Most tries to exchange a code while its provider can't be reached. `Retry-After` says 30 s, so that a page gives
    /// its provider two minutes.
    package var redeemTries = 5
    /// Most bytes of a provider's answer that is kept while its keys can't be fetched. As many as there are flows take
    /// 160 MiB; who has longer tokens begins again.
    package var keptBytes = 16_384

    // MARK: Issuers

    /// Time for which a discovery document and a key set are used before they are fetched again. Issuers publish a key
    /// days before it signs; one that was withdrawn should be gone soon.
    package var cacheSeconds: Int64 = 3_600
    /// Time for which they are used when they can't be fetched again. An issuer that is away for a day isn't used
    /// anyway.
    package var staleSeconds: Int64 = 86_400
    /// Pause after a fetch that failed, or that was caused by an unknown key. An attacker who invents keys causes two
    /// fetches in a minute.
    package var pauseSeconds: Int64 = 30
    /// Bytes of a discovery document, of a key set and of a user's data. Google's have 2 to 4 KiB.
    package var documentBytes = 65_536
    /// Bytes of the answer to a code: an identity token of the length below, and an access token that may be as long.
    package var grantBytes = 196_608
    /// Keys of a set that are looked at. Issuers have two to five.
    package var keysMax = 32

    // MARK: Identity tokens

    /// Most bytes of an identity token. Google's have 1.2 KiB, a company's with hundreds of groups 11 and more.
    package var tokenBytes = 65_536
    /// Largest difference between the issuer's clock and ours, in seconds.
    package var skewSeconds: Int64 = 60
    /// Most bytes of a subject (OpenID Connect Core 1.0, section 2).
    package var subjectBytes = 255
    /// Most bytes of what a provider hands to the browser or to us: codes, and tokens that are no JSON. Apple's have
    /// 100, Google's 250.
    package var codeBytes = 2_048

    // MARK: Accounts

    /// Identities of one account. More than a person has accounts elsewhere.
    package var identitiesMax = 10
    /// Tries to end what a provider has granted: at one an hour, a month. Grants of a provider that is gone are then
    /// forgotten.
    package var grantTries: Int64 = 720
    /// Longest wait between two of these tries, in seconds.
    package var grantPauseSeconds = 3_600.0

    /// The bounds that are in force.
    package init() {}
}

extension OutgoingBounds {
    /// Bounds for requests that a person waits for, each of which holds one of the requests that are worked on at once
    /// (`ServicesLimits.requestsMax`): half of them, for some seconds, whatever an issuer does.
    static var forSignIn: OutgoingBounds {
        var bounds = OutgoingBounds()
        bounds.whole = .seconds(5)
        bounds.allTries = .seconds(8)
        bounds.tries = 2
        bounds.atOnce = 16
        bounds.queue = 16
        return bounds
    }
}
