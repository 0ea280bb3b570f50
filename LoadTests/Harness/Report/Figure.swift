/// A number of a report that has a name: what thresholds and comparisons speak of.
///
/// Latencies are `KIND_pN_ms` and `KIND_max_ms` with the kinds of `LatencyKind` and N of 50, 90, 99, 999 (99.9) and
/// 9999 (99.99); a bare `p99_ms` means `delivery_p99_ms`. They are corrected. Faults have their own names, such as
/// `lost`.
public struct Figure: Sendable, Equatable {
    /// The name, as in scenario files.
    public var name: String
    /// Whether a threshold is the least that is allowed, not the most.
    public var moreIsBetter: Bool

    /// All figures.
    public static let all: [Figure] =
        latencies + Fault.allCases.map { Figure(name: $0.rawValue, moreIsBetter: false) } + [
            Figure(name: "errors", moreIsBetter: false),
            Figure(name: "lost_connections", moreIsBetter: false),
            Figure(name: "missed_signals", moreIsBetter: false),
            Figure(name: "cpu_us_per_delivery", moreIsBetter: false),
            Figure(name: "kib_per_session", moreIsBetter: false),
            Figure(name: "rss_growth_mib", moreIsBetter: false),
            Figure(name: "storm_seconds", moreIsBetter: false),
            Figure(name: "live_seconds", moreIsBetter: false),
            Figure(name: "recovery_seconds", moreIsBetter: false),
            Figure(name: "behind_sessions", moreIsBetter: false),
            Figure(name: "presence_frames", moreIsBetter: false),
            Figure(name: "frames_per_presence", moreIsBetter: false),
            Figure(name: "delayed", moreIsBetter: false),
            Figure(name: "unsent", moreIsBetter: false),
            Figure(name: "deliveries_per_second", moreIsBetter: true),
            Figure(name: "acks_per_second", moreIsBetter: true),
            Figure(name: "catch_up_per_second", moreIsBetter: true),
        ]

    static let percentiles: [(name: String, percent: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p999", 99.9), ("p9999", 99.99),
    ]

    private static let latencies: [Figure] =
        LatencyKind.allCases.flatMap { kind in
            (percentiles.map(\.name) + ["max"]).map { Figure(name: "\(kind.rawValue)_\($0)_ms", moreIsBetter: false) }
        } + (percentiles.map(\.name) + ["max"]).map { Figure(name: "\($0)_ms", moreIsBetter: false) }

    /// The figure with this name, or nil.
    public static func named(_ name: String) -> Figure? { all.first { $0.name == name } }
}
