/// Messages: who writes the next one, and what becomes of those that were sent.
extension Crowd {
    /// A message is due. Whoever is to write it may type first.
    func arrive(due: UInt64, at now: UInt64) {
        guard let (device, place) = pickSender() else { return }
        let persona = persona(of: device)
        guard persona.typing > 0, random.happens(persona.typing) else {
            return send(device, place: place, due: due, at: now)
        }
        startTyping(device, place: place, until: due + UInt64(persona.typingSeconds * 1e9), at: now)
    }

    /// nil: nobody of those who were drawn is there; people who are away don't write.
    private func pickSender() -> (Device, place: Int)? {
        for _ in 0..<8 {
            guard let number = roomPicker?.pick(&random), let picker = rooms[number].picker else { continue }
            let room = rooms[number]
            let member = picker.pick(&random)
            let which = scenario.devices == 1 ? 0 : Int.random(in: 0..<scenario.devices, using: &random)
            let place = room.firstPlace + member * scenario.devices + which
            let device = devices[Int(places[place].device)]
            if device.isReady, !device.isStalled { return (device, place) }
        }
        return nil
    }

    func send(_ device: Device, place: Int, due: UInt64, at now: UInt64) {
        guard device.isReady, let messages = scenario.messages else { return }
        if isMeasured(due) {
            counts.due += 1
            recorder.recordLateness(now - min(now, due))
        }
        second.due += 1
        guard device.pendingCount < HarnessLimits.pendingMax else { return }
        let length =
            messages.bytes.count == 1
            ? messages.bytes.lowerBound : Int.random(in: messages.bytes, using: &random)
        typing.ended(device.user, in: Int(places[place].room), at: now)
        device.sendMessage(place: place, due: due, length: max(length, Stamp.byteCount + 1), at: now)
    }

    /// A number for the next message from a place: of the place's own for what is stored, of all in the room for
    /// signals.
    func number(from place: Int) -> Int {
        let room = Int(places[place].room)
        guard scenario.messages?.mode != .signal else { return signals.send(room) }
        places[place].numbered += 1
        let number = Int(places[place].numbered)
        ledger.sent(room, from: Membership(place), number: number)
        return number
    }

    func noteSent(_ message: Device.Outgoing) {
        let room = Int(places[message.place].room)
        second.sent += 1
        if isMeasured(message.due) {
            counts.sent += 1
            if scenario.messages?.mode == .signal { counts.expected += UInt64(receivers(in: room)) }
        }
    }

    /// Devices that get what one of a room sends.
    private func receivers(in room: Int) -> Int { rooms[room].members.count * scenario.devices - 1 }

    func noteResent(_ message: Device.Outgoing) {
        ledger.resent(
            Int(places[message.place].room), from: Membership(message.place), number: message.number)
    }

    func acknowledged(
        _ message: Device.Outgoing, sequence: Int, isDuplicate: Bool, by device: Device, at now: UInt64
    ) {
        let room = Int(places[message.place].room)
        ledger.acked(
            room, from: Membership(message.place), number: message.number, sequence: sequence,
            isDuplicate: isDuplicate)
        if sequence > places[message.place].newest { places[message.place].newest = sequence }
        unread.wrote(reader(at: message.place), sequence)
        second.acked += 1
        guard isMeasured(message.due) else { return }
        counts.acked += 1
        counts.expected += UInt64(receivers(in: room))
        // What was sent again on another connection tells how long the device was away, not how fast the relay is.
        guard message.due >= device.measuresFrom else { return }
        recorder.record(
            .ack, corrected: now - min(now, message.due), uncorrected: now - min(now, message.sent))
    }

    /// - Parameter isSure: this attempt isn't stored; an earlier one may be.
    func refused(_ message: Device.Outgoing, isSure: Bool) {
        unread.mayHaveWritten(reader(at: message.place))
        guard isSure else { return }
        ledger.refused(
            Int(places[message.place].room), from: Membership(message.place), number: message.number)
    }

    // MARK: Deliveries

    func delivered(_ stamp: Stamp, sequence: Int, to device: Device, place: Int, at now: UInt64) {
        let reception = ledger.received(
            Int(places[place].room), by: Membership(place), sequence: sequence, from: Membership(stamp.place),
            number: stamp.number)
        if sequence > places[place].newest { places[place].newest = sequence }
        guard reception == .first || reception == .own else { return }
        if device.toCatchUp > 0 { caughtUpOne(device, at: now) }
        guard reception == .first else { return }
        count(stamp, to: device, at: now)
        planRead(device, place: place, at: now)
    }

    /// What came isn't what anybody sent, or says that somebody else sent it. It came, so it isn't lost.
    func deliveredAltered(sequence: Int, at place: Int) {
        _ = ledger.received(
            Int(places[place].room), by: Membership(place), sequence: sequence, from: .none, number: 0)
    }

    func signalled(_ stamp: Stamp, to device: Device, place: Int, at now: UInt64) {
        let reception = signals.received(
            Int(places[place].room), by: Membership(place), from: Membership(stamp.place), number: stamp.number)
        guard reception == .first else { return }
        count(stamp, to: device, at: now)
    }

    /// What was due before this session, or while the device didn't read, is catching up and not delivery.
    private func count(_ stamp: Stamp, to device: Device, at now: UInt64) {
        let corrected = now - min(now, stamp.due)
        second.delivered += 1
        let isLive = stamp.due >= device.measuresFrom && !device.isStalled
        if isLive { recorder.recordSecond(corrected) }
        guard isMeasured(stamp.due) else { return }
        counts.delivered += 1
        guard isLive else { return }
        recorder.record(.delivery, corrected: corrected, uncorrected: now - min(now, stamp.sent))
    }

    func announcedGap(from: Int, to: Int, at place: Int) {
        ledger.gap(Int(places[place].room), by: Membership(place), from: from, to: to)
    }

    /// A cumulative ack went out: in all of the device's conversations what came is covered by it.
    func acked(by device: Device) {
        for place in device.places.all {
            ledger.acknowledged(Membership(Int(place)), upTo: places[Int(place)].newest)
        }
    }
}
