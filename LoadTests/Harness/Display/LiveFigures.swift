/// The state of the run at one moment, for the live display. Taken once a second. A value.
public struct LiveFigures: Sendable {
    /// `connecting`, `warming up`, `measuring`, …
    public var phase: String
    /// Seconds since the beginning of the phase, of `total`.
    public var elapsed: Double
    /// Seconds that the phase takes; 0 if unknown.
    public var total: Double
    /// Number of welcomed connections.
    public var sessions: UInt64
    /// Messages sent in the last second.
    public var sentPerSecond: UInt64
    /// Messages acked in the last second.
    public var ackedPerSecond: UInt64
    /// Deliveries to devices in the last second.
    public var deliveredPerSecond: UInt64
    /// Median of the corrected delivery latency in the last second, in ns; 0 if nothing was delivered.
    public var p50: UInt64
    /// 99th percentile of the same.
    public var p99: UInt64
    /// Faults so far.
    public var faults: UInt64
    /// Cores used in the last second; nil if the relay's process isn't known.
    public var relayCPU: Double?
    /// The relay's resident memory in KiB.
    public var relayRSS: Int?
    /// 99th percentile of the time from due to sent, in ns.
    public var late99: UInt64
}
