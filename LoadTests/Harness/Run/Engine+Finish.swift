/// After the load: let everything arrive, judge, go.
extension Engine {
    func settle() {
        crowd.course.beginSettling()
        observe(.settling)
        crowd.attendance.callEverybodyBack(at: SocketLoop.now())
        // A second Ctrl-C ends the process; the first one still lets the run be judged.
        let interrupted = isInterrupted
        isInterrupted = { false }
        _ = wait(seconds: crowd.course.scenario.settle) { crowd.isSettled }
        isInterrupted = interrupted
    }

    func check() {
        observe(.checking)
        crowd.verdict.judgeDeliveries()
        crowd.verdict.askForUnread()
        let interrupted = isInterrupted
        isInterrupted = { false }
        _ = wait(seconds: crowd.course.scenario.settle) { crowd.verdict.listsAwaited == 0 }
        isInterrupted = interrupted
        crowd.verdict.judgePeople(at: SocketLoop.now())
    }

    func leave() {
        crowd.course.end()
        let now = SocketLoop.now()
        for device in crowd.cast.devices { device.leave(cleanly: true, at: now) }
        let end = now + UInt64(HarnessLimits.restSeconds * 1e9)
        while SocketLoop.now() < end, crowd.loop.openCount > 0 { crowd.loop.turn(until: end) }
    }

    func report(seconds: Double) -> RunResult {
        var result = RunResult()
        crowd.books.recorder.report(to: &result)
        // A thread that polls uses a whole core; what counts is how much of it was work.
        let busy = seconds > 0 ? Double(busyNanoseconds) / (seconds * 1e9) : 0
        result.health.cpuShare = crowd.loop.polls ? busy : usageShares.cpu
        result.health.waitShare = usageShares.wait
        result.counts = crowd.books.counts
        result.faults = crowd.books.faults
        result.timeline = timeline
        result.errors = crowd.books.errors
        result.relay = crowd.books.relay
        result.durability = crowd.books.durability
        result.seconds = seconds
        result.wasInterrupted = isInterrupted()
        result.disturbances = crowd.disturbances.results
        return result
    }
}
