import DequeModule
import SeededRandom

/// Keeps the books of connected devices: they connect within a bound, come back, leave by plan or are cut off.
final class Attendance {
    private let course: Course
    private let cast: Cast
    private let books: Books
    private let habits: Habits
    private let preparation: Preparation
    private let disturbances: Disturbances
    /// Sessions that the relay has welcomed.
    private(set) var readyCount = 0
    /// Sessions among these that got `welcome` and not yet `live`.
    private(set) var behindCount = 0
    /// Devices that are away by plan.
    private var heldCount = 0
    /// Connections that are being made.
    private var dialing = 0
    /// Devices that are due to connect and wait until fewer connections are being made.
    private var toDial = Deque<Device>()
    private(set) var lastEnding: SocketEnding?
    /// Whether a device has failed so often that the preparation can't end well.
    private(set) var isHopeless = false
    private var returnBegan: UInt64?

    init(
        _ course: Course, _ cast: Cast, _ books: Books, _ habits: Habits, _ preparation: Preparation,
        _ disturbances: Disturbances
    ) {
        self.course = course
        self.cast = cast
        self.books = books
        self.habits = habits
        self.preparation = preparation
        self.disturbances = disturbances
    }

    /// A device is to be connected from now on. Its connect latency counts from `due`.
    func wantsConnection(_ device: Device, due: UInt64) {
        guard device.phase == .away || device.phase == .waiting, !device.isHeldAway else { return }
        device.phase = .waiting
        device.connectDue = due
        toDial.append(device)
    }

    /// Lets a device connect again after so many seconds.
    private func comeBack(_ device: Device, after seconds: Double, at now: UInt64) {
        device.phase = .waiting
        course.timers.add(.connect(device), at: now + UInt64(seconds * 1e9))
    }

    /// Begins as many connections as the bound allows.
    func dial() {
        while dialing < HarnessLimits.dialsMax, let device = toDial.popFirst() {
            device.connect(due: device.connectDue)
        }
    }

    /// A connection is being made.
    func beganDialing() { dialing += 1 }

    /// A connection isn't being made any more: it is welcome, was given up or was lost.
    func endedDialing() {
        precondition(dialing > 0, "no connection is being made")
        dialing -= 1
    }

    /// A session has ended, for whatever reason.
    func endedSession(wasBehind: Bool) {
        precondition(readyCount > 0, "no session is there")
        readyCount -= 1
        if wasBehind { behindCount -= 1 }
        tellOfChange(at: SocketLoop.now())
    }

    /// A device got `live` from the relay.
    func becameLive(_ device: Device, at now: UInt64) {
        guard device.phase == .behind else { return }
        device.phase = .live
        behindCount -= 1
        endCatchUp(device, at: now)
        tellOfChange(at: now)
    }

    /// Reports whether a device was still missing or behind, to those that wait until none is.
    func tellOfChange(at now: UInt64) {
        disturbances.changed(
            isComplete: readyCount == cast.devices.count - heldCount, behind: behindCount, at: now)
    }

    /// The relay has let a device in.
    func becameReady(_ device: Device, _ resumption: Resumption, at now: UInt64) {
        endedDialing()
        readyCount += 1
        behindCount += 1
        books.counts.connects += 1
        let waited = now - min(now, device.connectDue)
        if course.stage == .settingUp || course.isMeasured(device.connectDue) {
            books.recorder.record(.connect, waited)
        }
        books.presence.connected(device.user, device: device.index, at: now)
        beginCatchUp(device, resumption, at: now)
        guard course.stage != .settingUp else { return }
        if device.index % course.scenario.devices == 0 { preparation.watch(by: device) }
        tellOfChange(at: now)
    }

    /// A device left on purpose.
    func left(_ device: Device, cleanly: Bool, at now: UInt64) {
        books.counts.disconnects += 1
        books.presence.left(device.user, device: device.index, isClean: cleanly, at: now)
        forgetView(of: device)
    }

