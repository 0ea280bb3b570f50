import Histogram

/// Records latencies in two histograms for each kind: from due and from sent. Confined to the engine's thread.
final class Recorder {
    /// Ten minutes. Longer latencies count as this.
    static let longest: UInt64 = 600_000_000_000

    private var corrected: [Histogram<UInt64>]
    private var uncorrected: [Histogram<UInt64>]
    // Read once a second while messages wait. With two digits that takes an eighth of the time.
    private var second = Recorder.histogram(.two)
    private(set) var lateness = Recorder.histogram(.two)
    private(set) var turns = Recorder.histogram()

    init() {
        corrected = LatencyKind.allCases.map { _ in Recorder.histogram() }
        uncorrected = LatencyKind.allCases.map { _ in Recorder.histogram() }
    }

    // Three significant digits: an error of at most 0.1 %, in some 250 KiB.
    private static func histogram(_ digits: SignificantDigits = .three) -> Histogram<UInt64> {
        Histogram(highestTrackableValue: longest, numberOfSignificantValueDigits: digits)
    }

    /// Records a latency whose event was due and sent at the same time.
    func record(_ kind: LatencyKind, _ nanoseconds: UInt64) {
        record(kind, corrected: nanoseconds, uncorrected: nanoseconds)
    }

    func record(_ kind: LatencyKind, corrected long: UInt64, uncorrected short: UInt64) {
        let index = kind.index
        corrected[index].record(min(max(1, long), Recorder.longest))
        uncorrected[index].record(min(max(1, short), Recorder.longest))
    }

    /// Records a delivery for the timeline.
    func recordSecond(_ nanoseconds: UInt64) { second.record(min(max(1, nanoseconds), Recorder.longest)) }

    func recordLateness(_ nanoseconds: UInt64) { lateness.record(min(max(1, nanoseconds), Recorder.longest)) }

    func recordTurn(_ nanoseconds: UInt64) { turns.record(min(max(1, nanoseconds), Recorder.longest)) }

    /// Returns what was recorded for the timeline since the last call.
    func takeSecond() -> Distribution {
        let taken = Distribution(second)
        second.reset()
        return taken
    }

    /// Writes the recorded distributions into a result.
    func report(to result: inout RunResult) {
        for kind in LatencyKind.allCases where corrected[kind.index].totalCount > 0 {
            result.corrected[kind] = Distribution(corrected[kind.index])
            result.uncorrected[kind] = Distribution(uncorrected[kind.index])
        }
        result.health.lateness = Distribution(lateness)
        result.health.turns = Distribution(turns)
    }
}

extension LatencyKind {
    fileprivate var index: Int {
        switch self {
        case .delivery: 0
        case .ack: 1
        case .receipt: 2
        case .presence: 3
        case .typing: 4
        case .connect: 5
        case .catchUp: 6
        case .bystander: 7
        }
    }
}
