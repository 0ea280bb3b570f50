import RoostCore
import RoostFraming
import RoostWire

/// A day in the life of a relay, drawn from a seed: people with devices that connect, write, read slowly, drop and come
/// back, while the store is slow and the process dies now and then; and checks that know what ought to come of it
/// (Docs/Protocol.md). It has no thread and no clock, and nothing differs between two runs of one seed.
/// This type puts the parts together; each part owns its own state.
public final class Simulation {
    /// The result of a run.
    public struct Report: Sendable {
        /// The seed of the run.
        public var seed: UInt64
        /// Steps that were taken.
        public var steps: Int
        /// One number over every byte said and read: the same for the same seed.
        public var hash: UInt64
        /// The violations, in the order in which they were seen; empty if there was none.
        public var violations: [String]
        /// The last events before the first violation.
        public var lastEvents: [String]
        /// Counts of what happened, by name, to see that a run is worth something.
        public var tally: [(name: String, count: Int)]
    }

    /// Makes the store under the relay.
    public typealias StoreMaker = (_ limits: Limits, _ seed: UInt64) -> any SimulatedStore

    private let world: World
    private let clients: SimulatedClients
    private let events: EventCheck
    private let presence: PresenceCheck
    private let settings: SettingCheck
    private let durable: DurableCheck
    private let script: Script
    private let outages: Outages
    private let rest: Rest
    private let end: EndCheck
    private let feed: FeedCheck
    private let requests: RequestCheck
    private let invites: InviteCheck
    private let farewell: FarewellCheck
    /// On every third day.
    private var service: SimulatedService?

    private init(seed: UInt64, mistake: PlantedMistake?, weather: Day.Weather, store make: StoreMaker?) {
        world = World(seed: seed, mistake: mistake, weather: weather)
        let ledger = Ledger(users: world.day.users)
        let store = make?(world.day.limits, seed) ?? PlantedStore(world, ledger)
        let relaySeed = world.random.next()
        let people = People(world)
        let host = SimulatedHost(world, ledger, people, store, seed: relaySeed)
        clients = SimulatedClients(world, ledger, people, host)
        presence = PresenceCheck(world, ledger, people, host)
        settings = SettingCheck(world, ledger, people, clients, seed: seed)
        let blocks = BlockCheck(world, ledger, people)
        let profiles = ProfileCheck(world, ledger, people)
        requests = RequestCheck(world, ledger, people, clients, settings)
        invites = InviteCheck(world, ledger, people, clients, seed: seed)
        let replies = ReplyCheck(
            world, ledger, people, clients, presence, DeviceCheck(world, people), settings, blocks, profiles, requests,
            invites)
        events = EventCheck(
            world, ledger, people, host, clients, replies, presence, settings, blocks, profiles, requests, invites)
        durable = DurableCheck(world, ledger, people, host)
        outages = Outages(world, ledger, host, clients, durable)
        script = Script(world, ledger, people, host, clients, outages)
        rest = Rest(world, ledger, people, host, clients, script, settings, invites)
        end = EndCheck(world, ledger, people, host, rest, settings, profiles)
        farewell = FarewellCheck(world, ledger, people, host, clients, outages, rest)
        feed = FeedCheck(world, ledger, host)
        service = seed % 3 == 0 ? SimulatedService(world, ledger, people, host, replies, seed: seed) : nil
        host.observer = self
    }

    /// Runs one seed.
    /// - Parameters:
    ///   - seed: everything is drawn from it.
    ///   - steps: how many steps before the end, in which everything has to come to rest.
    ///   - mistake: a mistake to plant; only into a log in memory.
    ///   - weather: how often the process dies, and its store fails.
    ///   - store: makes the store; without it the log is in memory.
    public static func run(
        seed: UInt64, steps: Int = 2_000, mistake: PlantedMistake? = nil, weather: Day.Weather = .mixed,
        store: StoreMaker? = nil
    ) -> Report {
        precondition(mistake == nil || store == nil, "mistakes are planted into a log in memory")
        let simulation = Simulation(seed: seed, mistake: mistake, weather: weather, store: store)
        return simulation.run(seed: seed, steps: steps)
    }

    private func run(seed: UInt64, steps: Int) -> Report {
        while world.stepsTaken < steps, world.violations.isEmpty {
            script.step()
            service?.step()
            settings.step()
            invites.step()
        }
        service?.leave()
        service = nil
        let taken = world.stepsTaken
        if world.violations.isEmpty { rest.comeToRest() }
        if world.violations.isEmpty {
            end.check()
            durable.checkLog()
            feed.check()
        }
        if world.violations.isEmpty, seed % 4 == 1 { farewell.run() }
        if world.violations.isEmpty { outages.drain() }
        requests.noteTally()
        let counted = Mirror(reflecting: world.tally).children.map { ($0.label ?? "", $0.value as? Int ?? 0) }
        return Report(
            seed: seed, steps: taken, hash: world.trace.hash, violations: world.violations,
            lastEvents: world.lastEvents, tally: counted.map { (name: $0.0, count: $0.1) })
    }
}

extension Simulation: HostObserver {
    func reads(_ message: Frame, on connection: SimulatedConnection) { events.receive(message, on: connection) }

    func turnEnds() -> Bool {
        events.forgetFrames()
        let hasRead = service?.read() ?? false
        return clients.sayAnswers() || hasRead
    }

    func committed(_ batch: [Mutation], _ outcomes: [Outcome]) { durable.noteCommitted(batch, outcomes) }

    func timePassed() { presence.checkAll() }
}
