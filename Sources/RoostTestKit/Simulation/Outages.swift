import RoostCore
import RoostWire

/// The ways in which the relay's process ends: it dies, it drains as it should, or its store fails. Another one takes
/// its place, from what is durable.
final class Outages {
    private let world: World
    private let ledger: Ledger
    private let host: SimulatedHost
    private let clients: SimulatedClients
    private let durable: DurableCheck

    init(
        _ world: World, _ ledger: Ledger, _ host: SimulatedHost, _ clients: SimulatedClients, _ durable: DurableCheck
    ) {
        self.world = world
        self.ledger = ledger
        self.host = host
        self.clients = clients
        self.durable = durable
    }

    /// The process dies. The batch that it had handed to the store may have become durable or not; a new one starts
    /// from the log.
    func crash() {
        world.tally.crashes += 1
        world.trace.note(world.time, "relay", "crash", "")
        restart(after: .died(host.batchUnderWay))
    }

    /// The relay stops as it should, and another one takes its place: nothing is lost.
    func drain() {
        world.tally.drains += 1
        world.trace.note(world.time, "relay", "drain", "")
        world.isStopping = true
        host.relay.beginDrain(spreadMilliseconds: 1_000, at: world.now)
        host.advance(Int64(world.random.within(0...300)))
        var waits = 0
        while host.relay.pendingEvents > 0, waits < 1_000 {
            host.advance(10)
            waits += 1
        }
        let open = host.connections.filter { $0.session.closing == nil }
        host.relay.closeAll(at: world.now)
        for connection in open where connection.session.closing != .drain {
            world.fail("\(connection.label) isn't closed by a drain")
        }
        for connection in open where connection.isReady || connection.isFast && connection.isWelcome {
            if connection.isReady { world.fail("\(connection.label) is still served after a drain") }
            if !connection.wasWarned, connection.isUpToDate(at: world.time) {
                world.fail("\(connection.label) wasn't told of a drain")
            }
        }
        host.endTurn()
        waits = 0
        while !host.relay.isSettled, waits < 1_000 {
            host.advance(10)
            waits += 1
        }
        if !host.relay.isSettled { world.fail("a relay that drains doesn't come to an end") }
        durable.checkNothingLost()
        restart(after: .stopped)
    }

    /// The store fails: nothing more is acked, and the relay stops.
    func failStore() {
        guard host.batchUnderWay != nil else { return }
        world.tally.failures += 1
        world.trace.note(world.time, "store", "failure", "")
        let inDoubt = host.failCommit()
        world.failedAt = world.time
        host.advance(Int64(world.random.within(0...2_000)))
        restart(after: .failed(inDoubt))
    }

    private func restart(after end: ProcessEnd) {
        if let outcomes = host.store.reopen(after: end, &world.random), let batch = end.batch {
            ledger.apply(batch, outcomes, at: world.time)
        }
        host.forgetProcess()
        clients.forgetAnswers()
        for violation in host.store.takeViolations() + ledger.takeViolations() { world.fail(violation) }
        durable.checkLog()
        var isComplete = false
        if case .stopped = end { isComplete = true }
        durable.forgetWhatWasNotDurable(isComplete: isComplete)
        // Most restarts take no time that counts, some longer than an absent user is shown as online.
        if world.random.chance(20) {
            host.sleep(Int64(world.random.within(0...Int(2 * world.day.limits.downMilliseconds))))
        }
        durable.raiseGhosts()
        host.startAgain()
    }
}
