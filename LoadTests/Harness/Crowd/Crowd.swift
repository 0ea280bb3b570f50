import DequeModule
import RoostWire

/// All simulated users of one process: puts the parts of a crowd together, and does what is due. Each part owns its
/// state; what they share is the course of the run, who is there, and the books. Confined to the engine's thread;
/// nothing on the way of a received message may allocate.
final class Crowd {
    let course: Course
    let cast: Cast
    let books: Books
    let habits: Habits
    let preparation: Preparation
    let disturbances: Disturbances
    let attendance: Attendance
    let traffic: Traffic
    let verdict: Verdict
    let loop: SocketLoop
    let target: SocketTarget
    /// One for each user.
    let tokens: [String]
    let writer = JSONWriter()
    let reader = EventReader()
    private var acksDue = Deque<(at: UInt64, device: Device)>()

    /// Draws everybody; nothing is connected yet.
    init(_ plan: EnginePlan) throws(EngineFailure) {
        precondition(
            plan.tokens.count >= plan.scenario.users + plan.scenario.outsiders, "every user needs a token")
        course = try Course(plan)
        tokens = plan.tokens
        do throws(SocketFailure) {
            target = try SocketTarget(url: plan.url, caFile: plan.caFile)
            loop = try SocketLoop()
        } catch {
            throw EngineFailure("\(error)")
        }
        loop.polls = plan.polls
        books = Books(warmup: course.scenario.warmup)
        cast = Cast(course, books)
        habits = Habits(course, cast, books)
        preparation = Preparation(course, cast, books, habits)
        disturbances = Disturbances(course)
        attendance = Attendance(course, cast, books, habits, preparation, disturbances)
        traffic = Traffic(course, cast, books, habits, attendance, disturbances)
        verdict = Verdict(course, cast, books)
        cast.build(for: self)
    }

    /// Whether everybody is connected and has all that was acked.
    var isSettled: Bool {
        attendance.readyCount == cast.devices.count && attendance.behindCount == 0 && acksDue.isEmpty
            && cast.devices.allSatisfy { $0.pending.isEmpty && $0.outbox.isEmpty }
            && books.ledger.isComplete && books.signals.missedSignals == 0
    }

    // MARK: What is due

    /// Does everything that is due up to a moment, in the order of time, then of planning.
    func advance(to time: UInt64, at now: UInt64) {
        ring(upTo: time, at: now)
        while let first = acksDue.first, first.at <= now {
            acksDue.removeFirst()
            first.device.ackIsDue()
        }
        attendance.dial()
    }

    /// Does what timers were set for, up to a moment. So a message that is due after its author leaves finds the author
    /// gone, however late both are noticed.
    func ring(upTo time: UInt64, at now: UInt64) {
        books.attention.looks(at: now)
        while let (action, due) = course.timers.take(dueAt: time) { perform(action, due: due, at: now) }
    }

    /// The next moment at which something is due.
    var nextDue: UInt64 { min(course.timers.next ?? .max, acksDue.first?.at ?? .max) }

    /// Plans an ack of what a device will have received by then. Times never decrease.
    func planAck(of device: Device, at time: UInt64) { acksDue.append((at: time, device: device)) }

    private func perform(_ action: Timers.Action, due: UInt64, at now: UInt64) {
        switch action {
        case .connect(let device): attendance.wantsConnection(device, due: now)
        case .giveUpConnecting(let device, let attempt): device.giveUpConnecting(attempt: attempt)
        case .send(let device, let draft): traffic.send(device, draft, at: now)
        case .type(let device, let draft): habits.type(device, draft, at: now)
        case .sendAgain(let device, let session):
            if device.session == session, device.isReady { device.emptyOutbox(at: now) }
        case .read(let device, let place): habits.read(device, place: place, at: now)
        case .leave(let device): attendance.leave(device, due: due, at: now)
        case .arrive(let device): attendance.arrive(device, due: due, at: now)
        case .stall(let device): attendance.stall(device)
        case .resume(let device): attendance.resume(device, at: now)
        case .beginStorm(let number): if course.stage == .measuring { attendance.beginStorm(number, at: now) }
        case .beginRestart(let number): attendance.beginRestart(number, at: now)
        case .beginStall(let number): attendance.beginStall(number, at: now)
        case .endStall: attendance.endStall(at: now)
        case .easeOff: attendance.easeOff(at: now)
        case .beginAbsence: attendance.beginAbsence(at: now)
        case .endAbsence: attendance.endAbsence(at: now)
        case .sweep:
            books.sweep(at: now)
            if course.stage != .over { course.timers.add(.sweep, at: now + HarnessLimits.sweepNanoseconds) }
        }
    }

    /// Begins the load, and plans everything for which the scenario names a time.
    func beginLoad(at now: UInt64) {
        course.beginLoad(at: now)
        let begin = course.measureFrom
        func at(_ seconds: Double) -> UInt64 { begin + UInt64(seconds * 1e9) }
        for (number, storm) in course.scenario.storms.enumerated() {
            course.timers.add(.beginStorm(number), at: at(storm.at))
        }
        for (number, restart) in course.scenario.restarts.enumerated() {
            course.timers.add(.beginRestart(number), at: at(restart.at))
        }
        for (number, stall) in course.scenario.stalls.enumerated() {
            course.timers.add(.beginStall(number), at: at(stall.at))
        }
        var factor = 1.0
        for (number, stage) in (course.scenario.messages?.stages ?? []).enumerated() {
            if stage.factor < factor { course.timers.add(.easeOff(number), at: at(stage.at)) }
            factor = stage.factor
        }
        if let catchUp = course.scenario.catchUp {
            course.timers.add(.beginAbsence, at: at(catchUp.leave))
            course.timers.add(.endAbsence, at: at(catchUp.back))
        }
        course.timers.add(.sweep, at: now)
        for device in cast.devices {
            attendance.planLeave(device, from: now)
            device.measuresFrom = min(device.measuresFrom, now)
            let persona = cast.persona(of: device)
            guard persona.stallsAfter > 0 else { continue }
            course.timers.add(.stall(device), at: at(persona.stallsAfter))
            if persona.stallsFor > 0 {
                course.timers.add(.resume(device), at: at(persona.stallsAfter + persona.stallsFor))
            }
        }
    }
}
