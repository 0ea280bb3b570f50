import RoostCore
import RoostWire

/// What clients read, and what they make of it.
extension Simulation {
    func receive(_ frame: Frame, on connection: SimulatedConnection) {
        tally.frames += 1
        if connection.isClosed { return fail("\(connection.label) gets a frame after its end") }
        // RFC 6455, section 5.2: the opcode of a text frame is 1.
        guard frame.bytes.first.map({ $0 & 0x0F }) == 1 else {
            connection.heardAt = time
            relay.hear(from: connection.session, at: now)
            return
        }
        trace.note(time, connection.label, "reads", frame.payload)
        guard let event = event(of: frame) else { return fail("\(connection.label) gets what isn't an event") }
        if isLost(event) {
            hasPlanted = true
            return
        }
        if let re = event.re { return takeReply(event, re, on: connection) }
        guard connection.isWelcome || event.kind == .error || event.kind == .drain else {
            return fail("\(connection.label) gets \(event.kind) before welcome")
        }
        if event.isDurable { return takeEvent(event, on: connection) }
        switch event.kind {
        case .gap: takeGap(event, on: connection)
        case .presence: takePresence(event.json?["users"], on: connection)
        case .typing: takeTyping(event, on: connection)
        case .receipt: takeReceipt(event, on: connection)
        case .signal: takeSignal(event, on: connection)
        case .drain: connection.wasWarned = true
        case .error, .pong, .ok: break
        default: fail("\(connection.label) gets \(event.kind) out of place")
        }
    }

    private func event(of frame: Frame) -> WireEvent? {
        let identity = ObjectIdentifier(frame)
        if let known = parsed[identity] { return known.event }
        let event = WireEvent(frame.payload)
        // The frame is kept too, so that no other one can get its address meanwhile.
        parsed[identity] = (frame, event)
        return event
    }

    // MARK: Durable events

    private func takeEvent(_ event: WireEvent, on connection: SimulatedConnection) {
        tally.events += 1
        let device = connection.device
        let user = device.user
        guard let position = event.position else { return fail("\(connection.label) gets an event without position") }
        guard let stored = ledger.events[position] else {
            return fail("\(connection.label) gets \(position), which isn't durable")
        }
        checkContent(event, stored, on: connection)
        if position <= connection.position {
            fail("\(connection.label) gets \(position) after \(connection.position)")
        }
        let feed = ledger.feeds[user.index]
        while connection.place < feed.count, feed[connection.place].position < position {
            checkSkipped(feed[connection.place], on: connection)
            connection.place += 1
        }
        if connection.place < feed.count, feed[connection.place].position == position {
            connection.place += 1
        } else {
            fail("\(connection.label) gets \(position) of a conversation that isn't its user's")
        }
        connection.position = position
        device.received.insert(position)
        device.processed = max(device.processed, position)
        connection.unackedEvents.append(position)
        if stored.kind == .conversation { noteDeparture(event, on: connection) }
        if connection.acking == .prompt || connection.acking == .late && random.chance(10) {
            device.highestAck = max(device.highestAck, position)
            answers.append((connection, "ack", "\"position\":\"\(position)\"", .ack(position)))
        }
    }

    private func checkContent(_ event: WireEvent, _ stored: Ledger.Event, on connection: SimulatedConnection) {
        let kind: WireEvent.Kind =
            switch stored.kind {
            case .message: .message
            case .edit: .edit
            case .delete: .delete
            case .react: .react
            case .conversation: .conversation
            }
        let by = event.kind == .conversation ? event.json?["by"]?.string : event.from
        guard event.kind == kind, event.conversation == ledger.conversations[stored.conversation].id,
            by == users[stored.sender].name,
            event.kind == .conversation || event.sequence == stored.sequence,
            event.kind != .message || event.key == (stored.sender == connection.device.user.index ? stored.key : nil)
        else { return fail("\(connection.label) gets something else than is stored at \(event.position ?? 0)") }
        guard stored.kind == .message || stored.kind == .edit else { return }
        let message = ledger.conversations[stored.conversation].messages[Int(stored.sequence) - 1]
        let isKnown = event.body.map(message.bodies.contains) ?? message.isDeleted
        if !isKnown { fail("\(connection.label) gets a body that was never sent at \(event.position ?? 0)") }
    }

    /// An event that should have come before the one that came.
    private func checkSkipped(_ entry: Ledger.Entry, on connection: SimulatedConnection) {
        guard !isExcused(entry, connection.device, gaps: connection.gaps, told: connection.told) else { return }
        fail("\(connection.label) was not given \(entry.position) of conversation \(entry.conversation)")
    }

    func isExcused(
        _ entry: Ledger.Entry, _ device: SimulatedDevice, gaps: [Int: Int64], told: Set<Int64>
    ) -> Bool {
        let conversation = ledger.conversations[entry.conversation]
        if conversation.isErased { return true }
        // It left and joined again since: what was before is for history.
        if conversation.generations[device.user.index] ?? 0 > entry.generation { return true }
        if let floor = gaps[entry.conversation], entry.position <= floor { return true }
        return told.contains(entry.position)
    }

