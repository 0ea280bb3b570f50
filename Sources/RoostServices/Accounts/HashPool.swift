import CLinux
import Foundation
import RoostWire
import Synchronization

/// Threads of its own for hashing passwords, and a bounded queue before them: never Swift's pool, which everything else
/// waits for. Any thread may ask.
package final class HashPool: Sendable {
    private let desk: HashDesk
    private let milliseconds = Mutex(BucketHistogram(bounds: BucketHistogram.waits))
    private let decoys: Mutex<DecoyHashes>

    /// Starts the threads. Tests say how a thread becomes one that waits for all others.
    package init(
        limits: ServicesLimits, becomingIdle: @escaping @Sendable () -> Void = { _ = roost_run_when_idle() }
    ) throws(ServiceFault) {
        guard let made = DecoyHashes() else {
            throw ServiceFault(.unavailable, "there is no memory to hash passwords with")
        }
        decoys = Mutex(made)
        let desk = HashDesk(limits: limits)
        self.desk = desk
        for number in 1...max(1, limits.hashThreads) {
            // A sign-in can wait; messages can't. A nicer thread keeps the processor until its slice is over (since
            // Linux 6.6), which made the relay wait for milliseconds.
            HashPool.start("hash \(number)", becomingIdle, on: desk.next, of: desk)
        }
        // On a machine that is busy all the time nothing is ever idle, and no sign-in would succeed.
        HashPool.start("hash late", { _ = roost_run_after_others() }, on: desk.nextLate, of: desk)
    }

    private static func start(
        _ name: String, _ prepare: @escaping @Sendable () -> Void, on next: @escaping @Sendable () -> HashJob?,
        of desk: HashDesk
    ) {
        let thread = Thread {
            prepare()
            while let job = next() {
                job.run()
                desk.end(job)
            }
        }
        thread.name = name
        thread.start()
    }

    deinit { desk.stop() }

    /// Hashes a new password.
    /// - Parameter mayUseReserve: whether it gets a place of the queue that is kept for those who make few attempts.
    package func hash(_ password: String, mayUseReserve: Bool = true) async throws(ServiceFault) -> String {
        guard let hash = try await run(mayUseReserve, { Argon2.hash(password) }) else { throw HashPool.noMemory }
        return hash
    }

    /// The result of a check.
    package struct Verdict: Sendable, Equatable {
        /// Whether it is the password.
        package var isRight: Bool
        /// A new hash, if the old one has other parameters than today's, or is one of Firebase's.
        package var renewed: String?
    }

    /// Checks a password. Without a hash it does the same work and says no.
    /// - Parameters:
    ///   - digest: of the address, by a key that is ours.
    ///   - mayUseReserve: whether it gets a place of the queue that is kept for those who make few attempts.
    package func verify(
        _ password: String, against hash: String?, digest: [UInt8] = [], mayUseReserve: Bool = true
    ) async throws(ServiceFault) -> Verdict {
        let checked = hash ?? decoys.withLock { $0.hash(for: digest) }
        let verdict: Verdict? = try await run(mayUseReserve) {
            guard let isRight = HashPool.isRight(password, checked) else { return nil }
            guard let hash, isRight else { return Verdict(isRight: false) }
            return Verdict(isRight: true, renewed: hash.hasPrefix(Argon2.head) ? nil : Argon2.hash(password))
        }
        guard let verdict else { throw HashPool.noMemory }
        return verdict
    }

    private static func isRight(_ password: String, _ hash: String) -> Bool? {
        guard hash.hasPrefix(FirebaseScrypt.mark) else { return Argon2.verify(password, against: hash) }
        return FirebaseScrypt(reading: hash)?.verify(password)
    }

    /// Has as many unknown addresses take the time of Firebase's hashes as known ones do.
    func adaptDecoys(to hash: String?, share: Double) { decoys.withLock { $0.adapt(to: hash, share: share) } }

    private static let noMemory = ServiceFault(.unavailable, "passwords can't be checked at the moment")

    private func run<Result: Sendable>(
        _ mayUseReserve: Bool, _ body: @escaping @Sendable () -> Result
    ) async throws(ServiceFault) -> Result {
        let began = ContinuousClock.now
        let result: Result? = await withCheckedContinuation { continuation in
            let job = HashJob {
                let result = body()
                return { continuation.resume(returning: result) }
            }
            if !desk.add(job, mayUseReserve: mayUseReserve) { continuation.resume(returning: nil) }
        }
        guard let result else {
            throw ServiceFault(
                .busy, "too many passwords are being checked", retryAfter: desk.busySeconds)
        }
        let took = (.now - began).wholeMilliseconds
        milliseconds.withLock { $0.record(took) }
        return result
    }

    func write(to page: inout Exposition) {
        page.single("roost_services_hash_queue", .gauge, "Passwords that wait to be hashed.", desk.waiting)
        page.histogram(
            "roost_services_hash_seconds", "Time to hash or check a password, with its wait in the queue.",
            milliseconds.withLock { $0 }, unit: 1_000)
    }
}
