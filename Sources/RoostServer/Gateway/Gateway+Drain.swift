import Logging
import RoostCore
import RoostTransport

/// Stopping without losing anything: tell everybody, finish what is under way, close, let the log settle. Driven by
/// the end of each turn, bounded by `drain.seconds`.
extension Gateway {
    /// From the announcement to the close: long enough for a client to read it and for commits under way.
    private static var noticeMilliseconds: Int64 { 300 }
    /// From the close to the end, for close frames to leave.
    private static var goodbyeMilliseconds: Int64 { 1_000 }

    func beginDrain() {
        guard case .serving = phase else { return }
        log.notice("Draining", metadata: ["connections": "\(relay.openConnections)"])
        let time = now.monotonic
        let budget = Int64(configuration.drain.seconds) * 1_000
        phase = .draining(closeAt: time + min(Self.noticeMilliseconds, budget / 2), stopAt: time + budget)
        loop?.stopAccepting()
        relay.beginDrain(spreadMilliseconds: Int64(configuration.drain.spreadSeconds) * 1_000, at: now)
    }

    /// When the end of the turn has to come, in monotonic milliseconds, if nothing else happens.
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
