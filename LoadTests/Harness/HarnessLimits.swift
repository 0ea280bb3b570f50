/// All bounds of the harness with their reasons. Constants; no state.
enum HarnessLimits {
    // MARK: Sockets

    /// Most bytes waiting to be sent on one connection. A harness that queues more measures itself.
    static let sendBytesMax = 4_194_304
    /// Most bytes of one message from the relay. A page of history with the largest bodies fits.
    static let messageBytesMax = 4_194_304
    /// Most bytes of the answer to an upgrade.
    static let handshakeBytesMax = 16_384
    /// Bytes read from a socket at once, into one buffer for all sockets.
    static let readBytes = 262_144
    /// Most connections from one source address. Linux offers some 28,000 ports for each address.
    static let connectionsPerAddress = 10_000
    /// Most connections being opened at once. With more than the relay's backlog, the kernel drops some and they wait 1
    /// s.
    static let dialsMax = 256
    /// Most seconds from `connect` to `welcome`.
    static let connectSeconds = 20.0

    // MARK: Crowd

    /// Time from the first unacked event to the ack of all events since, as in the client library.
    static let ackNanoseconds: UInt64 = 100_000_000
    /// Most unanswered commands in the set-up: enough to keep the relay busy, too few to fill a queue.
    static let setUpWindow = 256
    /// Failed connections of one device after which the set-up is given up.
    static let setUpTries = 5
    /// Most seconds from the first connection to the last conversation.
    static let setUpSeconds = 180.0
    /// Most members named in one command, as the protocol says.
    static let membersPerCommand = 500
    /// Seconds of back-off after a lost connection (Docs/Protocol.md, section 10).
    static let backoffFirst = 0.5
    static let backoffMost = 20.0
    /// Seconds between tries of those who don't back off. Without any, a relay that is down is asked all the time.
    static let impatientSeconds = 0.1
    /// Time until a message is sent again that the relay couldn't take, if it doesn't say, and the longest one.
    static let retryNanoseconds: UInt64 = 500_000_000
    static let retryNanosecondsMax: UInt64 = 10_000_000_000
    /// Most users whose unread counts are checked at the end.
    static let unreadChecks = 500
    /// Most replies that one device waits for, and most messages that wait for its return. Beyond that its messages are
    /// not sent, which shows as fewer sent than due.
    static let pendingMax = 10_000
    /// Interval at which typing is repeated while it lasts. The relay forgets it after 3 s.
    static let typingRefresh: UInt64 = 2_000_000_000

    // MARK: Ledger

    /// Most faults of a kind that are described in words. All are counted.
    static let describedFaults = 5
    /// Longest time after a change until a watcher must see the truth: covers the relay's tick and a loaded machine.
    static let truthSlackSeconds = 2.0

    /// Span in which an earlier pause of the harness matters for when the relay may have seen a connection end.
    static let recentNanoseconds: UInt64 = 10_000_000_000

    /// Time between checks for states that are shown wrongly.
    static let sweepNanoseconds: UInt64 = 250_000_000

    // MARK: Run

    /// Most messages sent in one turn of the loop before it reads again.
    static let arrivalsPerTurn = 2_000
    /// Longest wait of the loop, so that it notices an interruption.
    static let pollNanoseconds: UInt64 = 100_000_000
    /// Seconds of quiet after the set-up, and for leaving.
    static let restSeconds = 1.0

    /// Most users of one process. Each needs a descriptor, and a process may have 20,000.
    static let usersMax = 19_000
    /// Most worker processes.
    static let workersMax = 16
    /// Most seconds of one run.
    static let secondsMax = 86_400.0
    /// Most messages a second, of all users together.
    static let rateMax = 1_000_000.0
}
