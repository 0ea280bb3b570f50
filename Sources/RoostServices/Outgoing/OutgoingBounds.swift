/// Limits of requests that leave this machine. A value; each bound has its reason beside it.
package struct OutgoingBounds: Sendable, Equatable {
    // MARK: Time

    /// Longest time to connect, with the look-up of the name and TLS. Around the world it takes one second.
    package var connect = Duration.seconds(5)
    /// Longest time for one try, with its wait in the queue. People give up after 10 to 20 seconds.
    package var whole = Duration.seconds(15)
    /// Longest time for all tries of a request. A caller that wants more has a queue of its own.
    package var allTries = Duration.seconds(45)

    // MARK: Tries

    /// Tries of a request: more than three in a row only add to an outage.
    package var tries = 4
    /// The range of the first wait. It doubles with each, up to the longest.
    package var firstWait = Duration.milliseconds(250)
    package var longestWait = Duration.seconds(8)

    // MARK: Room

    /// Transfers at once. Each takes some 100 KiB with its TLS connection.
    package var atOnce = 32
    /// Transfers at once to one host: a slow one leaves most to the others, and servers of mail allow ten.
    package var atOncePerHost = 8
    /// Transfers that wait for their turn. With bodies of 1 MiB at most, usually of 1 KiB.
    package var queue = 256
    /// Connections that are kept open for the next request: as many as work at once.
    package var idleConnections = 32
    /// Bytes of a response, unless the request says another number. Key sets and tokens take 10 KiB.
    package var responseBytes = 262_144
    /// Bytes of a response's header fields. Providers send 2 KiB.
    package var headerBytes = 32_768
    /// Bytes of a request's body, and of a mail.
    package var bodyBytes = 1_048_576
    /// Bytes of a URL. Servers take 8 KiB.
    package var urlBytes = 8_192

    // MARK: Breaker

    /// Failures in a row after which a host is left alone. Chance makes two.
    package var failures = 5
    /// Time for which it is left alone, before one request tries again. People try again after half a minute.
    package var rest = Duration.seconds(30)
    /// Hosts with failures that are remembered: 100 KiB. Beyond it, the one that failed longest ago is forgotten.
    package var hosts = 1_024

    /// The bounds that are in force.
    package init() {}
}
