import RoostWire

/// What the relay says to a device.
extension Device {
    func received(_ text: UnsafeRawBufferPointer, on socket: ClientSocket, at now: UInt64) {
        crowd.frames += 1
        // What still comes on a connection that it has left counts for no session.
        guard socket === self.socket else { return }
        guard let event = ScannedEvent(text), crowd.frames % 64 != 0 || JSONValue(parsing: text) != nil else {
            return crowd.note(.altered, "device \(index): a frame that isn't JSON")
        }
        if event.type.equals("message") {
            gotMessage(event, at: now)
        } else if event.type.equals("ok") {
            gotReply(event, text, at: now)
        } else if event.type.equals("signal") {
            gotSignal(event, at: now)
        } else if event.type.equals("receipt") {
            gotReceipt(event, at: now)
        } else if event.type.equals("typing") {
            gotTyping(event, at: now)
        } else if event.type.equals("presence") {
            gotPresence(text, at: now)
        } else if event.type.equals("error") {
            gotError(event, at: now)
        } else if event.type.equals("welcome") {
            gotWelcome(text, event, at: now)
        } else if event.type.equals("gap") {
            gotGap(text, event)
        } else if !event.position.isEmpty {
            took(event.position, at: now)
        }
    }

    // MARK: Messages

    private func gotMessage(_ event: ScannedEvent, at now: UInt64) {
        guard let sequence = event.sequence.wholeNumber else {
            return crowd.note(.altered, "device \(index): a message without a sequence")
        }
        guard let place = places.place(event.conversation.nameHash) else {
            return crowd.note(.nonMember, "device \(index), a member of other conversations, got sequence \(sequence)")
        }
        took(event.position, at: now)
        guard let stamp = Stamp(event.body), stamp.run == crowd.runNumber,
            crowd.isSender(event.from, from: stamp.place, to: place)
        else { return crowd.deliveredAltered(sequence: sequence, at: place) }
        crowd.delivered(stamp, sequence: sequence, to: self, place: place, at: now)
    }

    private func gotSignal(_ event: ScannedEvent, at now: UInt64) {
        guard let stamp = Stamp(event.body), stamp.run == crowd.runNumber else {
            return crowd.note(.altered, "device \(index): a signal that no harness wrote")
        }
        guard let place = places.place(event.conversation.nameHash) else {
            return crowd.note(.nonMember, "device \(index), a member of other conversations, got a signal")
        }
        guard crowd.isSender(event.from, from: stamp.place, to: place) else {
            return crowd.note(.altered, "device \(index): a signal of place \(stamp.place) under another name")
        }
        crowd.signalled(stamp, to: self, place: place, at: now)
    }

    private func gotGap(_ text: UnsafeRawBufferPointer, _ event: ScannedEvent) {
        guard let gap = JSONValue(parsing: text), let from = gap["from"]?.integer, let to = gap["to"]?.integer,
            let place = places.place(event.conversation.nameHash)
        else { return }
        crowd.announcedGap(from: Int(from), to: Int(to), at: place)
    }

    // MARK: Replies

    private func gotReply(_ event: ScannedEvent, _ text: UnsafeRawBufferPointer, at now: UInt64) {
        guard let id = event.reply.wholeNumber, let purpose = takePending(id) else {
            return crowd.note(.duplicated, "device \(index): a reply that nothing waits for")
        }
        switch purpose {
        case .message(let message):
            guard let sequence = event.sequence.wholeNumber else { return }
            let isDuplicate = event.duplicate.equals("true")
            // A repeated answer has the position of the first one, which may lie behind what came since.
            if toCatchUp == 0, !isDuplicate { took(event.position, at: now) }
            crowd.acknowledged(message, sequence: sequence, isDuplicate: isDuplicate, by: self, at: now)
        case .create(let room): crowd.created(room, JSONValue(parsing: text), by: self)
        case .add: crowd.setUpStepDone()
        case .watch:
            crowd.setUpStepDone()
            gotPresence(text, at: now)
        case .watchAgain: gotPresence(text, at: now)
        case .list: crowd.listed(JSONValue(parsing: text), by: self)
        case .hello: break
        }
    }

    private func gotError(_ event: ScannedEvent, at now: UInt64) {
        crowd.noteError(event.code)
        guard let id = event.reply.wholeNumber, let purpose = takePending(id) else { return }
        switch purpose {
        case .message(let message): crowd.refused(message, isSure: !event.code.equals("unavailable"))
        case .hello, .watchAgain: break
        case .create, .add, .watch: crowd.setUpFailed(String(decoding: event.code, as: UTF8.self))
        case .list: crowd.listed(nil, by: self)
        }
    }

    private func gotWelcome(_ text: UnsafeRawBufferPointer, _ event: ScannedEvent, at now: UInt64) {
        guard phase == .greeting, let id = event.reply.wholeNumber, takePending(id) != nil else { return }
        crowd.learnRelay(text)
        let position = event.position
        let resumption: Resumption =
            position.elementsEqual(takenPosition)
            ? .everything
            : position.elementsEqual(ackedPosition) ? .acked : .unknown
        welcomed(resumption, at: now)
    }

    // MARK: What isn't stored

    private func gotReceipt(_ event: ScannedEvent, at now: UInt64) {
        guard let place = places.place(event.conversation.nameHash), let read = event.read.wholeNumber,
            let user = crowd.user(named: event.user)
        else { return }
        crowd.sawReceipt(of: user, read: read, in: Int(crowd.places[place].room), by: self, at: place, now)
        guard user == self.user, !event.unread.isEmpty else { return }
        // Anything but digits can't be right.
        crowd.sawUnread(event.unread.wholeNumber ?? -1, read: read, by: self, at: place)
    }

    private func gotTyping(_ event: ScannedEvent, at now: UInt64) {
        guard let place = places.place(event.conversation.nameHash), let user = crowd.user(named: event.user) else {
            return
        }
        crowd.sawTyping(of: user, event.active.equals("true"), at: place, by: self, now)
    }

    private func gotPresence(_ text: UnsafeRawBufferPointer, at now: UInt64) {
        for shown in JSONValue(parsing: text)?["users"]?.elements ?? [] {
            guard let name = shown["user"]?.string, let state = shown["state"]?.string else { continue }
            crowd.sawPresence(of: name, state, by: self, at: now)
        }
    }
}
