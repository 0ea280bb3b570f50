import RoostCore
import RoostWire

/// A day in the life of a relay, drawn from a seed: people with devices that connect, write, read slowly, drop, come
/// back, while the store is slow and the process dies now and then; and a checker that knows what ought to come of it
/// (DESIGN, section 1, lines 1–6). No thread, no clock, nothing that differs between two runs of one seed.
public final class Simulation {
    /// How a run went.
    public struct Report: Sendable {
        /// What the run was drawn from.
        public var seed: UInt64
        /// Steps that were taken.
        public var steps: Int
        /// One number over every byte said and read: the same for the same seed.
        public var hash: UInt64
        /// What was wrong, in the order in which it was seen; empty if nothing was.
        public var violations: [String]
        /// The last events before the first violation.
        public var lastEvents: [String]
        /// What happened, by name, to see that a run is worth something.
        public var tally: [(name: String, count: Int)]
    }

    let seed: UInt64
    let fault: Fault?
    let scenario: Scenario
    var random: SeededGenerator
    var now: Moment
    var relay: Relay
    var log: MemoryLog
    let ledger: Ledger
    /// The log as it was before the last batch; for a planted fault.
    var logBefore: MemoryLog?
    var users: [SimulatedUser] = []
    /// Connections the relay has not been told the end of, in the order in which they were made.
    var connections: [SimulatedConnection] = []
    var connectionsMade = 0
    /// Connections up to this number were there when everybody wrote and read once more.
    var connectionsBeforeMark = 0
    var keysMade = 0
    var stepsTaken = 0
    var trace = Trace()
    var violations: [String] = []
    var eventsAtViolation: [String] = []
    var tally = Tally()
    /// The store fails no more, nobody drops: the end of the run.
    var isCalm = false
    /// From here on nobody changes anything.
    var restAt = Int64.max
    /// The relay was told to stop.
    var isDraining = false
    /// The store has failed.
    var isFailed = false
    var hasPlanted = false

    // What the host has under way.
    var batch: HeldBatch?
    var reads: [HeldRead] = []
    var verifications: [(due: Int64, verification: Verification)] = []
    /// Frames that were read in this turn, so that each is parsed once.
    var parsed: [ObjectIdentifier: (frame: Frame, event: WireEvent?)] = [:]
    /// Frames that were split into their messages in this turn.
    var split: [ObjectIdentifier: (frame: Frame, messages: [Frame])] = [:]
    /// What clients say in answer to what they just read.
    var answers: [(connection: SimulatedConnection, type: String, members: String, kind: Pending.Kind)] = []

    typealias Pending = SimulatedConnection.Pending

    struct HeldBatch {
        var due: Int64
        var mutations: [Mutation]
        var predicted: [Outcome]?
    }

    struct HeldRead {
        var due: Int64
        var read: Read
        /// Read already, and not yet told.
        var result: ReadResult?
    }

    /// What happened how often.
    struct Tally {
        var commands = 0, frames = 0, events = 0, acked = 0, retries = 0, duplicates = 0, gaps = 0, spills = 0
        var connects = 0, drops = 0, crashes = 0, drains = 0, failures = 0, takeovers = 0, closes = 0
    }

    init(seed: UInt64, fault: Fault?) {
        self.seed = seed
        self.fault = fault
        random = SeededGenerator(seed: seed)
        scenario = Scenario(&random)
        now = Simulation.moment(1_000_000)
        // Few numbers at once, so that more are asked for all the time.
        log = MemoryLog(reactionsPerUser: scenario.limits.reactionsPerUser, leaseSize: 16)
        ledger = Ledger(users: scenario.users)
        relay = Simulation.start(log, scenario, random.next(), now)
        for index in 0..<scenario.users {
            let user = SimulatedUser(index)
            for number in 0..<random.within(1...scenario.devicesPerUser) {
                user.devices.append(SimulatedDevice(user, number))
            }
            users.append(user)
        }
    }

    /// Runs one seed.
    /// - Parameters:
    ///   - seed: everything is drawn from it.
    ///   - steps: how many steps before the end, in which everything has to come to rest.
    ///   - fault: a mistake to plant.
    public static func run(seed: UInt64, steps: Int = 2_000, fault: Fault? = nil) -> Report {
        let simulation = Simulation(seed: seed, fault: fault)
        var taken = 0
        while taken < steps, simulation.violations.isEmpty {
            simulation.step()
            taken += 1
        }
        if simulation.violations.isEmpty { simulation.comeToRest() }
        return simulation.report(steps: taken)
    }

    private func report(steps: Int) -> Report {
        let counted = Mirror(reflecting: tally).children.map { ($0.label ?? "", $0.value as? Int ?? 0) }
        return Report(
            seed: seed, steps: steps, hash: trace.hash, violations: violations, lastEvents: eventsAtViolation,
            tally: counted.map { (name: $0.0, count: $0.1) })
    }

    static func moment(_ monotonic: Int64) -> Moment {
        Moment(monotonic: monotonic, wall: Timestamp(milliseconds: 1_700_000_000_000 + monotonic))
    }

    static func start(_ log: MemoryLog, _ scenario: Scenario, _ seed: UInt64, _ now: Moment) -> Relay {
        Relay(
            log.load(), limits: scenario.limits, identity: .init(server: "roost simulation", durability: .memory),
            random: SeededGenerator(seed: seed), at: now)
    }

    var time: Int64 { now.monotonic }

    /// Something that must not be.
    func fail(_ what: @autoclosure () -> String) {
        if violations.isEmpty { eventsAtViolation = trace.lines() }
        if violations.count < 20 { violations.append("\(time): \(what())") }
    }
}
