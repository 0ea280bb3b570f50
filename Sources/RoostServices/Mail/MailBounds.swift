/// Limits of mail that is sent. A value; each bound has its reason beside it.
package struct MailBounds: Sendable, Equatable {
    /// Letters that wait for a server or for another try, of 4 KiB each. At a hundred a second, ten seconds of them.
    package var letters = 1_000
    /// Waits before further tries. Greylisting usually takes from one to five minutes; a link is good for half an hour,
    /// so that a letter that comes later is of no use.
    package var waits: [Duration] = [.seconds(15), .seconds(60), .seconds(120), .seconds(240), .seconds(480)]
    /// The most, by chance, before the first try of a letter that anybody may ask for by an address: at once, the work
    /// of sending it would slow down the request that comes next, and tell that the address has an account.
    package var delay = Duration.seconds(2)
    /// Largest random extension of a wait: mails that failed together don't come back together.
    package var spread = 0.25

    /// The bounds that are in force.
    package init() {}
}
