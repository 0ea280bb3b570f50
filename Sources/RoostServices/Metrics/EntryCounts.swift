import RoostWire
import Synchronization

/// Counts of successful and failed sign-ins since the start. The code that signs people in counts. Any thread may use
/// it. It keeps nothing about single users.
package final class EntryCounts: Sendable {
    /// The way of a sign-in.
    enum Way: String, CaseIterable {
        case signUp = "sign_up"
        case password, link, openid, refresh
        /// The second step of one of the others, which counts as `factor_required` there.
        case factor
    }

    /// The limit that caused a 429.
    enum Limit: String, CaseIterable {
        /// Attempts of a client's address.
        case address
        /// Failures of an account, or of one of its sessions.
        case account
        /// Codes of an account.
        case factor
        /// Look-ups of a user.
        case lookup
    }

    /// A way and what came of it: `ok`, or the code of a refusal.
    private struct Entry: Hashable {
        var way: Way
        var result: String
    }

    private struct State {
        // Bounded by the ways and the codes.
        var entries: [Entry: Int] = [:]
        var limited: [Limit: Int] = [:]
    }

    private let state = Mutex(State())

    /// Runs a sign-in, and counts its outcome.
    func count<Result: Sendable>(
        _ way: Way, _ body: () async throws(ServiceFault) -> Result
    ) async throws(ServiceFault) -> Result {
        do throws(ServiceFault) {
            let result = try await body()
            note(way, "ok")
            return result
        } catch {
            note(way, error.code.rawValue)
            throw error
        }
    }

    private func note(_ way: Way, _ result: String) {
        state.withLock { $0.entries[Entry(way: way, result: result), default: 0] += 1 }
    }

    /// Counts a refusal because of a limit.
    func refused(by limit: Limit) { state.withLock { $0.limited[limit, default: 0] += 1 } }

    func write(to page: inout Exposition) {
        let now = state.withLock { $0 }
        page.family(
            "roost_services_entries_total", .counter,
            "Sign-ups, sign-ins and refreshes, by the way and by what came of it: ok, or the code of the refusal.")
        for way in Way.allCases {
            let ok = now.entries[Entry(way: way, result: "ok")] ?? 0
            page.sample("roost_services_entries_total", ok, labels: [("way", way.rawValue), ("result", "ok")])
        }
        // Shown from the start, because each is a theft, and an increase needs a number before it.
        let reused = ServiceFault.Code.refreshReused.rawValue
        var refusals = now.entries.filter { $0.key.result != "ok" }
        refusals[Entry(way: .refresh, result: reused), default: 0] += 0
        for (entry, count) in refusals.sorted(by: {
            ($0.key.way.rawValue, $0.key.result) < ($1.key.way.rawValue, $1.key.result)
        }) {
            page.sample(
                "roost_services_entries_total", count,
                labels: [("way", entry.way.rawValue), ("result", entry.result)])
        }
        page.labelled(
            "roost_services_rate_limited_total", .counter, "Requests refused with 429, by what had been used up.",
            by: "limit", Limit.allCases.map { ($0.rawValue, now.limited[$0] ?? 0) })
    }
}
