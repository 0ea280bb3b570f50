import SeededRandom

/// The plan of a run and its progress: the scenario, the stage, the timers and the dice that all parts of a crowd
/// share. On the engine's thread only.
final class Course {
    enum Stage { case settingUp, warmingUp, measuring, settling, over }

    let scenario: Scenario
    /// Part of the run's user names and message keys.
    let runName: String
    let runNumber: UInt32
    /// Dice for what follows from the relay's answers, such as how long a lost device waits.
    var random: SeededGenerator
    /// Dice for what people do by themselves: who writes, what, and when visitors come and go. Nothing that a relay
    /// does may take a number from here, or it would decide on the load.
    var plan: SeededGenerator
    var timers = Timers()
    private(set) var stage = Stage.settingUp
    /// The measured load: due from here, and before that.
    private(set) var measureFrom: UInt64 = .max
    private(set) var measureTo: UInt64 = .max

    init(_ plan: EnginePlan) throws(EngineFailure) {
        guard let number = UInt32(plan.runName, radix: 16) else { throw EngineFailure("\(plan.runName): no run name") }
        var scenario = plan.scenario
        if scenario.personas.isEmpty { scenario.personas = [Scenario.Persona()] }
        self.scenario = scenario
        runName = plan.runName
        runNumber = number
        random = SeededGenerator(seed: plan.scenario.seed)
        self.plan = SeededGenerator(seed: plan.scenario.seed ^ 0x5EED)
    }

    /// Whether something that was due then belongs to the measured load.
    func isMeasured(_ due: UInt64) -> Bool { due >= measureFrom && due < measureTo }

    // MARK: Stages, one after the other

    /// The load begins with its warm-up.
    func beginLoad(at now: UInt64) {
        precondition(stage == .settingUp, "the load begins once")
        measureFrom = now + UInt64(scenario.warmup * 1e9)
        measureTo = measureFrom + UInt64(scenario.seconds * 1e9)
        stage = .warmingUp
    }

    /// The warm-up is over.
    func beginMeasuring() {
        precondition(stage == .warmingUp, "only a load that warms up is measured")
        stage = .measuring
    }

    /// The measured load ends, maybe early.
    func endLoad(at now: UInt64) { measureTo = min(now, measureTo) }

    /// Nothing new is sent; what is on its way arrives.
    func beginSettling() { stage = .settling }

    /// The run is over: nothing counts any more, and no timer fires.
    func end() {
        stage = .over
        timers.removeAll()
    }
}
