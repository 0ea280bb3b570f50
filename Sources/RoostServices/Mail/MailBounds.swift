/// Limits of mail that is sent. A value; each bound has its reason beside it.
package struct MailBounds: Sendable, Equatable {
    /// Letters that wait for a server or for another try, of 4 KiB each. At a hundred a second, ten seconds of them.
    package var letters = 1_000
    /// Waits before further tries. Greylisting usually takes from one to five minutes; a link is valid for half an
    /// hour, so that a later mail is of no use.
    package var waits: [Duration] = [.seconds(15), .seconds(60), .seconds(120), .seconds(240), .seconds(480)]
    /// Longest random wait before the first try of a mail that anyone may ask for by an address: sent at once, its work
    /// would slow down the next request, and so reveal that the address has an account.
    package var delay = Duration.seconds(2)
    /// Largest random extension of a wait: mails that failed together don't come back together.
    package var spread = 0.25

    /// The bounds that are in force.
    package init() {}
}
