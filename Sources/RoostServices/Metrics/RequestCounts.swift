import RoostWire
import Synchronization

/// Counts and durations of requests since the start. Any thread may use it.
final class RequestCounts: Sendable {
    /// The kind that a request counts as. The route is a pattern of ours, such as `/v1/sessions/{sid}`, not the path
    /// that came.
    struct Kind: Hashable {
        var method: String
        var route: String
        var status: Int
    }

    private struct State {
        // Bounded by the routes, their methods, and the statuses that we send: some thousands.
        var counts: [Kind: Int] = [:]
        var milliseconds = BucketHistogram(bounds: BucketHistogram.waits)
    }

    private let state = Mutex(State())

    func record(_ kind: Kind, took duration: Duration) {
        state.withLock { state in
            state.counts[kind, default: 0] += 1
            state.milliseconds.record(duration.wholeMilliseconds)
        }
    }

    func write(to page: inout Exposition) {
        let now = state.withLock { $0 }
        page.family(
            "roost_services_requests_total", .counter,
            "Requests that were answered, by method, route and status; those of no route are other.")
        for (kind, count) in now.counts.sorted(by: {
            ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
        }) {
            page.sample(
                "roost_services_requests_total", count,
                labels: [("method", kind.method), ("route", kind.route), ("status", "\(kind.status)")])
        }
        page.histogram(
            "roost_services_request_seconds",
            "Time from a request's head until its answer is handed to the connection.",
            now.milliseconds, unit: 1_000)
    }
}

extension Duration {
    /// Rounded down.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000
    }
}
