/// Every bound of the harness, in one place, with its reason. Constants; no state.
enum HarnessLimits {
    // MARK: Sockets

    /// Bytes that may wait to be sent on one connection; a harness that queues more measures itself.
    static let sendBytesMax = 4_194_304
    /// Bytes of one message from the relay: a page of history with the largest bodies.
    static let messageBytesMax = 4_194_304
    /// Bytes of the answer to an upgrade.
    static let handshakeBytesMax = 16_384
    /// Bytes read from a socket at once, shared by all.
    static let readBytes = 262_144
    /// Connections from one source address: Linux hands out some 28,000 ports an address.
    static let connectionsPerAddress = 10_000
    /// Connections that are being made at once: below the relay's backlog, or the kernel drops them and they wait 1 s.
    static let dialsMax = 256
    /// From `connect` to `welcome`.
    static let connectSeconds = 20.0

    // MARK: Crowd

    /// From the first event that came to the ack of all that came since, as in the client library.
    static let ackNanoseconds: UInt64 = 100_000_000
    /// Commands of the set-up without a reply: enough to keep the relay busy, too few to fill a queue.
    static let setUpWindow = 256
    /// Failed connections of one device after which the set-up is given up.
    static let setUpTries = 5
    /// From the first connection to the last conversation.
    static let setUpSeconds = 180.0
    /// Members named in one command: a frame of 128 KiB holds 5,000 names.
    static let membersPerCommand = 1_000
    /// Back-off of a device whose connection was lost (Docs/Protocol.md, section 10).
    static let backoffFirst = 0.5
    static let backoffMost = 20.0
    /// Users whose unread counts are asked for at the end.
    static let unreadChecks = 500
    /// Replies that one device waits for; beyond, its messages are not sent, which shows as sent < due.
    static let pendingMax = 10_000
    /// Typing is renewed so often while it lasts; the relay forgets it after 3 s.
    static let typingRefresh: UInt64 = 2_000_000_000

    // MARK: Ledger

    /// Faults of a kind that are described in words; all are counted.
    static let describedFaults = 5
    /// A watcher has to see the truth this long after it had to be true: the relay's tick, and a loaded machine's.
    static let truthSlackSeconds = 2.0

    /// Between looks for what is shown wrongly.
    static let sweepNanoseconds: UInt64 = 250_000_000

    // MARK: Run

    /// Messages that are begun in one turn of the loop before what has come is read.
    static let arrivalsPerTurn = 2_000
    /// The loop turns at least so often, to see whether it was interrupted.
    static let pollNanoseconds: UInt64 = 100_000_000
    /// Quiet time after the set-up, and for leaving.
    static let restSeconds = 1.0

    /// Users of one process: each needs a descriptor, of 20,000 at most.
    static let usersMax = 19_000
    /// Worker processes.
    static let workersMax = 16
    /// Seconds of one run.
    static let secondsMax = 86_400.0
    /// Messages a second, in all.
    static let rateMax = 1_000_000.0
}