    /// A connection ended against the device's will, or couldn't be made.
    func lost(_ device: Device, _ ending: SocketEnding, wasReady: Bool) {
        lastEnding = ending
        let now = SocketLoop.now()
        if wasReady {
            // Who couldn't look may hear of it late.
            let unseen = books.attention.missed(since: now - min(now, HarnessLimits.recentNanoseconds), until: now)
            books.presence.left(
                device.user, device: device.index, isClean: false, at: now, earliest: now - min(now, unseen))
            forgetView(of: device)
            // Any relay that bounds its memory cuts off a device that stops reading.
            if cast.persona(of: device).stallsAfter == 0 { books.counts.lostConnections += 1 }
        }
        guard course.stage != .over, !device.isHeldAway else { return }
        if case .closed(let code, _) = ending, code >= 4_500 { return }
        device.failures += 1
        if course.stage == .settingUp, device.failures >= HarnessLimits.setUpTries { isHopeless = true }
        let wait = course.scenario.backoff ? device.askedBackIn ?? backoff(of: device) : impatience(of: device)
        device.askedBackIn = nil
        comeBack(device, after: wait, at: now)
    }

    private func backoff(of device: Device) -> Double {
        let most = min(HarnessLimits.backoffMost, HarnessLimits.backoffFirst * Double(1 << min(device.failures, 10)))
        return Double.random(in: 0...most, using: &course.random)
    }

    private func impatience(of device: Device) -> Double { device.failures > 1 ? HarnessLimits.impatientSeconds : 0 }

    private func forgetView(of device: Device) {
        let now = SocketLoop.now()
        books.ledger.left(device.index)
        books.signals.left(device.index)
        for pair in device.pairs { books.presence.ended(pair) }
        for place in device.places.all {
            books.typing.left(Membership(Int(place)))
            books.unread.dropped(cast.reader(at: Int(place)))
            books.typing.ended(device.user, in: Int(cast.places[Int(place)].room), at: now)
        }
    }

    // MARK: Coming and going

    /// Plans when a user who comes and goes will leave: a random time after the visit was due to begin. When the relay
    /// lets the user in doesn't matter.
    func planLeave(_ device: Device, from due: UInt64) {
        let persona = cast.persona(of: device)
        guard persona.present > 0 else { return }
        let stays = course.plan.exponential(mean: persona.present)
        course.timers.add(.leave(device), at: due + UInt64(stays * 1e9))
    }

    /// The user of a device leaves as planned, connected or not.
    func leave(_ device: Device, due: UInt64, at now: UInt64) {
        guard course.stage == .measuring || course.stage == .warmingUp else { return }
        let persona = cast.persona(of: device)
        let isClean = course.plan.happens(persona.clean)
        let away = course.plan.exponential(mean: persona.away)
        hold(device, cleanly: isClean, at: now)
        course.timers.add(.arrive(device), at: due + UInt64(away * 1e9))
    }

    /// A visitor comes again as planned.
    func arrive(_ device: Device, due: UInt64, at now: UInt64) {
        guard course.stage == .measuring || course.stage == .warmingUp else { return }
        planLeave(device, from: due)
        release(device)
        wantsConnection(device, due: now)
    }

    private func hold(_ device: Device, cleanly: Bool, at now: UInt64) {
        guard !device.isHeldAway else { return }
        device.isHeldAway = true
        device.isExcused = true
        heldCount += 1
        device.leave(cleanly: cleanly, at: now)
    }

    private func release(_ device: Device) {
        guard device.isHeldAway else { return }
        device.isHeldAway = false
        heldCount -= 1
    }

    /// Calls everybody back after the load, so that what they missed can be counted.
    func callEverybodyBack(at now: UInt64) {
        for device in cast.devices {
            release(device)
            resume(device, at: now)
            if device.phase == .away || device.phase == .waiting { wantsConnection(device, due: now) }
        }
    }

    // MARK: Storms

