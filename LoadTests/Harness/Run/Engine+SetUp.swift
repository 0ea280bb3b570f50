/// Connections, conversations and watching, before anything is measured.
extension Engine {
    func setUp() throws(EngineFailure) {
        try connectAll()
        try createRooms()
        try startWatching()
        // What the set-up made the relay do is over before its memory at rest is looked at.
        _ = wait(seconds: HarnessLimits.restSeconds) { false }
        crowd.counts.sessions = UInt64(crowd.readyCount)
        observe(.connected)
        guard let startAt else { return }
        _ = wait(seconds: HarnessLimits.setUpSeconds) { SocketLoop.now() >= startAt }
    }

    private func connectAll() throws(EngineFailure) {
        let count = crowd.devices.count
        let begin = SocketLoop.now()
        let gap = crowd.scenario.connectRate > 0 ? 1e9 / crowd.scenario.connectRate : 0
        for device in crowd.devices {
            let due = begin + UInt64(Double(device.index) * gap)
            if gap > 0 {
                device.phase = .waiting
                crowd.timers.add(.connect(device), at: due)
            } else {
                crowd.wantsConnection(device, due: due)
            }
        }
        var told = -1
        let isDone = wait(seconds: HarnessLimits.setUpSeconds) {
            if crowd.readyCount != told {
                told = crowd.readyCount
                observe(.settingUp(done: told, of: count))
            }
            return told == count || crowd.isHopeless
        }
        guard isDone, !crowd.isHopeless else {
            let why = crowd.lastEnding.map { "; the last one that ended: \($0)" } ?? ""
            throw EngineFailure(
                isInterrupted() ? "interrupted" : "\(crowd.readyCount) of \(count) sessions were begun\(why)")
        }
    }

    private func createRooms() throws(EngineFailure) {
        var next = 0
        try step("conversations could not be made") {
            next = crowd.createRooms(from: next)
            return next == crowd.rooms.count
        }
    }

    private func startWatching() throws(EngineFailure) {
        guard crowd.scenario.watch > 0 else { return }
        var next = 0
        try step("presence could not be watched") {
            next = crowd.watch(from: next)
            return next == crowd.scenario.users
        }
    }

    private func step(_ failure: String, _ begin: () -> Bool) throws(EngineFailure) {
        let isDone = wait(seconds: HarnessLimits.setUpSeconds) {
            (begin() && crowd.setUpSteps <= 0) || crowd.setUpFailure != nil
        }
        if let why = crowd.setUpFailure { throw EngineFailure("\(failure): the relay answered \(why)") }
        guard isDone else { throw EngineFailure(isInterrupted() ? "interrupted" : "\(failure) in time") }
    }
}
