import Logging
import RoostCore
import RoostTransport

/// Stops the relay without losing anything: tell clients to come back, finish what is under way, close connections,
/// wait for the last commits. The end of each turn makes the next step. `drain.seconds` bounds it up to
/// the end of the loop; the commit and the copy of the write-ahead log that the disk is busy with then are finished.
extension Gateway {
    /// Time from the announcement to the close: enough for clients to read it and for commits to finish.
    private static var noticeMilliseconds: Int64 { 300 }
    /// Longest time from the close to the end, for close frames to leave.
    private static var goodbyeMilliseconds: Int64 { 1_000 }

    func beginDrain() {
        guard case .serving = phase else { return }
        log.notice(
            "Draining",
            metadata: ["event": "relay.draining", "connections": .stringConvertible(relay.openConnections)])
        service?.stopping()
        let time = now.monotonic
        let budget = Int64(configuration.drain.seconds) * 1_000
        phase = .draining(closeAt: time + min(Self.noticeMilliseconds, budget / 2), stopAt: time + budget)
        loop?.stopAccepting()
        relay.beginDrain(spreadMilliseconds: Int64(configuration.drain.spreadSeconds) * 1_000, at: now)
    }

    /// When the next turn must end even if nothing happens, in monotonic milliseconds.
    var nextDrainStep: Int64 {
        switch phase {
        case .serving, .stopped: Int64.max
        case .draining(let closeAt, _): max(closeAt, now.monotonic + 20)
        case .closing(let stopAt): min(stopAt, now.monotonic + 20)
        }
    }

    func stepDrain() {
        let time = now.monotonic
        switch phase {
        case .serving, .stopped: return
        case .draining(let closeAt, let stopAt):
            guard time >= stopAt || (time >= closeAt && relay.isSettled) else { return }
            relay.closeAll(at: now)
            phase = .closing(stopAt: min(stopAt, time + Self.goodbyeMilliseconds))
            for session in relay.takeTouched() { flush(session) }
        case .closing(let stopAt):
            guard time >= stopAt || (relay.openConnections == 0 && relay.isSettled) else { return }
            phase = .stopped
            loop?.stop()
        }
    }
}
