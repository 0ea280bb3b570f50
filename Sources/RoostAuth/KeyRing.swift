import Dispatch
import RoostWire
import Synchronization

/// The keys of a running relay. When a token names a key that it doesn't have, it reads the files of public keys again,
/// because an issuer may have begun to sign with a new one.
///
/// Any thread may use it. It reads on a thread of Dispatch's, never on the caller's, and at most once in `restSeconds`:
/// an attacker can invent names of keys. Files that can't be read leave the keys as they are.
public final class KeyRing: Sendable {
    /// Shortest time between two such reads. An issuer publishes a key at least this long before it signs with it, so
    /// no token is refused because another token made the relay read the files just before.
    public static let restSeconds = 5

    /// Where the keys come from, and which tokens they are for.
    public struct Source: Sendable {
        /// The relay's own key.
        public var own: SigningKey
        /// Files of public keys, as `VerificationKey.load` reads them.
        public var paths: [String]
        /// The expected audience and issuer; see `TokenVerifier`.
        public var audience, issuer: String?

        /// Creates a source.
        public init(own: SigningKey, paths: [String], audience: String?, issuer: String?) {
            self.own = own
            self.paths = paths
            self.audience = audience
            self.issuer = issuer
        }

        /// Reads the files. It blocks.
        func keys() throws(KeyFailure) -> [VerificationKey] {
            var keys = [VerificationKey(own)]
            for path in paths { keys += try VerificationKey.load(path: path) }
            return keys
        }
    }

    /// Receives the result of each read: the number of keys, or the failure.
    public typealias Report = @Sendable (Result<Int, KeyFailure>) -> Void

    private struct State {
        var verifier: TokenVerifier
        /// Number of times the files were read again.
        var reads = 0
        /// When this was begun last, in nanoseconds of the clock.
        var begunAt: UInt64?
        /// The read that is under way.
        var reading: Task<TokenVerifier?, Never>?
    }

    private let source: Source
    private let clock: @Sendable () -> UInt64
    private let report: Report
    private let state: Mutex<State>

    /// Reads the files. It blocks.
    /// - Parameters:
    ///   - clock: monotonic nanoseconds.
    ///   - report: is called when files were read again, with the number of keys or why they are left as they are.
    public init(
        _ source: Source, clock: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds },
        report: @escaping Report = { _ in }
    ) async throws(KeyFailure) {
        self.source = source
        self.clock = clock
        self.report = report
        state = Mutex(State(verifier: try await KeyRing.verifier(source, try source.keys())))
    }

    /// Number of times the files were read again.
    public var reads: Int { state.withLock { $0.reads } }

    /// Returns what `token` grants at the time `now`, or why it is not accepted.
    public func verify(_ token: String, now: Timestamp) async -> Result<Grant, TokenFailure> {
        let verifier = state.withLock { $0.verifier }
        let result = await verifier.verify(token, now: now)
        guard case .failure = result, !source.paths.isEmpty, verifier.lacksKey(of: token),
            let newer = await newer()
        else { return result }
        return await newer.verify(token, now: now)
    }

    /// The verifier with the files' present keys; nil if they were read a moment ago, or can't be.
    private func newer() async -> TokenVerifier? {
        let reading = state.withLock { state -> Task<TokenVerifier?, Never>? in
            if let reading = state.reading { return reading }
            let now = clock()
            let rest = UInt64(KeyRing.restSeconds) * 1_000_000_000
            if let begunAt = state.begunAt, now < begunAt &+ rest { return nil }
            state.begunAt = now
            state.reads += 1
            let reading = Task { await read() }
            state.reading = reading
            return reading
        }
        return await reading?.value
    }

    private func read() async -> TokenVerifier? {
        let keys = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<[VerificationKey], KeyFailure>, Never>) in
            DispatchQueue.global(qos: .utility).async { [source] in
                continuation.resume(returning: Result { () throws(KeyFailure) in try source.keys() })
            }
        }
        var read: TokenVerifier?
        do throws(KeyFailure) {
            let keys = try keys.get()
            read = try await KeyRing.verifier(source, keys)
            report(.success(keys.count))
        } catch {
            report(.failure(error))
        }
        state.withLock { state in
            if let read { state.verifier = read }
            state.reading = nil
        }
        return read
    }

    private static func verifier(
        _ source: Source, _ keys: [VerificationKey]
    ) async throws(KeyFailure) -> TokenVerifier {
        try await TokenVerifier(keys: keys, audience: source.audience, issuer: source.issuer)
    }
}
