import RoostCore
import RoostWire

/// How connections end, and what that means for who is there.
extension Simulation {
    /// The relay has decided to end the connection: from now on it counts as gone.
    func noteClosing(_ connection: SimulatedConnection) {
        guard let code = connection.session.closing, connection.device.connection === connection else { return }
        noteEnd(connection, isClean: code == .normal || code == .drain)
    }

    /// The relay took the connection for its device, in place of one that was there.
    func noteReady(_ connection: SimulatedConnection) {
        let device = connection.device
        guard connection.isReady, device.connection !== connection else { return }
        if let old = device.connection {
            tally.takeovers += 1
            if old.activity != .background { noteSeen(device.user) }
        }
        device.linger = nil
        device.connection = connection
        // Its own welcome and snapshot are in the outbox; truth begins with it.
        noteTruth(of: device.user)
    }

    func noteEnd(_ connection: SimulatedConnection, isClean: Bool) {
        let device = connection.device
        guard device.connection === connection else { return }
        device.connection = nil
        tally.closes += 1
        if !isClean, !isDraining, !isFailed, connection.activity != .background {
            device.linger = (connection.activity, time + scenario.limits.graceMilliseconds)
        }
        if connection.activity != .background { noteSeen(device.user) }
        noteTruth(of: device.user)
    }

    func noteSeen(_ user: SimulatedUser) {
        user.lastSeen = now.wall.milliseconds...now.wall.milliseconds
    }

    // MARK: Faults of the world

    /// A client goes: with a bye, with a close frame, with a broken connection, or without a word.
    func drop(_ connection: SimulatedConnection) {
        tally.drops += 1
        trace.note(time, connection.label, "drop", "")
        if random.chance(scenario.sleepers) { connection.device.asleepUntil = stepsTaken + random.within(50...700) }
        switch random.below(10) {
        case 0 where !connection.hasVanished:
            connection.hasVanished = true
        case 1:
            finish(connection, isClean: true)
        default:
            if fault == .ghostConnection, random.chance(60) {
                hasPlanted = true
                noteEnd(connection, isClean: false)
                connection.isClosed = true
                connections.removeAll { $0 === connection }
                return
            }
            finish(connection, isClean: false)
        }
    }

    /// The process dies. What it had handed to the store may have become durable or not; a new one starts from the log.
    func crash() {
        tally.crashes += 1
        trace.note(time, "relay", "crash", "")
        if let held = batch, held.predicted == nil, random.chance(50) {
            ledger.apply(held.mutations, log.commit(held.mutations))
        } else if let logBefore, batch == nil {
            hasPlanted = true
            log = logBefore
        }
        logBefore = nil
        restart()
    }

    /// The relay stops as it should, and another one takes its place: nothing is lost.
    func drain() {
        tally.drains += 1
        trace.note(time, "relay", "drain", "")
        isDraining = true
        relay.beginDrain(spreadMilliseconds: 1_000, at: now)
        advance(Int64(random.within(0...300)))
        var waits = 0
        while relay.pendingEvents > 0, waits < 1_000 {
            advance(10)
            waits += 1
        }
        let open = connections.filter { $0.session.closing == nil }
        relay.closeAll(at: now)
        for connection in open where connection.session.closing != .drain {
            fail("\(connection.label) isn't closed by a drain")
        }
        for connection in open where connection.isReady || connection.isFast && connection.isWelcome {
            if connection.isReady { fail("\(connection.label) is still served after a drain") }
            if !connection.wasWarned, isUpToDate(connection) { fail("\(connection.label) wasn't told of a drain") }
        }
        endTurn()
        waits = 0
        while !relay.isSettled, waits < 1_000 {
            advance(10)
            waits += 1
        }
        if !relay.isSettled { fail("a relay that drains doesn't come to an end") }
        checkNothingLost()
        restart()
    }

    /// The store fails: nothing more is acked, and the relay stops.
    func failStore() {
        guard let held = batch, held.predicted == nil else { return }
        tally.failures += 1
        trace.note(time, "store", "failure", "")
        batch = nil
        // It may be there after the restart all the same.
        if random.chance(50) { ledger.apply(held.mutations, log.commit(held.mutations)) }
        isFailed = true
        relay.commitFailed(at: now)
        advance(Int64(random.within(0...2_000)))
        restart()
    }

    private func restart() {
        tally.spills += relay.counters.spills
        batch = nil
        reads.removeAll()
        verifications.removeAll()
        answers.removeAll()
        for connection in connections {
            connection.isClosed = true
            connection.session.attachment = nil
        }
        connections.removeAll()
        isDraining = false
        isFailed = false
        if fault == .forgottenKeys {
            hasPlanted = true
            log.forgetKeys()
        }
        for violation in ledger.violations { fail(violation) }
        ledger.violations.removeAll()
        checkLog()
        forgetWhatWasNotDurable()
        relay = Simulation.start(log, scenario, random.next(), now)
        endTurn()
    }
}
