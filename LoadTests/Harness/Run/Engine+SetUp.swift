/// Connections, conversations and watching, before anything is measured.
extension Engine {
    func setUp() throws(EngineFailure) {
        try connectAll()
        try createRooms()
        try startWatching()
        // What the set-up made the relay do is over before its memory at rest is looked at.
        _ = wait(seconds: HarnessLimits.restSeconds) { false }
        crowd.books.counts.sessions = UInt64(crowd.attendance.readyCount)
        observe(.connected)
        guard let startAt else { return }
        _ = wait(seconds: HarnessLimits.setUpSeconds) { SocketLoop.now() >= startAt }
    }

    private func connectAll() throws(EngineFailure) {
        let count = crowd.cast.devices.count
        let begin = SocketLoop.now()
        let gap = crowd.course.scenario.connectRate > 0 ? 1e9 / crowd.course.scenario.connectRate : 0
        for device in crowd.cast.devices {
            let due = begin + UInt64(Double(device.index) * gap)
            if gap > 0 {
                device.phase = .waiting
                crowd.course.timers.add(.connect(device), at: due)
            } else {
                crowd.attendance.wantsConnection(device, due: due)
            }
        }
        var told = -1
        let isDone = wait(seconds: HarnessLimits.setUpSeconds) {
            if crowd.attendance.readyCount != told {
                told = crowd.attendance.readyCount
                observe(.settingUp(done: told, of: count))
            }
            return told == count || crowd.attendance.isHopeless
        }
        guard isDone, !crowd.attendance.isHopeless else {
            let why = crowd.attendance.lastEnding.map { "; the last one that ended: \($0)" } ?? ""
            throw EngineFailure(
                isInterrupted()
                    ? "interrupted" : "\(crowd.attendance.readyCount) of \(count) sessions could be opened\(why)"
            )
        }
    }

    private func createRooms() throws(EngineFailure) {
        var next = 0
        try step("conversations could not be created") {
            next = crowd.preparation.createRooms(from: next)
            return next == crowd.cast.rooms.count
        }
    }

    private func startWatching() throws(EngineFailure) {
        guard crowd.course.scenario.watch > 0 else { return }
        var next = 0
        try step("presence could not be watched") {
            next = crowd.preparation.watch(from: next)
            return next == crowd.course.scenario.users
        }
    }

    private func step(_ failure: String, _ begin: () -> Bool) throws(EngineFailure) {
        let isDone = wait(seconds: HarnessLimits.setUpSeconds) {
            (begin() && crowd.preparation.stepsUnderWay <= 0) || crowd.preparation.failure != nil
        }
        if let why = crowd.preparation.failure { throw EngineFailure("\(failure): the relay answered \(why)") }
        guard isDone else { throw EngineFailure(isInterrupted() ? "interrupted" : "\(failure) in time") }
    }
}
