import RoostWire

/// The process around the relay, for operators. Loop thread only.
public protocol Surroundings: AnyObject {
    /// Where a connection comes from; nil if that isn't known.
    /// - Parameter attachment: what the host has attached to its session.
    func address(of attachment: AnyObject) -> String?

    /// Returns the present figures of the process.
    func figures(at now: Moment) -> HostFigures
}

/// Figures of the process around the relay.
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

/// An operator's act on the relay, for the log and the host.
public struct OperatorDeed: Sendable {
    /// The kind of act.
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
        /// A report was closed as needing nothing more.
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
    /// The kind of act.
    public let kind: Kind
}
