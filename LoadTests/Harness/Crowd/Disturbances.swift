/// Records what a scenario does to many sessions at once, and when all were back and live after it. It causes nothing:
/// the code that cuts, stops or stalls reports to it. On the engine's thread only.
final class Disturbances {
    /// One of them, as far as it has come.
    private struct State {
        var result: RunResult.Disturbance
        /// From when on the relay can recover: the storm itself, or the end of a stall.
        var end: UInt64
        /// A session was missing since: then all have to be welcome again before it is over.
        var hasLost: Bool
        /// Time of the last `welcome`, or the end if no device was cut; 0: some are still missing.
        var complete: UInt64 = 0
        var isOver = false
    }

    private let course: Course
    private var states: [State] = []
    /// The last storm: its number, when it began, and how many users it spared.
    private var storm: (number: Int, began: UInt64, spared: Int)?
    /// Latencies that the users spared by a storm noticed, by storm.
    private var bystanders: [Int: BystanderSpans] = [:]

    init(_ course: Course) { self.course = course }

    /// Number of disturbances so far.
    var count: Int { states.count }

    /// The results so far, in the order in which they began.
    var results: [RunResult.Disturbance] {
        states.indices.map { index in
            var result = states[index].result
            result.bystanders = bystanders[index]?.distributions
            return result
        }
    }

    // MARK: Causes

    /// Something begins that sessions have to recover from.
    /// - Parameters:
    ///   - sessions: how many it cuts or stalls.
    ///   - end: from when on they can recover.
    ///   - cuts: whether it ends connections: then it isn't over before one was lost and all are back.
    ///   - spared: how many users, from the first one on, a storm leaves alone.
    func begin(
        _ kind: RunResult.Disturbance.Kind, backoff: Bool = false, sessions: Int, at now: UInt64, end: UInt64,
        cuts: Bool, spared: Int = 0
    ) {
        let result = RunResult.Disturbance(
            kind: kind, at: seconds(now), end: seconds(end), backoff: backoff, sessions: UInt64(sessions))
        if kind == .storm { storm = (states.count, now, spared) }
        states.append(State(result: result, end: end, hasLost: !cuts))
    }

    private func seconds(_ time: UInt64) -> Double {
        (Double(time) - Double(course.measureFrom)) / 1e9
    }

    // MARK: Recovery

    /// Sessions came, went or became live.
    /// - Parameters:
    ///   - isComplete: everybody is welcome who isn't away by plan.
    ///   - behind: how many are welcome and not live.
    func changed(isComplete: Bool, behind: Int, at now: UInt64) {
        for index in states.indices where !states[index].isOver && now >= states[index].end {
            advance(index, isComplete, behind, now)
        }
    }

    private func advance(_ index: Int, _ isComplete: Bool, _ behind: Int, _ now: UInt64) {
        guard isComplete else {
            states[index].hasLost = true
            states[index].complete = 0
            states[index].result.welcomed = .infinity
            return
        }
        guard states[index].hasLost else { return }
        if states[index].complete == 0 {
            states[index].complete = now
            states[index].result.welcomed = Double(now - states[index].end) / 1e9
        }
        guard behind == 0 else { return }
        states[index].result.live = Double(now - states[index].complete) / 1e9
        states[index].isOver = true
    }

    // MARK: Bystanders

    /// A message arrived. It counts for the last storm if that spared both users. When the storm was over is known
    /// later, because those who were cut off may be another process's.
    @inline(__always)
    func delivered(from sender: Int, to reader: Int, due: UInt64, latency: UInt64) {
        guard let storm, sender < storm.spared, reader < storm.spared, due >= storm.began else { return }
        bystanders[storm.number, default: BystanderSpans()].record(latency, after: due - storm.began)
    }
}
