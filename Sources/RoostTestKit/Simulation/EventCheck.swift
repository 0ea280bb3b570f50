import RoostCore
import RoostFraming
import RoostWire

/// Checks what clients read, event by event: each was promised to the client, comes once and in its place, and says
/// what is stored. It keeps what was parsed in this turn, and writes into connections what their clients now believe.
final class EventCheck {
    private let world: World
    private let ledger: Ledger
    private let people: People
    private let host: SimulatedHost
    private let clients: SimulatedClients
    private let replies: ReplyCheck
    private let presence: PresenceCheck
    /// Frames that were read in this turn, so that each is parsed once.
    private var parsed: [ObjectIdentifier: (frame: Frame, event: WireEvent?)] = [:]

    init(
        _ world: World, _ ledger: Ledger, _ people: People, _ host: SimulatedHost, _ clients: SimulatedClients,
        _ replies: ReplyCheck, _ presence: PresenceCheck
    ) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.host = host
        self.clients = clients
        self.replies = replies
        self.presence = presence
    }

    /// Forgets the frames of a turn that ended: later ones may lie at the same addresses.
    func forgetFrames() { parsed.removeAll(keepingCapacity: true) }

    func receive(_ frame: Frame, on connection: SimulatedConnection) {
        world.tally.frames += 1
        if connection.isClosed { return world.fail("\(connection.label) gets a frame after its end") }
        // RFC 6455, section 5.2: the opcode of a text frame is 1.
        guard frame.bytes.first.map({ $0 & 0x0F }) == 1 else {
            connection.heardAt = world.time
            host.relay.hear(from: connection.session, at: world.now)
            return
        }
        world.trace.note(world.time, connection.label, "reads", frame.payload)
        guard let event = event(of: frame) else { return world.fail("\(connection.label) gets what isn't an event") }
        if isLost(event) { return }
        if let re = event.re { return replies.take(event, re, on: connection) }
        guard connection.isWelcome || event.kind == .error || event.kind == .drain else {
            return world.fail("\(connection.label) gets \(event.kind) before welcome")
        }
        if event.isDurable { return takeEvent(event, on: connection) }
        switch event.kind {
        case .gap: takeGap(event, on: connection)
        case .presence: presence.take(event.json?["users"], on: connection)
        case .typing: takeTyping(event, on: connection)
        case .receipt: takeReceipt(event, on: connection)
        case .signal: takeSignal(event, on: connection)
        case .drain: connection.wasWarned = true
        case .error, .pong, .ok: break
        default: world.fail("\(connection.label) gets \(event.kind) out of place")
        }
    }

    private func event(of frame: Frame) -> WireEvent? {
        let identity = ObjectIdentifier(frame)
        if let known = parsed[identity] { return known.event }
        let event = WireEvent(frame.payload, epoch: world.epoch)
        // Keeps the frame as well, so that no other frame gets its address meanwhile.
        parsed[identity] = (frame, event)
        return event
    }

    // MARK: Durable events

    private func takeEvent(_ event: WireEvent, on connection: SimulatedConnection) {
        world.tally.events += 1
        let device = connection.device
        let user = device.user
        guard let position = event.position else {
            return world.fail("\(connection.label) gets an event without position")
        }
        guard let stored = ledger.events[position] else {
            return world.fail("\(connection.label) gets \(position), which isn't durable")
        }
        checkContent(event, stored, on: connection)
        if position <= connection.position {
            world.fail("\(connection.label) gets \(position) after \(connection.position)")
        }
        let feed = ledger.feeds[user.index]
        while connection.place < feed.count, feed[connection.place].position < position {
            checkSkipped(feed[connection.place], on: connection)
            connection.place += 1
        }
        if connection.place < feed.count, feed[connection.place].position == position {
            connection.place += 1
        } else {
            world.fail("\(connection.label) gets \(position) of a conversation that isn't its user's")
        }
        connection.position = position
        device.received.insert(position)
        device.processed = max(device.processed, position)
        connection.unackedEvents.append(position)
        if stored.kind == .conversation { noteDeparture(event, on: connection) }
        if connection.acking == .prompt || connection.acking == .late && world.random.chance(10) {
            device.highestAck = max(device.highestAck, position)
            clients.answer(connection, "ack", "\"position\":\"\(world.epoch)-\(position)\"", .ack(position))
        }
    }

    private func checkContent(_ event: WireEvent, _ stored: Ledger.Event, on connection: SimulatedConnection) {
        let kind: EventType =
            switch stored.kind {
            case .message: .message
            case .edit: .edit
            case .delete: .delete
            case .react: .react
            case .conversation: .conversation
            }
        let by = event.kind == .conversation ? event.json?["by"]?.string : event.from
        guard event.kind == kind, event.conversation == ledger.conversations[stored.conversation].id,
            by == people.users[stored.sender].name,
            event.kind == .conversation || event.sequence == stored.sequence,
            event.kind != .message || event.key == (stored.sender == connection.device.user.index ? stored.key : nil)
        else { return world.fail("\(connection.label) gets something else than is stored at \(event.position ?? 0)") }
        guard stored.kind == .message || stored.kind == .edit else { return }
        let message = ledger.conversations[stored.conversation].messages[Int(stored.sequence) - 1]
        let isKnown = event.body.map(message.bodies.contains) ?? message.isDeleted
        if !isKnown { world.fail("\(connection.label) gets a body that was never sent at \(event.position ?? 0)") }
    }

    /// Fails unless there is an excuse for an event that should have come earlier.
    private func checkSkipped(_ entry: Ledger.Entry, on connection: SimulatedConnection) {
        guard !ledger.isExcused(entry, connection.device, gaps: connection.gaps, told: connection.told) else { return }
        world.fail("\(connection.label) was not given \(entry.position) of conversation \(entry.conversation)")
    }

    /// Whether the gap is what was said before the user joined, while the device was away.
    private func isJoining(
        _ conversation: ConversationTruth, from: Int64, to: Int64, on connection: SimulatedConnection
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
        world.tally.gaps += 1
        guard let id = event.conversation, let conversation = ledger.conversation(id),
            let from = event.json?["from"]?.integer, let to = event.json?["to"]?.integer, from >= 1, from <= to,
            to <= conversation.messages.count
        else { return world.fail("\(connection.label) gets a gap that can't be") }
        let feed = ledger.feeds[connection.device.user.index]
        if isJoining(conversation, from: from, to: to, on: connection) { return }
        let missed = feed[connection.place...].reduce(0) { count, entry in
            count + (entry.isMessage && entry.conversation == conversation.index ? 1 : 0)
        }
        if missed <= world.day.limits.backlogMax {
            world.fail("\(connection.label) gets a gap for a backlog of \(missed)")
        }
        if to - from + 1 > missed {
            world.fail("\(connection.label) gets a gap of \(to - from + 1) for a backlog of \(missed)")
        }
        let floor = conversation.messages[Int(to) - 1].position
        connection.gaps[conversation.index] = max(connection.gaps[conversation.index] ?? 0, floor)
        connection.device.gaps[conversation.index] = max(connection.device.gaps[conversation.index] ?? 0, floor)
    }

    /// A client whose user left a conversation forgets who types there.
    private func noteDeparture(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let word = event.json?["event"]?.string,
            let conversation = event.conversation.flatMap(ledger.conversation)
        else { return }
        let name = connection.device.user.name
        let isOwn =
            word == "left" && event.json?["by"]?.string == name
            || word == "removed" && event.json?["users"]?.elements?.contains { $0.string == name } == true
        guard isOwn else { return }
        connection.belief.forget(conversation.index)
    }

    // MARK: Ephemeral events

    private func takeTyping(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let conversation = event.conversation.flatMap(ledger.conversation),
            let user = SimulatedUser.index(event.user)
        else {
            return world.fail("\(connection.label) gets typing of nobody")
        }
        let pair = Ledger.Pair(conversation.index, user)
        if event.isActive { connection.belief.typing.insert(pair) } else { connection.belief.typing.remove(pair) }
        if event.isActive, connection.isUpToDate(at: world.time), isStranger(connection.device.user, to: conversation) {
            world.fail("\(connection.label) hears of typing where its user isn't a member")
        }
    }

    private func takeReceipt(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let conversation = event.conversation.flatMap(ledger.conversation),
            let user = SimulatedUser.index(event.user),
            let delivered = event.json?["delivered"]?.integer, let read = event.json?["read"]?.integer
        else { return world.fail("\(connection.label) gets a receipt of nobody") }
        let pair = Ledger.Pair(conversation.index, user)
        if let last = connection.belief.receipts[pair], delivered < last.delivered || read < last.read,
            conversation.generations[user] == 1
        {
            world.fail("\(connection.label) gets a receipt that goes back")
        }
        if read > conversation.messages.count || delivered > conversation.messages.count || read > delivered {
            world.fail("\(connection.label) gets a receipt that can't be")
        }
        connection.belief.receipts[pair] = Ledger.Mark(delivered: delivered, read: read)
    }

    private func takeSignal(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let conversation = event.conversation.flatMap(ledger.conversation), connection.isUpToDate(at: world.time)
        else { return }
        if isStranger(connection.device.user, to: conversation) {
            world.fail("\(connection.label) gets a signal where its user isn't a member")
        }
    }

    /// Whether the user isn't a member now and wasn't a moment ago, when the relay may have written what is read now.
    private func isStranger(_ user: SimulatedUser, to conversation: ConversationTruth) -> Bool {
        conversation.members[user.index] == nil && user.left[conversation.index] ?? 0 < world.time
    }

    /// Whether a frame gets lost between the relay and its client.
    func isLost(_ event: WireEvent) -> Bool {
        switch (world.mistake, event.kind) {
        case (.stuckTyping, .typing): !event.isActive
        case (.lostReply, .ok): world.random.chance(1)
        case (.lostReceipt, .receipt): world.isCalm
        default: false
        }
    }
}