    /// It joined while the device was away, and what was said before is told as a gap.
    private func isJoining(
        _ conversation: Ledger.Conversation, from: Int64, to: Int64, on connection: SimulatedConnection
    ) -> Bool {
        let user = connection.device.user.index
        let feed = ledger.feeds[user]
        let generation = conversation.generations[user] ?? 0
        guard
            let join = feed.firstIndex(where: {
                $0.conversation == conversation.index && $0.generation == generation
            }), join >= connection.place
        else { return false }
        let before = conversation.messages.prefix { $0.position < feed[join].position }
        return Int64(before.count) == to && from <= to
    }

    private func takeGap(_ event: WireEvent, on connection: SimulatedConnection) {
        tally.gaps += 1
        guard let id = event.conversation, let conversation = ledger.conversation(id),
            let from = event.json?["from"]?.integer, let to = event.json?["to"]?.integer, from >= 1, from <= to,
            to <= conversation.messages.count
        else { return fail("\(connection.label) gets a gap that can't be") }
        let feed = ledger.feeds[connection.device.user.index]
        if isJoining(conversation, from: from, to: to, on: connection) { return }
        let missed = feed[connection.place...].reduce(0) { count, entry in
            count + (entry.isMessage && entry.conversation == conversation.index ? 1 : 0)
        }
        if missed <= scenario.limits.backlogMax {
            fail("\(connection.label) gets a gap for a backlog of \(missed)")
        }
        if to - from + 1 > missed {
            fail("\(connection.label) gets a gap of \(to - from + 1) for a backlog of \(missed)")
        }
        let floor = conversation.messages[Int(to) - 1].position
        connection.gaps[conversation.index] = max(connection.gaps[conversation.index] ?? 0, floor)
        connection.device.gaps[conversation.index] = max(connection.device.gaps[conversation.index] ?? 0, floor)
    }

    /// Who is no longer in a conversation hears no more of who types there.
    private func noteDeparture(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let word = event.json?["event"]?.string,
            let conversation = event.conversation.flatMap(ledger.conversation)
        else { return }
        let name = connection.device.user.name
        let isOwn =
            word == "left" && event.json?["by"]?.string == name
            || word == "removed" && event.json?["users"]?.elements?.contains { $0.string == name } == true
        guard isOwn else { return }
        forget(conversation, on: connection)
    }

    func forget(_ conversation: Ledger.Conversation, on connection: SimulatedConnection) {
        connection.typing = connection.typing.filter { $0.one != conversation.index }
        connection.receipts = connection.receipts.filter { $0.key.one != conversation.index }
    }

    // MARK: Ephemeral events

    private func takeTyping(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let conversation = event.conversation.flatMap(ledger.conversation), let user = number(event.user) else {
            return fail("\(connection.label) gets typing of nobody")
        }
        let pair = Ledger.Pair(conversation.index, user)
        if event.isActive { connection.typing.insert(pair) } else { connection.typing.remove(pair) }
        if event.isActive, isUpToDate(connection), isStranger(connection.device.user, to: conversation) {
            fail("\(connection.label) hears of typing where its user isn't a member")
        }
    }

    private func takeReceipt(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let conversation = event.conversation.flatMap(ledger.conversation), let user = number(event.user),
            let delivered = event.json?["delivered"]?.integer, let read = event.json?["read"]?.integer
        else { return fail("\(connection.label) gets a receipt of nobody") }
        let pair = Ledger.Pair(conversation.index, user)
        if let last = connection.receipts[pair], delivered < last.delivered || read < last.read,
            conversation.generations[user] == 1
        {
            fail("\(connection.label) gets a receipt that goes back")
        }
        if read > conversation.messages.count || delivered > conversation.messages.count || read > delivered {
            fail("\(connection.label) gets a receipt that can't be")
        }
        connection.receipts[pair] = Ledger.Mark(delivered: delivered, read: read)
    }

    private func takeSignal(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let conversation = event.conversation.flatMap(ledger.conversation), isUpToDate(connection) else { return }
        if isStranger(connection.device.user, to: conversation) {
            fail("\(connection.label) gets a signal where its user isn't a member")
        }
    }

    /// What it reads now was written now, or at most a moment ago.
    func isUpToDate(_ connection: SimulatedConnection) -> Bool {
        connection.isFast && time - connection.calmSince > Simulation.lateness
    }

    /// Neither a member now nor a moment ago, when what is read now may have been written.
    private func isStranger(_ user: SimulatedUser, to conversation: Ledger.Conversation) -> Bool {
        conversation.members[user.index] == nil && user.left[conversation.index] ?? 0 < time
    }

    func number(_ name: String?) -> Int? { name.flatMap { Int($0.dropFirst()) } }
}
