import RoostWire

/// Handles the relay's frames to a device.
extension Device {
    func received(_ text: UnsafeRawBufferPointer, on socket: ClientSocket, at now: UInt64) {
        crowd.books.counts.frames += 1
        // What still comes on a connection that it has left counts for no session.
        guard socket === self.socket else { return }
        guard let event = crowd.reader.read(text) else {
            return crowd.books.note(.altered, "device \(index): a frame that isn't JSON")
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
            crowd.books.attention.looks(at: now)
            gotTyping(event, at: now)
        } else if event.type.equals("presence") {
            crowd.books.attention.looks(at: now)
            crowd.habits.countPresence(of: gotPresence(text, at: now))
        } else if event.type.equals("error") {
            gotError(event, at: now)
        } else if event.type.equals("welcome") {
            gotWelcome(text, event, at: now)
        } else if event.type.equals("live") {
            took(event.position, at: now)
            crowd.attendance.becameLive(self, at: now)
        } else if event.type.equals("drain") {
            askedBackIn = event.after.wholeNumber.map { Double(min($0, 3_600_000)) / 1_000 }
        } else if event.type.equals("gap") {
            gotGap(text, event)
        } else if !event.position.isEmpty {
            took(event.position, at: now)
        }
    }

    // MARK: Messages

    private func gotMessage(_ event: EventView, at now: UInt64) {
        guard let sequence = event.sequence.wholeNumber else {
            return crowd.books.note(.altered, "device \(index): a message without a sequence")
        }
        guard let place = places.place(event.conversation.nameHash) else {
            return crowd.books.note(
                .nonMember, "device \(index), a member of other conversations, got sequence \(sequence)")
        }
        took(event.position, at: now)
        guard let stamp = Stamp(event.body), stamp.run == crowd.course.runNumber,
            crowd.cast.isSender(event.from, from: stamp.place, to: place)
        else { return crowd.traffic.deliveredAltered(sequence: sequence, at: place) }
        crowd.traffic.delivered(stamp, sequence: sequence, to: self, place: place, at: now)
    }

    private func gotSignal(_ event: EventView, at now: UInt64) {
        guard let stamp = Stamp(event.body), stamp.run == crowd.course.runNumber else {
            return crowd.books.note(.altered, "device \(index): a signal that no harness wrote")
        }
        guard let place = places.place(event.conversation.nameHash) else {
            return crowd.books.note(.nonMember, "device \(index), a member of other conversations, got a signal")
        }
        guard crowd.cast.isSender(event.from, from: stamp.place, to: place) else {
            return crowd.books.note(.altered, "device \(index): a signal of place \(stamp.place) under another name")
        }
        crowd.traffic.signalled(stamp, to: self, place: place, at: now)
    }

    private func gotGap(_ text: UnsafeRawBufferPointer, _ event: EventView) {
        guard let gap = JSONMembers(parsing: text).flatMap(MessageGap.init(reading:)),
            let place = places.place(event.conversation.nameHash)
        else { return }
        crowd.traffic.announcedGap(from: Int(gap.from.value), to: Int(gap.to.value), at: place)
    }

    // MARK: Replies

    private func gotReply(_ event: EventView, _ text: UnsafeRawBufferPointer, at now: UInt64) {
        guard let id = event.reply.wholeNumber, let purpose = pending.take(id) else {
            return crowd.books.note(.duplicated, "device \(index): a reply that nothing waits for")
        }
        switch purpose {
        case .message(let message):
            guard let sequence = event.sequence.wholeNumber else { return }
            let isDuplicate = event.duplicate.equals("true")
            // Before `live` it is ahead of what was missed. A repeated answer has the position of the first one, which
            // may lie behind what came since.
            if phase == .live, !isDuplicate { took(event.position, at: now) }
            crowd.traffic.acknowledged(message, sequence: sequence, isDuplicate: isDuplicate, by: self, at: now)
        case .create(let room): crowd.preparation.created(room, JSONMembers(parsing: text), by: self)
        case .add: crowd.preparation.stepDone()
        case .watch:
            crowd.preparation.stepDone()
            gotPresence(text, at: now)
        case .watchAgain: gotPresence(text, at: now)
        case .list: crowd.verdict.listed(JSONMembers(parsing: text), by: self)
        case .hello: break
        }
    }

    private func gotError(_ event: EventView, at now: UInt64) {
        crowd.books.noteError(event.code)
        guard let id = event.reply.wholeNumber, let purpose = pending.take(id) else { return }
        switch purpose {
        case .message(let message) where event.retry.equals("true"):
            let wait = event.retryAfter.wholeNumber.map { UInt64($0) &* 1_000_000 }
            sendAgain(message, in: wait ?? HarnessLimits.retryNanoseconds)
        case .message(let message): crowd.traffic.refused(message, isSure: !event.code.equals("unavailable"))
        case .hello: helloRefused(backIn: event.retryAfter.wholeNumber.map { Double(min($0, 3_600_000)) / 1_000 })
        case .watchAgain: break
        case .create, .add, .watch: crowd.preparation.stepFailed(String(decoding: event.code, as: UTF8.self))
        case .list: crowd.verdict.listed(nil, by: self)
        }
    }

    private func gotWelcome(_ text: UnsafeRawBufferPointer, _ event: EventView, at now: UInt64) {
        guard phase == .greeting, let id = event.reply.wholeNumber, pending.take(id) != nil else { return }
        crowd.books.learnRelay(text, users: crowd.cast.users)
        let position = event.position
        let resumption: Resumption =
            position.elementsEqual(takenPosition)
            ? .everything
            : position.elementsEqual(ackedPosition) ? .acked : .unknown
        welcomed(resumption, at: now)
    }

    // MARK: What isn't stored

    private func gotReceipt(_ event: EventView, at now: UInt64) {
        guard let place = places.place(event.conversation.nameHash), let read = event.read.wholeNumber,
            let user = crowd.cast.user(named: event.user)
        else { return }
        crowd.habits.sawReceipt(of: user, read: read, in: Int(crowd.cast.places[place].room), by: self, at: place, now)
        guard user == self.user, !event.unread.isEmpty else { return }
        // Anything but digits can't be right.
        crowd.verdict.sawUnread(event.unread.wholeNumber ?? -1, read: read, by: self, at: place)
    }

    private func gotTyping(_ event: EventView, at now: UInt64) {
        guard let place = places.place(event.conversation.nameHash), let user = crowd.cast.user(named: event.user)
        else {
            return
        }
        crowd.habits.sawTyping(of: user, event.active.equals("true"), at: place, by: self, now)
    }

    /// Returns the number of users in the frame.
    @discardableResult
    private func gotPresence(_ text: UnsafeRawBufferPointer, at now: UInt64) -> Int {
        guard let members = JSONMembers(parsing: text) else { return 0 }
        let users = UserPresence.list(reading: members)
        for shown in users { crowd.habits.sawPresence(of: shown.user, shown.state, by: self, at: now) }
        return users.count
    }
}