    /// Cuts a part of all connections off at once.
    func beginStorm(_ number: Int, at now: UInt64) {
        let storm = course.scenario.storms[number]
        let cut = cast.devices.filter {
            $0.user >= storm.spare && course.plan.happens(storm.share) && $0.isReady
        }
        disturbances.begin(
            .storm, backoff: storm.backoff, sessions: cut.count, at: now, end: now, cuts: !cut.isEmpty,
            spared: storm.spare)
        for device in cut {
            device.leave(cleanly: false, at: now)
            let wait = storm.backoff ? Double.random(in: 0...HarnessLimits.backoffFirst, using: &course.random) : 0
            comeBack(device, after: wait, at: now)
        }
        // In a process that has none of those it cuts, it is over at once.
        tellOfChange(at: now)
    }

    /// The relay stops now, by plan; the code that starts and stops it does so at the same moment.
    func beginRestart(_ number: Int, at now: UInt64) {
        let kind: RunResult.Disturbance.Kind = course.scenario.restarts[number].how == .kill ? .kill : .drain
        disturbances.begin(
            kind, backoff: course.scenario.backoff, sessions: readyCount, at: now, end: now, cuts: true)
    }

    /// The load becomes smaller. That is something to recover from if it was above what the relay can do.
    func easeOff(at now: UInt64) {
        disturbances.begin(.overload, sessions: readyCount, at: now, end: now, cuts: false)
        tellOfChange(at: now)
    }

    // MARK: Away together

    /// Some users leave, and come back together later.
    func beginAbsence(at now: UInt64) {
        guard let catchUp = course.scenario.catchUp else { return }
        var leaving: [Device] = []
        for user in 0..<course.scenario.users where course.plan.happens(catchUp.share) {
            leaving += cast.devices(ofUser: user)
        }
        let back = course.measureFrom + UInt64(catchUp.back * 1e9)
        disturbances.begin(.absence, sessions: leaving.count, at: now, end: back, cuts: !leaving.isEmpty)
        for device in leaving { hold(device, cleanly: true, at: now) }
    }

    /// The users who left together come back.
    func endAbsence(at now: UInt64) {
        // Visitors come again by themselves.
        for device in cast.devices where device.isHeldAway && cast.persona(of: device).present == 0 {
            release(device)
            wantsConnection(device, due: now)
        }
        tellOfChange(at: now)
    }

    /// Counts the messages that a device has to be sent before it is up to date.
    private func beginCatchUp(_ device: Device, _ resumption: Resumption, at now: UInt64) {
        let before = books.ledger.outstanding
        books.ledger.connected(device.index, resuming: resumption)
        books.signals.connected(device.index)
        device.missed = books.ledger.outstanding - before
        if device.missed > 0, returnBegan == nil { returnBegan = now }
    }

    /// A device has all that it had missed.
    private func endCatchUp(_ device: Device, at now: UInt64) {
        guard device.missed > 0, course.isMeasured(device.readyAt) || course.stage == .settling else { return }
        books.recorder.record(.catchUp, now - min(now, device.readyAt))
        if let returnBegan {
            books.counts.catchUpSeconds = max(books.counts.catchUpSeconds, Double(now - returnBegan) / 1e9)
        }
    }

    // MARK: Stalling

    /// Devices stop reading from now on.
    func beginStall(_ number: Int, at now: UInt64) {
        let end = now + UInt64(course.scenario.stalls[number].seconds * 1e9)
        disturbances.begin(.stall, sessions: readyCount, at: now, end: end, cuts: false)
        for device in cast.devices { stall(device) }
        course.timers.add(.endStall, at: end)
    }

    /// Everybody reads again.
    func endStall(at now: UInt64) {
        for device in cast.devices { resume(device, at: now) }
        tellOfChange(at: now)
    }

    /// The device stops reading.
    func stall(_ device: Device) {
        guard device.isReady else { return }
        device.isStalled = true
        device.isExcused = true
        books.presence.unsure(of: device.user)
        for pair in device.pairs { books.presence.ended(pair) }
        device.socket?.isReading = false
    }

    /// The device reads again.
    func resume(_ device: Device, at now: UInt64) {
        guard device.isStalled else { return }
        device.isStalled = false
        device.isExcused = false
        device.measuresFrom = now
        device.socket?.isReading = true
        if device.isReady, device.index % course.scenario.devices == 0 { preparation.watch(by: device) }
    }
}
