import RoostClient
import RoostWire

/// Asks the relay again for as long as it asks to come back later.
struct Patience: Sendable {
    /// Measures the waits.
    let sleep: @Sendable (Duration) async throws -> Void

    @discardableResult
    func callAsFunction<Reply: Sendable>(
        _ ask: @Sendable () async throws(RoostFailure) -> Reply
    ) async throws -> Reply {
        while true {
            do throws(RoostFailure) {
                return try await ask()
            } catch {
                guard case .refused(let refusal) = error, refusal.isTemporary else { throw error }
                try await sleep(refusal.retryAfter ?? .seconds(1))
            }
        }
    }
}
