import HTTPTypes

/// The route of Prometheus, with a token of its own if the operator has set one. Without one only this machine may read
/// it: the counters reveal, for example, whether a mail was sent, and so which addresses have accounts.
struct MetricsRoutes: Sendable {
    let metrics: ServicesMetrics
    /// Empty for none.
    let token: String

    func add(to table: inout RouteTable) {
        let (metrics, token) = (metrics, token)
        table.add(.get, "/metrics") { call throws(ServiceFault) in
            guard token.isEmpty ? call.isLocal : MetricsRoutes.isSame(call.token ?? "", token) else {
                throw ServiceFault(
                    .unauthorized, "/metrics requires a bearer token, or this machine if none is set")
            }
            let page = try await metrics.page()
            return Answer(200, type: "text/plain; version=0.0.4; charset=utf-8", body: page, isPrivate: true)
        }
    }

    /// Compares in constant time, so that the time it takes doesn't reveal how much of the token is right.
    private static func isSame(_ given: String, _ expected: String) -> Bool {
        guard given.utf8.count == expected.utf8.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(given.utf8, expected.utf8) { difference |= one ^ other }
        return difference == 0
    }
}
