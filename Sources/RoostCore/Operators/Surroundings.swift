import RoostWire

/// What operators want to know of the process around the relay. Loop thread only.
public protocol Surroundings: AnyObject {
    /// Where a connection comes from; nil if that isn't known.
    /// - Parameter attachment: what the host has attached to its session.
    func address(of attachment: AnyObject) -> String?

    /// How the process is now.
    func figures(at now: Moment) -> HostFigures
}

/// How the process around the relay is.
public struct HostFigures: Sendable {
    /// Connections that haven't been welcomed.
    public var strangers = 0
    /// Requests and upgrades refused since the start.
    public var refusedRequests = 0
    /// Times of commits since the start, in microseconds.
    public var commits: BucketHistogram
    /// Times of turns since the start, in microseconds.
    public var turns: BucketHistogram
    /// Bytes of the store with its write-ahead log, and bytes that are free on its disk if that is known.
    public var storeBytes = 0
    /// See `storeBytes`.
    public var freeBytes: Int?
    /// Bytes of memory that the process has.
    public var memoryBytes = 0
    /// Processor time that the process has used, in milliseconds.
    public var processorMilliseconds: Int64 = 0

    /// Creates figures.
    public init(commits: BucketHistogram, turns: BucketHistogram) {
        self.commits = commits
        self.turns = turns
    }
}

/// What an operator had the relay do, for the log and the host.
public struct OperatorDeed: Sendable {
    /// What was done.
    public enum Kind: Sendable {
        /// The connections of a user, or of one device, were closed.
        case disconnect(user: String, device: String?, sessions: Int)
        /// The tokens of a user, or of one device, are no longer good, and the connections were closed.
        case revoke(user: String, device: String?, sessions: Int)
        /// The tokens of a sign-in are no longer good, and its connections were closed.
        case endSignIn(String, sessions: Int)
        /// The messages of a user are erased, page by page.
        case eraseMessages(user: String)
        /// A conversation was erased, or some of its members were removed first.
        case eraseConversation(String)
        /// What a user has reported needs nothing more.
        case closeReport(Int64)
        /// A reported message, and what was written around it, was read.
        case readReport(Int64)
        /// A reported message was deleted.
        case removeReported(Int64)
        /// The relay is to stop. The host does it.
        case drain
    }

    /// The operator's name, from the token.
    public let name: String
    /// What was done.
    public let kind: Kind
}
