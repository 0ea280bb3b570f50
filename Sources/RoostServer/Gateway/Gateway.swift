import Logging
import RoostAuth
import RoostCore
import RoostStorage
import RoostTransport
import RoostWire

/// Joins the pure Relay to the world: carries what the transport hears into the Relay, and what the Relay wants done
/// out to sockets, writer, reader and token checks. Everything in it runs on the loop thread; what other threads have
/// to say comes as a `Letter`. It decides nothing about messages.
final class Gateway: TransportHandler {
    /// What other threads post.
    enum Letter: Sendable {
        case committed(CommitReport)
        case answered(ReadResult)
        case verified(SessionID, Result<Grant, Refusal>)
        /// SIGTERM or SIGINT.
        case drain
    }

    /// The threads behind the Relay; set once before the loop runs.
    struct Workers {
        var commits: CommitThread
        var reads: ReadThread
        var verifier: TokenVerifier
        var mailbox: Mailbox<Letter>
    }

    /// How far stopping has got.
    enum Phase {
        case serving
        /// Clients were told; until this monotonic time they may finish.
        case draining(closeAt: Int64, stopAt: Int64)
        /// Connections were closed; what is left is the log.
        case closing(stopAt: Int64)
        case stopped
    }

    let configuration: Configuration
    let relay: Relay
    let log: Logger
    let origins: OriginPolicy
    let startedAt: Timestamp
    var workers: Workers?
    unowned(unsafe) var loop: EventLoop<Gateway>?
    var phase = Phase.serving
    var hasStoreFailed = false
    var commitSeconds = Histogram(bounds: Histogram.commitBounds)
    var committedRows = 0
    // Both clocks, read once a turn.
    private var moment: Moment?

    init(_ configuration: Configuration, relay: Relay, log: Logger, startedAt: Timestamp) {
        self.configuration = configuration
        self.relay = relay
        self.log = log
        self.startedAt = startedAt
        origins = OriginPolicy(origins: configuration.listen.origins)
    }

    /// This turn's time.
    var now: Moment {
        if let moment { return moment }
        let read = Clock.now()
        moment = read
        return read
    }

    /// The next use reads the clocks again.
    func forgetTime() { moment = nil }
}
