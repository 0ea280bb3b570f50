import DequeModule
import SeededRandom

/// Who is connected. Devices connect within a bound, come back, leave by plan or are cut off, and this keeps the books
/// of it.
final class Attendance {
    struct StormState {
        var storm: Scenario.Storm
        var began: UInt64
        var sessions: Int
        var away: Int
        var ended: UInt64 = 0
    }

    private let course: Course
    private let cast: Cast
    private let books: Books
    private let habits: Habits
    private let preparation: Preparation
    /// Sessions that the relay has welcomed.
    private(set) var readyCount = 0
    /// Connections that are being made.
    private var dialing = 0
    /// Devices that are due to connect and wait until fewer connections are being made.
    private var toDial = Deque<Device>()
    private(set) var lastEnding: SocketEnding?
    /// Whether a device has failed so often that the preparation can't end well.
    private(set) var isHopeless = false
    private(set) var storms: [StormState] = []
    private var returnBegan: UInt64?

    init(_ course: Course, _ cast: Cast, _ books: Books, _ habits: Habits, _ preparation: Preparation) {
        self.course = course
        self.cast = cast
        self.books = books
        self.habits = habits
        self.preparation = preparation
    }

    /// A device is to be connected from now on. Its connect latency counts from `due`.
    func wantsConnection(_ device: Device, due: UInt64) {
        guard device.phase == .away || device.phase == .waiting else { return }
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
    func endedSession() {
        precondition(readyCount > 0, "no session is there")
        readyCount -= 1
    }

    /// The relay has let a device in.
    func becameReady(_ device: Device, _ resumption: Resumption, at now: UInt64) {
        endedDialing()
        readyCount += 1
        books.counts.connects += 1
        let waited = now - min(now, device.connectDue)
        if course.stage == .settingUp || course.isMeasured(device.connectDue) {
            books.recorder.record(.connect, waited)
        }
        books.presence.connected(device.user, device: device.index, at: now)
        beginCatchUp(device, resumption, at: now)
        guard course.stage != .settingUp else { return }
        if device.index % course.scenario.devices == 0 { preparation.watch(by: device) }
        planLeave(device, at: now)
        guard let storm = device.storm else { return }
        device.storm = nil
        storms[storm].away -= 1
        if storms[storm].away == 0 { storms[storm].ended = now }
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
            books.presence.left(device.user, device: device.index, isClean: false, at: now)
            forgetView(of: device)
            // Any relay that bounds its memory cuts off a device that stops reading.
            if cast.persona(of: device).stallsAfter == 0 { books.counts.lostConnections += 1 }
        }
        guard course.stage != .over, !device.isHeldAway else { return }
        if case .closed(let code, _) = ending, code >= 4_500 { return }
        device.failures += 1
        if course.stage == .settingUp, device.failures >= HarnessLimits.setUpTries { isHopeless = true }
        let most = min(HarnessLimits.backoffMost, HarnessLimits.backoffFirst * Double(1 << min(device.failures, 10)))
        let wait = Double.random(in: 0...most, using: &course.random)
        comeBack(device, after: wait, at: now)
    }

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

    /// Plans when a user who comes and goes will leave: after a random time.
    func planLeave(_ device: Device, at now: UInt64) {
        let persona = cast.persona(of: device)
        guard persona.present > 0 else { return }
        let stays = course.random.exponential(mean: persona.present)
        course.timers.add(.leave(device, session: device.session), at: now + UInt64(stays * 1e9))
    }

    /// The user of a device leaves as planned, unless the session has ended before.
    func leave(_ device: Device, session: Int, at now: UInt64) {
        guard device.session == session, course.stage == .measuring || course.stage == .warmingUp else { return }
        let persona = cast.persona(of: device)
        device.leave(cleanly: course.random.happens(persona.clean), at: now)
        comeBack(device, after: course.random.exponential(mean: persona.away), at: now)
    }

    /// Calls everybody back after the load, so that what they missed can be counted.
    func callEverybodyBack(at now: UInt64) {
        for device in cast.devices {
            device.isHeldAway = false
            resume(device, at: now)
            if device.phase == .away || device.phase == .waiting { wantsConnection(device, due: now) }
        }
    }

    // MARK: Storms

    /// Cuts a part of all connections off at once.
    func beginStorm(_ number: Int, at now: UInt64) {
        let storm = course.scenario.storms[number]
        var state = StormState(storm: storm, began: now, sessions: 0, away: 0)
        for device in cast.devices where device.isReady && course.random.happens(storm.share) {
            device.leave(cleanly: false, at: now)
            state.sessions += 1
            state.away += 1
            device.storm = storms.count
            let wait = storm.backoff ? Double.random(in: 0...HarnessLimits.backoffFirst, using: &course.random) : 0
            comeBack(device, after: wait, at: now)
        }
        storms.append(state)
    }

    // MARK: Away together

    /// Some users leave, and come back together later.
    func beginAbsence(at now: UInt64) {
        guard let catchUp = course.scenario.catchUp else { return }
        for user in 0..<course.scenario.users where course.random.happens(catchUp.share) {
            for device in cast.devices(ofUser: user) {
                device.isHeldAway = true
                device.leave(cleanly: true, at: now)
            }
        }
    }

    /// The users who left together come back.
    func endAbsence(at now: UInt64) {
        for device in cast.devices where device.isHeldAway {
            device.isHeldAway = false
            wantsConnection(device, due: now)
        }
    }

    /// Counts the messages that a device has to be sent before it is up to date.
    private func beginCatchUp(_ device: Device, _ resumption: Resumption, at now: UInt64) {
        let before = books.ledger.outstanding
        books.ledger.connected(device.index, resuming: resumption)
        books.signals.connected(device.index)
        device.toCatchUp = books.ledger.outstanding - before
        if device.toCatchUp > 0, returnBegan == nil { returnBegan = now }
    }

    /// One of the messages that a device had missed has come.
    func caughtUpOne(_ device: Device, at now: UInt64) {
        books.counts.caughtUpMessages += 1
        device.toCatchUp -= 1
        guard device.toCatchUp == 0, course.isMeasured(device.readyAt) || course.stage == .settling else { return }
        books.recorder.record(.catchUp, now - min(now, device.readyAt))
        if let returnBegan {
            books.counts.catchUpSeconds = max(books.counts.catchUpSeconds, Double(now - returnBegan) / 1e9)
        }
    }

    // MARK: Stalling

    /// The device stops reading.
    func stall(_ device: Device) {
        guard device.isReady else { return }
        device.isStalled = true
        books.presence.unsure(of: device.user)
        for pair in device.pairs { books.presence.ended(pair) }
        device.socket?.isReading = false
    }

    /// The device reads again.
    func resume(_ device: Device, at now: UInt64) {
        guard device.isStalled else { return }
        device.isStalled = false
        device.measuresFrom = now
        device.socket?.isReading = true
        if device.isReady, device.index % course.scenario.devices == 0 { preparation.watch(by: device) }
    }
}
