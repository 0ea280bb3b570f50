import SeededRandom

/// Messages: who writes the next one, what became of those that were sent, and what came of those of others.
final class Traffic {
    private let course: Course
    private let cast: Cast
    private let books: Books
    private let habits: Habits
    private let attendance: Attendance

    init(_ course: Course, _ cast: Cast, _ books: Books, _ habits: Habits, _ attendance: Attendance) {
        self.course = course
        self.cast = cast
        self.books = books
        self.habits = habits
        self.attendance = attendance
    }

    /// A message is due. Its author may type first.
    func arrive(due: UInt64, at now: UInt64) {
        guard let (device, place) = cast.pickSender() else { return }
        let persona = cast.persona(of: device)
        guard persona.typing > 0, course.random.happens(persona.typing) else {
            return send(device, place: place, due: due, at: now)
        }
        habits.startTyping(device, place: place, until: due + UInt64(persona.typingSeconds * 1e9), at: now)
    }

    /// Sends a message that is due now, or was.
    func send(_ device: Device, place: Int, due: UInt64, at now: UInt64) {
        guard device.isReady, let messages = course.scenario.messages else { return }
        if course.isMeasured(due) {
            books.counts.due += 1
            books.recorder.recordLateness(now - min(now, due))
        }
        books.second.due += 1
        guard device.pending.count < HarnessLimits.pendingMax else { return }
        let length =
            messages.bytes.count == 1
            ? messages.bytes.lowerBound : Int.random(in: messages.bytes, using: &course.random)
        books.typing.ended(device.user, in: Int(cast.places[place].room), at: now)
        device.sendMessage(place: place, due: due, length: max(length, Stamp.byteCount + 1), at: now)
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
        guard course.isMeasured(message.due) else { return }
        books.counts.acked += 1
        books.counts.expected += UInt64(cast.receivers(in: room))
        // The latency of a message that was sent again only tells how long the device was away.
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
        let reception = books.ledger.received(
            Int(cast.places[place].room), by: Membership(place), sequence: sequence, from: Membership(stamp.place),
            number: stamp.number)
        if sequence > cast.places[place].newest { cast.places[place].newest = sequence }
        guard reception == .first || reception == .own else { return }
        if device.toCatchUp > 0 { attendance.caughtUpOne(device, at: now) }
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

    /// Counts a delivery. What was due before this session, or while the device didn't read, is catch-up and has no
    /// latency.
    private func count(_ stamp: Stamp, to device: Device, at now: UInt64) {
        let corrected = now - min(now, stamp.due)
        books.second.delivered += 1
        let isLive = stamp.due >= device.measuresFrom && !device.isStalled
        if isLive { books.recorder.recordSecond(corrected) }
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
