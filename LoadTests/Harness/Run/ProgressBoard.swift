import Synchronization

/// The engine's last report of its progress, for the sampler's thread, which shows it. With workers there is no such
/// report, and only the relay's cost is shown.
final class ProgressBoard: Sendable {
    fileprivate struct State {
        var phase = "connecting"
        var since = Deadline.now
        var sessions: UInt64 = 0
        var last: LiveFigures?
    }

    private let state = Mutex(State())

    /// Records progress. Engine's thread.
    func note(_ moment: EngineMoment) {
        state.withLock { state in
            switch moment {
            case .settingUp(let done, let all):
                state.sessions = UInt64(max(0, done))
                state.enter(done < all ? "connecting" : "setting up")
            case .connected: state.enter("waiting")
            case .warmup: state.enter("warm-up")
            case .measuring: state.enter("measuring")
            case .settling: state.enter("settling")
            case .checking: state.enter("checking")
            case .second(let figures): state.last = figures
            }
        }
    }

    /// Returns what to show. Sampler's thread.
    func figures(with sample: CostSampler.Sample) -> LiveFigures {
        state.withLock { state in
            var figures = state.last ?? LiveFigures.nothing(sessions: state.sessions)
            let isLoad = state.phase == "warm-up" || state.phase == "measuring"
            if !isLoad || state.last == nil {
                figures.phase = state.phase
                figures.elapsed = Double(sample.at &- min(sample.at, state.since)) / 1_000_000_000
                figures.total = 0
            }
            figures.relayCPU = sample.isKnown ? sample.cpu : nil
            figures.relayRSS = sample.isKnown ? sample.rss : nil
            return figures
        }
    }
}

extension ProgressBoard.State {
    fileprivate mutating func enter(_ phase: String) {
        guard phase != self.phase else { return }
        self.phase = phase
        since = Deadline.now
    }
}

extension LiveFigures {
    fileprivate static func nothing(sessions: UInt64) -> LiveFigures {
        LiveFigures(
            phase: "", elapsed: 0, total: 0, sessions: sessions, sentPerSecond: 0, ackedPerSecond: 0,
            deliveredPerSecond: 0, p50: 0, p99: 0, faults: 0, relayCPU: nil, relayRSS: nil, late99: 0)
    }
}

/// A live display on which the sampler's thread writes.
public final class SharedDisplay: Sendable {
    private let display = Mutex(LiveDisplay())

    /// A display on standard error.
    public init() {}

    /// Shows the state again.
    public func show(_ figures: LiveFigures) { display.withLock { $0.show(figures) } }
}
