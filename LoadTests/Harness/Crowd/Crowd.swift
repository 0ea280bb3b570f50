import DequeModule
import RoostTestKit
import RoostWire

/// All simulated users of one process, with what they share: the sockets, the conversations, the ledgers and the
/// clocks. State and construction only; `Crowd+…` files hold what it does. Confined to the engine's thread; nothing on
/// the way of a received message may allocate.
final class Crowd {
    enum Stage { case settingUp, warmingUp, measuring, settling, over }

    let scenario: Scenario
    let tokens: [String]
    let runName: String
    let runNumber: UInt32
    let target: SocketTarget
    let loop: SocketLoop
    let builder = FrameBuilder()
    var random: SeededGenerator

    // MARK: Who is there

    var devices: [Device] = []
    var rooms: [Room] = []
    var places: [Place] = []
    /// The persona of each user.
    var personas: [Int] = []
    var roomPicker: ZipfPicker?
    var readyCount = 0
    /// Connections that are being made.
    var dialing = 0
    /// Devices that are due to connect and wait for one of those to be done.
    var toDial = Deque<Device>()

    // MARK: What is due

    var stage = Stage.settingUp
    var timers = Timers()
    var acksDue = Deque<(at: UInt64, device: Device)>()
    var setUpSteps = 0
    var setUpFailure: String?
    var lastEnding: SocketEnding?
    /// Whether a device has failed so often that the set-up can't end well.
    var isHopeless = false
    var listsAwaited = 0
    /// The measured load: due from here, and before that.
    var measureFrom: UInt64 = .max
    var measureTo: UInt64 = .max

    // MARK: What is known

    let ledger = MessageLedger()
    let signals = SignalLedger()
    var presence: PresenceLedger
    var typing = TypingLedger(life: 3_000_000_000)
    let unread = UnreadLedger()
    var faults = FaultCounts()
    let recorder = Recorder()
    var counts = RunResult.Counts()
    var errors: [String: UInt64] = [:]
    var frames: UInt64 = 0
    var relay = ""
    var durability = ""
    /// How far somebody has read, as a place was told; by both. Receipts are pushed in small rooms only.
    var seenReads: [UInt64: Int] = [:]
    /// The second under way.
    var second = RunResult.Second(second: 0)
    var storms: [StormState] = []
    var returnBegan: UInt64?
    /// Pairs of a watching device and a watched user, by both.
    var pairs: [UInt64: Int] = [:]

    struct StormState {
        var storm: Scenario.Storm
        var began: UInt64
        var sessions: Int
        var away: Int
        var ended: UInt64 = 0
    }

    init(_ plan: EnginePlan) throws(EngineFailure) {
        var scenario = plan.scenario
        if scenario.personas.isEmpty { scenario.personas = [Scenario.Persona()] }
        self.scenario = scenario
        tokens = plan.tokens
        runName = plan.runName
        guard let number = UInt32(plan.runName, radix: 16) else { throw EngineFailure("\(plan.runName): no run name") }
        runNumber = number
        do throws(SocketFailure) {
            target = try SocketTarget(url: plan.url)
            loop = try SocketLoop()
        } catch {
            throw EngineFailure("\(error)")
        }
        loop.polls = plan.polls
        random = SeededGenerator(seed: plan.scenario.seed)
        presence = PresenceLedger(users: 0, grace: 0)
    }

    /// Whether something that was due then belongs to the measured load.
    func isMeasured(_ due: UInt64) -> Bool { due >= measureFrom && due < measureTo }

    /// Faults that were noted up to now.
    var faultsSoFar: UInt64 {
        faults.failures + ledger.faults.failures + signals.faults.failures + presence.faults.failures
            + typing.faults.failures + unread.faults.failures
    }

    // MARK: Names

    /// The user that the relay names so; nil if it is none of this run.
    func user(named name: UnsafeRawBufferPointer) -> Int? {
        let prefix = 3 + runName.utf8.count
        guard name.count > prefix, let user = UnsafeRawBufferPointer(rebasing: name[prefix...]).wholeNumber,
            user < personas.count
        else { return nil }
        return user
    }

    /// Whether `name` is who writes from one place of the conversation that the other is in.
    func isSender(_ name: UnsafeRawBufferPointer, from sender: Int, to place: Int) -> Bool {
        guard sender < places.count, places[sender].room == places[place].room else { return false }
        return user(named: name) == devices[Int(places[sender].device)].user
    }

    func persona(of device: Device) -> Scenario.Persona { scenario.personas[device.persona] }

    func note(_ fault: Fault, _ words: @autoclosure () -> String) { faults.count(fault, words()) }

    func noteError(_ code: UnsafeRawBufferPointer) {
        errors[String(decoding: code, as: UTF8.self), default: 0] += 1
    }
}
