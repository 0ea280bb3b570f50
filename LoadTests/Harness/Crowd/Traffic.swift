import SeededRandom

/// Messages: who writes the next one, what became of those that were sent, and what came of those of others.
final class Traffic {
    private let course: Course
    private let cast: Cast
    private let books: Books
    private let habits: Habits
    private let attendance: Attendance
    private let disturbances: Disturbances

    init(
        _ course: Course, _ cast: Cast, _ books: Books, _ habits: Habits, _ attendance: Attendance,
        _ disturbances: Disturbances
    ) {
        self.course = course
        self.cast = cast
        self.books = books
        self.habits = habits
        self.attendance = attendance
        self.disturbances = disturbances
    }

    /// A message is due. Its author may type first.
    func arrive(due: UInt64, at now: UInt64) {
        guard let messages = course.scenario.messages, let (device, place) = cast.pickSender() else { return }
        let persona = cast.persona(of: device)
        let types = persona.typing > 0 && course.plan.happens(persona.typing)
        let length =
            messages.bytes.count == 1
            ? messages.bytes.lowerBound : Int.random(in: messages.bytes, using: &course.plan)
        var draft = Draft(place: place, due: due, length: max(length, Stamp.byteCount + 1))
        guard types else { return send(device, draft, at: now) }
        draft.due += UInt64(persona.typingSeconds * 1e9)
        // After the load no device waits for what would be sent then.
        guard draft.due < course.measureTo else { return }
        habits.type(device, draft, at: now)
    }

    /// Sends a message that is due now, or was. Without a connection it waits for the next one, and its wait counts.
    func send(_ device: Device, _ draft: Draft, at now: UInt64) {
        // Who has left by plan while typing doesn't send.
        guard !device.isHeldAway else { return }
        books.second.due += 1
        if course.isMeasured(draft.due) { books.counts.due += 1 }
        guard device.isReady else {
            // A signal is never sent late: it is about the moment.
            guard course.scenario.messages?.mode != .signal else { return noteUnsent(draft) }
            guard device.outbox.drafts.count < HarnessLimits.pendingMax else { return }
            if course.isMeasured(draft.due) { books.counts.delayed += 1 }
            return device.outbox.drafts.append(draft)
        }
        if course.isMeasured(draft.due) { books.recorder.recordLateness(now - min(now, draft.due)) }
        guard device.pending.count < HarnessLimits.pendingMax else { return }
        books.typing.ended(device.user, in: Int(cast.places[draft.place].room), at: now)
        device.sendMessage(draft, at: now)
    }

    /// A message that was due is never sent, because the relay hasn't let its sender in.
    func noteUnsent(_ draft: Draft) {
        if course.isMeasured(draft.due) { books.counts.unsent += 1 }
    }

    /// The number of the next message from a place. Stored messages are numbered by place, signals by
    /// room.
    func number(from place: Int) -> Int {
        let room = Int(cast.places[place].room)
        guard course.scenario.messages?.mode != .signal else { return books.signals.send(room) }
        cast.places[place].numbered += 1
        let number = Int(cast.places[place].numbered)
        books.ledger.sent(room, from: Membership(place), number: number)
        return number
    }

    /// A message is about to be sent for the first time.
    func noteSent(_ message: Device.Outgoing) {
        let room = Int(cast.places[message.place].room)
        books.second.sent += 1
        if course.isMeasured(message.due) {
            books.counts.sent += 1
            if course.scenario.messages?.mode == .signal { books.counts.expected += UInt64(cast.receivers(in: room)) }
        }
    }

    /// A message is about to be sent again, on another connection.
    func noteResent(_ message: Device.Outgoing) {
        books.ledger.resent(
            Int(cast.places[message.place].room), from: Membership(message.place), number: message.number)
    }

