/// One run in one process: sets up the crowd, lets it talk for as long as the scenario says, waits until everything has
/// arrived, and judges. It owns the loop and runs on the thread that calls `run`; everything it waits for is bounded.
public final class Engine {
    let crowd: Crowd
    let startAt: UInt64?
    var isInterrupted: () -> Bool = { false }
    var observe: (EngineMoment) -> Void = { _ in }
    var timeline: [RunResult.Second] = []
    /// Shares of one core over the measured load: used, and waited for.
    var usageShares = (cpu: 0.0, wait: 0.0)
    /// Time in turns of the loop over the measured load.
    var busyNanoseconds: UInt64 = 0

    /// Draws the crowd; nothing is connected yet.
    public init(plan: EnginePlan) throws(EngineFailure) {
        crowd = try Crowd(plan)
        startAt = plan.startAt
    }

    /// Runs. `interrupted` is asked often; once it is true the load ends early and the run is judged as far as it came.
    /// `observe` gets the progress, on this thread, and must return at once.
    public func run(
        interrupted: @escaping () -> Bool, observe: @escaping (EngineMoment) -> Void
    ) throws(EngineFailure) -> RunResult {
        TimerSlack.minimize()
        isInterrupted = interrupted
        self.observe = observe
        try setUp()
        let load = runLoad()
        settle()
        check()
        leave()
        return report(seconds: load)
    }

    /// One turn: what is due, then what comes, until `deadline` at the latest.
    /// - Parameter planned: nothing that is due later may happen yet, because something else is due then.
    func turn(until deadline: UInt64, planned: UInt64 = .max) {
        let now = SocketLoop.now()
        crowd.advance(to: min(now, planned), at: now)
        crowd.loop.turn(until: min(deadline, crowd.nextDue))
        guard crowd.course.stage == .measuring else { return }
        crowd.books.recorder.recordTurn(crowd.loop.lastTurn)
        busyNanoseconds &+= crowd.loop.lastTurn
    }

    /// Turns until `condition` holds, for so long at most; false: it never did, or the run was interrupted.
    func wait(seconds: Double, until condition: () -> Bool) -> Bool {
        let end = SocketLoop.now() + UInt64(seconds * 1e9)
        while !condition() {
            let now = SocketLoop.now()
            guard now < end, !isInterrupted() else { return false }
            turn(until: min(end, now + HarnessLimits.pollNanoseconds))
        }
        return true
    }
}
