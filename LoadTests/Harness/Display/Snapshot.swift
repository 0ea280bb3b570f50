/// What the live display shows: the state of the run at one moment, taken once a second. A value.
public struct Snapshot: Sendable {
    /// `connecting`, `warming up`, `measuring`, …
    public var phase: String
    /// Seconds that have passed, of `total`.
    public var elapsed: Double
    /// Seconds in all; 0: not known.
    public var total: Double
    /// Connections that are welcome now.
    public var sessions: UInt64
    /// Messages in the last second.
    public var sentPerSecond: UInt64
    /// Messages in the last second.
    public var ackedPerSecond: UInt64
    /// To devices, in the last second.
    public var deliveredPerSecond: UInt64
    /// Corrected delivery latency of the last second, ns; 0: nothing was delivered.
    public var p50: UInt64
    /// As `p50`.
    public var p99: UInt64
    /// So far.
    public var faults: UInt64
    /// Cores used in the last second; nil: the relay's process isn't known.
    public var relayCPU: Double?
    /// KiB.
    public var relayRSS: Int?
    /// p99 from due to sent, ns.
    public var late99: UInt64
}