    /// A message was answered with `ok`.
    func acknowledged(
        _ message: Device.Outgoing, sequence: Int, isDuplicate: Bool, by device: Device, at now: UInt64
    ) {
        let room = Int(cast.places[message.place].room)
        books.ledger.acked(
            room, from: Membership(message.place), number: message.number, sequence: sequence,
            isDuplicate: isDuplicate)
        if sequence > cast.places[message.place].newest { cast.places[message.place].newest = sequence }
        books.unread.wrote(cast.reader(at: message.place), sequence)
        books.second.acked += 1
        cast.places[message.place].noteAnswered(UInt32(truncatingIfNeeded: message.number))
        guard course.isMeasured(message.due) else { return }
        books.counts.acked += 1
        books.counts.expected += UInt64(cast.receivers(in: room))
        guard message.due >= device.measuresFrom else { return }
        books.recorder.record(
            .ack, corrected: now - min(now, message.due), uncorrected: now - min(now, message.sent))
    }

    /// A message was refused.
    /// - Parameter isSure: this attempt isn't stored; an earlier one may be.
    func refused(_ message: Device.Outgoing, isSure: Bool) {
        books.unread.mayHaveWritten(cast.reader(at: message.place))
        guard isSure else { return }
        books.ledger.refused(
            Int(cast.places[message.place].room), from: Membership(message.place), number: message.number)
    }

    // MARK: Deliveries

    /// A message came to a device.
    func delivered(_ stamp: Stamp, sequence: Int, to device: Device, place: Int, at now: UInt64) {
        guard stamp.place != place || !cast.places[place].hasAnswered(stamp.number) else {
            return books.note(.ownReturned, "device \(device.index): its message \(stamp.number), answered before")
        }
        let reception = books.ledger.received(
            Int(cast.places[place].room), by: Membership(place), sequence: sequence, from: Membership(stamp.place),
            number: stamp.number)
        if sequence > cast.places[place].newest { cast.places[place].newest = sequence }
        guard reception == .first || reception == .own else { return }
        if device.phase == .behind, device.missed > 0 { books.counts.caughtUpMessages += 1 }
        guard reception == .first else { return }
        count(stamp, to: device, at: now)
        habits.planRead(device, place: place, at: now)
    }

    /// A message came whose body or author isn't what was sent. It counts as altered, not as lost.
    func deliveredAltered(sequence: Int, at place: Int) {
        _ = books.ledger.received(
            Int(cast.places[place].room), by: Membership(place), sequence: sequence, from: .none, number: 0)
    }

    /// A signal came to a device.
    func signalled(_ stamp: Stamp, to device: Device, place: Int, at now: UInt64) {
        let reception = books.signals.received(
            Int(cast.places[place].room), by: Membership(place), from: Membership(stamp.place), number: stamp.number)
        guard reception == .first else { return }
        count(stamp, to: device, at: now)
    }

    /// Counts a delivery. What was due while its reader was away or didn't read by plan is catch-up and has no latency.
    /// What was due while the reader was cut off has one.
    private func count(_ stamp: Stamp, to device: Device, at now: UInt64) {
        let corrected = now - min(now, stamp.due)
        books.second.delivered += 1
        let isLive = stamp.due >= device.measuresFrom && !device.isStalled
        if isLive {
            books.recorder.recordSecond(corrected)
            let sender = cast.devices[Int(cast.places[stamp.place].device)]
            disturbances.delivered(from: sender.user, to: device.user, due: stamp.due, latency: corrected)
        }
        guard course.isMeasured(stamp.due) else { return }
        books.counts.delivered += 1
        guard isLive else { return }
        books.recorder.record(.delivery, corrected: corrected, uncorrected: now - min(now, stamp.sent))
    }

    /// The relay announced a gap.
    func announcedGap(from: Int, to: Int, at place: Int) {
        books.ledger.gap(Int(cast.places[place].room), by: Membership(place), from: from, to: to)
    }

    /// The device sent an ack, which covers everything that has come in all of its rooms.
    func acked(by device: Device) {
        for place in device.places.all {
            books.ledger.acknowledged(Membership(Int(place)), upTo: cast.places[Int(place)].newest)
        }
    }
}
