import DequeModule

/// What happens when time passes: timers, acks that are due, seconds of the timeline.
extension Crowd {
    /// Does all that is due; the order of things due at once is the order in which they were planned.
    func advance(to now: UInt64) {
        while let action = timers.take(dueAt: now) { perform(action, at: now) }
        while let first = acksDue.first, first.at <= now {
            acksDue.removeFirst()
            first.device.isAckPlanned = false
            first.device.flushAck()
        }
        dial()
    }

    /// The next moment at which something is due.
    var nextDue: UInt64 { min(timers.next ?? .max, acksDue.first?.at ?? .max) }

    private func perform(_ action: Timers.Action, at now: UInt64) {
        switch action {
        case .connect(let device): wantsConnection(device, due: now)
        case .giveUpConnecting(let device, let attempt): device.giveUpConnecting(attempt: attempt)
        case .send(let device, let place, let due): send(device, place: place, due: due, at: now)
        case .type(let device, let place, let until):
            if device.isReady { startTyping(device, place: place, until: until, at: now) }
        case .read(let device, let place): read(device, place: place, at: now)
        case .leave(let device, let session): leave(device, session: session, at: now)
        case .stall(let device): stall(device)
        case .resume(let device): resume(device, at: now)
        case .beginStorm(let number): if stage == .measuring { beginStorm(number, at: now) }
        case .beginAbsence: beginAbsence(at: now)
        case .endAbsence: endAbsence(at: now)
        case .sweep: sweep(at: now)
        }
    }

    /// Looks for what is shown wrongly for too long.
    private func sweep(at now: UInt64) {
        presence.sweep(now)
        typing.sweep(now)
        guard stage != .over else { return }
        timers.add(.sweep, at: now + HarnessLimits.sweepNanoseconds)
    }

    /// The load begins now: plans everything that the scenario places in time.
    func beginLoad(at now: UInt64) {
        measureFrom = now + UInt64(scenario.warmup * 1e9)
        measureTo = measureFrom + UInt64(scenario.seconds * 1e9)
        stage = .warmingUp
        func at(_ seconds: Double) -> UInt64 { measureFrom + UInt64(seconds * 1e9) }
        for (number, storm) in scenario.storms.enumerated() { timers.add(.beginStorm(number), at: at(storm.at)) }
        if let catchUp = scenario.catchUp {
            timers.add(.beginAbsence, at: at(catchUp.leave))
            timers.add(.endAbsence, at: at(catchUp.back))
        }
        timers.add(.sweep, at: now)
        for device in devices {
            planLeave(device, at: now)
            device.measuresFrom = min(device.measuresFrom, now)
            let persona = persona(of: device)
            guard persona.stallsAfter > 0 else { continue }
            timers.add(.stall(device), at: at(persona.stallsAfter))
            if persona.stallsFor > 0 { timers.add(.resume(device), at: at(persona.stallsAfter + persona.stallsFor)) }
        }
    }

    /// Ends the second under way.
    func takeSecond() -> RunResult.Second {
        var taken = second
        taken.sessions = UInt64(readyCount)
        taken.delivery = recorder.takeSecond()
        second = RunResult.Second(second: taken.second + 1)
        return taken
    }
}
