import RoostWire

/// The facts of the run: the ledgers that judge the relay, and what was counted and timed. It decides nothing about
/// what happens next.
final class Books {
    let ledger = MessageLedger()
    let signals = SignalLedger()
    let attention = Attention()
    private(set) var presence = PresenceLedger(users: 0, grace: 0)
    private(set) var typing = TypingLedger(life: 3_000_000_000)
    let unread = UnreadLedger()
    private(set) var faults = FaultCounts()
    let recorder = Recorder()
    var counts = RunResult.Counts()
    private(set) var errors: [String: UInt64] = [:]
    /// The current second of the timeline.
    var second: RunResult.Second
    private(set) var relay = ""
    private(set) var durability = ""

    /// - Parameter warmup: seconds before the measured load: the timeline begins so far before zero.
    init(warmup: Double) {
        second = RunResult.Second(second: -Int(warmup.rounded(.up)))
    }

    /// Number of faults so far.
    var faultsSoFar: UInt64 {
        faults.failures + ledger.faults.failures + signals.faults.failures + presence.faults.failures
            + typing.faults.failures + unread.faults.failures
    }

    /// Counts a fault, and keeps the words of the first few.
    func note(_ fault: Fault, _ words: @autoclosure () -> String) { faults.count(fault, words()) }

    /// The relay answered with an error of this code.
    func noteError(_ code: UnsafeRawBufferPointer) {
        errors[String(decoding: code, as: UTF8.self), default: 0] += 1
    }

    // MARK: The relay

    /// Takes the relay's times from the first `welcome`: presence and typing are judged by them.
    func learnRelay(_ text: UnsafeRawBufferPointer, users: Int) {
        guard relay.isEmpty, let welcome = JSONMembers(parsing: text).flatMap(Welcome.init(reading:)) else { return }
        relay = welcome.server
        durability = welcome.durability?.rawValue ?? ""
        let grace = UInt64(clamping: welcome.limits.grace.components.seconds) &* 1_000_000_000
        let life = UInt64(clamping: welcome.limits.typing.components.seconds) &* 1_000_000_000
        presence = PresenceLedger(users: users, grace: grace, attention: attention)
        typing = TypingLedger(life: life, attention: attention)
    }

    /// Ends the current second and begins the next.
    func takeSecond(sessions: Int, behind: Int) -> RunResult.Second {
        var taken = second
        taken.sessions = UInt64(sessions)
        taken.behind = UInt64(behind)
        taken.delivery = recorder.takeSecond()
        second = RunResult.Second(second: taken.second + 1)
        return taken
    }

    // MARK: Verdicts

    /// Takes over what the ledger of messages and that of signals found. Once, when no more can come.
    func closeDeliveries() {
        ledger.finish()
        faults.merge(with: ledger.faults)
        faults.merge(with: signals.faults)
        counts.missedSignals = UInt64(signals.missedSignals)
    }

    /// Takes over what the other ledgers found. Once.
    func closePeople() {
        faults.merge(with: presence.faults)
        faults.merge(with: typing.faults)
        faults.merge(with: unread.faults)
    }

    /// Counts presence and typing that have been shown wrongly for too long.
    func sweep(at now: UInt64) {
        presence.sweep(now)
        typing.sweep(now)
    }
}
