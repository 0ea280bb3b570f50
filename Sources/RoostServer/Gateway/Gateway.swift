import Foundation
import Logging
import RoostAuth
import RoostCore
import RoostStorage
import RoostTLS
import RoostTransport
import RoostWire

/// Connects the pure Relay to the outside. It passes events of the transport to the Relay, and carries out what the
/// Relay asks for: writes to sockets, commits, reads and token checks. It runs on the loop thread only; other threads
/// send it a `Letter`. It decides nothing about messages.
final class Gateway: TransportHandler {
    /// A message from another thread.
    enum Letter: Sendable {
        case committed(CommitReport)
        /// The disk of the store has become full, or has room again.
        case room(Bool)
        case answered(ReadResult)
        case verified(SessionID, Result<Grant, Refusal>)
        /// SIGTERM or SIGINT.
        case drain
        /// SIGHUP, and what was read anew or why it can't be.
        case reloaded(Result<Reloaded, ServerFailure>)
    }

    /// The threads behind the Relay; set once before the loop runs.
    struct Workers {
        var commits: CommitThread
        var reads: ReadPool
        /// Returns the store's statistics.
        var storeStatistics: () -> StorageStatistics
        var keys: KeyRing
        var mailbox: Mailbox<Letter>
    }

    /// Whether the relay serves, or how far it has got with stopping.
    enum Phase {
        case serving
        /// Clients have been asked to reconnect later. Connections are closed at `closeAt`, or once nothing is under
        /// way. The process ends at `stopAt` at the latest. Both are in monotonic milliseconds.
        case draining(closeAt: Int64, stopAt: Int64)
        /// Connections have been closed. Close frames and the last commits are still under way.
        case closing(stopAt: Int64)
        case stopped
    }

    var configuration: Configuration
    let relay: Relay
    let connectionLog: ConnectionLog
    var log: Logger { connectionLog.log }
    var origins: OriginPolicy
    /// The service manager that watches the process; nil if there is none.
    let service: ServiceNotifier?
    let startedAt: Timestamp
    var workers: Workers?
    /// With what new connections speak TLS; nil for plain text.
    var certificate: TLSContext?
    unowned(unsafe) var loop: EventLoop<Gateway>?
    var phase = Phase.serving
    var hasStoreFailed = false
    var commits = (
        microseconds: BucketHistogram(bounds: BucketHistogram.works),
        rows: BucketHistogram(bounds: BucketHistogram.numbers)
    )
    var growth = StoreGrowth()
    var metrics = PageBudget()
    /// Descriptors that are neither sockets of the loop nor its listener's, as counted before the loop runs.
    var otherDescriptors = 0
    let memory = MemoryReturn()
    var clockWatch = ClockWatch()
    // Both clocks, read at most once a turn.
    private var moment: Moment?

    init(_ configuration: Configuration, relay: Relay, log: Logger, startedAt: Timestamp) {
        self.configuration = configuration
        self.relay = relay
        connectionLog = ConnectionLog(log)
        self.startedAt = startedAt
        origins = OriginPolicy(origins: configuration.listen.origins)
        service = ServiceNotifier(ProcessInfo.processInfo.environment)
        noteComingsAsLogged()
    }

    /// The time of this turn.
    var now: Moment {
        if let moment { return moment }
        let read = Clock.now()
        moment = read
        return read
    }

    /// Makes the next use of `now` read the clocks again.
    func forgetTime() { moment = nil }
}
