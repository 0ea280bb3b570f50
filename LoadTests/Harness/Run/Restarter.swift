import Foundation
import Glibc

/// Stops the relay and starts it again at the moments that a scenario names, on a thread of its own: the engine's must
/// not wait for a process. While it runs, the relay is its alone; the others look at it after `end`.
final class Restarter: @unchecked Sendable {
    private let relay: RelayProcess
    private let restarts: [Scenario.Restart]
    private let sampler: CostSampler
    private let lock = NSCondition()
    // All under the lock.
    private var isRunning = false
    private var mustEnd = false
    private var problem: RunFailure?

    init(_ relay: RelayProcess, _ restarts: [Scenario.Restart], _ sampler: CostSampler) {
        self.relay = relay
        self.restarts = restarts.sorted { $0.at < $1.at }
        self.sampler = sampler
    }

    /// Why the relay couldn't be started again; nil so far.
    var failure: RunFailure? { lock.withLock { problem } }

    /// The measured load has begun, at this time. Returns at once.
    func begin(at begin: UInt64) {
        guard !restarts.isEmpty else { return }
        lock.withLock { isRunning = true }
        Thread { [self] in
            for restart in restarts { carryOut(restart, since: begin) }
            lock.withLock {
                isRunning = false
                lock.broadcast()
            }
        }.start()
    }

    /// Nothing is begun any more; waits until what was begun is done.
    func end() {
        lock.withLock {
            mustEnd = true
            lock.broadcast()
            while isRunning { lock.wait() }
        }
    }

    private func carryOut(_ restart: Scenario.Restart, since begin: UInt64) {
        guard sleep(until: begin + UInt64(restart.at * 1e9)) else { return }
        sampler.follow(nil)
        switch restart.how {
        case .kill: relay.halt(signal: SIGKILL)
        case .drain: relay.halt(signal: SIGTERM)
        }
        _ = sleep(until: Deadline.now + UInt64(restart.down * 1e9))
        do throws(RunFailure) {
            try relay.startAgain()
            sampler.follow(relay.pid)
        } catch {
            lock.withLock { if problem == nil { problem = error } }
        }
    }

    /// False: it has to end, or the relay is gone.
    private func sleep(until time: UInt64) -> Bool {
        lock.withLock {
            while !mustEnd, problem == nil, Deadline.now < time {
                let left = Double(time - min(time, Deadline.now)) / 1e9
                _ = lock.wait(until: Date(timeIntervalSinceNow: left))
            }
            return !mustEnd && problem == nil
        }
    }
}

/// Ports for a relay that has to come back on its own. No state.
enum RelayPort {
    /// Below the ports that Linux gives to connections (ip(7), `ip_local_port_range`): while the relay is down, the
    /// devices that try to reach it must not be given its port.
    private static let range: ClosedRange<UInt16> = 20_000...32_000
    private static let tries = 64

    /// A port on which no process listens now.
    static func free() throws(RunFailure) -> UInt16 {
        for _ in 0..<tries {
            let port = UInt16.random(in: range)
            if isFree(port) { return port }
        }
        throw RunFailure("no free port from \(range.lowerBound) to \(range.upperBound) was found")
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return false }
        defer { close(file) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, size) == 0 }
        }
    }
}
