import RoostCore
import RoostWire

/// What clients say.
extension Simulation {
    /// Says one command with an id, and waits for its reply.
    func say(_ type: String, _ members: String, _ kind: Pending.Kind, on connection: SimulatedConnection) {
        guard !connection.isClosed, !connection.hasVanished else { return }
        let id = connection.nextID
        connection.nextID += 1
        let wasReady = connection.isReady
        let before = relay.counters.errors.reduce(0, +)
        connection.pending[id] = Pending(kind: kind, saidAt: time)
        sayBare("{\"type\":\"\(type)\",\"id\":\(id)\(members.isEmpty ? "" : ",")\(members)}", on: connection)
        if wasReady, now.wall.milliseconds >= connection.tokenEnds, relay.counters.errors.reduce(0, +) == before {
            switch kind {
            case .refresh, .bye: break
            default: fail("\(connection.label) has an expired token and is listened to")
            }
        }
        // A session that has ended doesn't even refuse.
        if relay.counters.errors.reduce(0, +) == before, wasReady { noteTaken(kind, on: connection) }
    }

    /// Says a text as it is.
    func sayBare(_ json: String, on connection: SimulatedConnection) {
        guard !connection.isClosed, !connection.hasVanished else { return }
        tally.commands += 1
        connection.heardAt = time
        var json = json
        json.withUTF8 { bytes in
            trace.note(time, connection.label, "says", UnsafeRawBufferPointer(bytes))
            relay.receive(UnsafeRawBufferPointer(bytes), from: connection.session, at: now)
        }
        noteClosing(connection)
    }

    /// The relay took the command without an error: what holds from this moment on.
    private func noteTaken(_ kind: Pending.Kind, on connection: SimulatedConnection) {
        let user = connection.device.user
        switch kind {
        case .activity(let activity):
            guard connection.isReady else { return }
            if activity == .background, connection.activity != .background { noteSeen(user) }
            connection.activity = activity
            noteTruth(of: user)
        case .read(let conversation, let sequence):
            guard ledger.conversations[conversation].members[user.index] != nil else { return }
            let range = user.read[conversation] ?? 0...0
            user.read[conversation] = max(range.lowerBound, sequence)...max(range.upperBound, sequence)
        case .typing(let conversation, let isActive):
            user.typingUntil[conversation] = isActive ? time + scenario.limits.typingMilliseconds : time
        case .send(let intent):
            if let conversation = intent.conversation { user.typingUntil[conversation] = time }
        case .refresh: break
        default: break
        }
    }

    // MARK: Connecting

    /// A device opens a connection and says hello.
    func connect(_ device: SimulatedDevice) {
        tally.connects += 1
        connectionsMade += 1
        let isBackground = !isCalm && random.chance(12)
        let session = relay.open(at: now)
        let connection = SimulatedConnection(
            session, device, connectionsMade, isBackground: isBackground, at: time)
        session.attachment = connection
        connections.append(connection)
        device.current = connection
        if !isCalm, random.chance(scenario.slowPercent) {
            connection.reading = random.chance(20) ? .stuck : .slow(random.within(20...3_000))
        }
        connection.acking = isCalm ? .prompt : [.prompt, .prompt, .late, .late, .never][random.below(5)]
        var token = device.user.name + (random.chance(20) ? "/" + device.name : "")
        if !isCalm, random.chance(scenario.shortTokens) { token += "+\(random.within(200...60_000))" }
        if !isCalm, random.chance(1) { token = random.chance(50) ? "bad" : "expired:x" }
        var members = "\"token\":\"\(token)\",\"device\":\"\(device.name)\""
        if isBackground { members += ",\"background\":true" }
        var resume: Int64?
        if device.processed > 0, random.chance(40) {
            resume = device.processed
            // A device that was restored from a backup goes back.
            if random.chance(10), let older = device.received.min() {
                resume = older
            }
            if resume ?? 0 < device.highestAck { device.hasGoneBack = true }
            device.highestAck = max(device.highestAck, resume ?? 0)
            members += ",\"resume\":\"\(resume ?? 0)\""
        }
        say("hello", members, .hello(resume: resume), on: connection)
    }

    // MARK: Messages

    func sendNew(on connection: SimulatedConnection) {
        let user = connection.device.user
        keysMade += 1
        let key = "k\(keysMade)"
        var isToPeer = false
        var index: Int?
        let to: String
        var last: Int64 = 0
        if random.chance(30) {
            isToPeer = true
            let peer = other(than: user)
            to = "@" + peer.name
            last = Int64(ledger.direct(user.index, peer.index)?.messages.count ?? 0)
        } else {
            guard let conversation = conversation(of: user) else { return }
            to = conversation.id
            index = conversation.index
            last = Int64(conversation.messages.count)
        }
        var members = "\"to\":\"\(to)\",\"key\":\"\(key)\""
        let length = random.below(random.chance(15) ? scenario.bodyBytes : 40)
        let padding = String(repeating: "x", count: length)
        if random.chance(15) {
            members += ",\"kind\":\"blob\",\"body\":{\"n\":\(keysMade),\"pad\":\"\(padding)\"}"
        } else {
            members += ",\"body\":\"m\(keysMade) \(padding)\""
        }
        let isReply = last > 0 && random.chance(10)
        if isReply { members += ",\"replyTo\":\(random.within(1...Int(last) + 1))" }
        let intent = SendIntent(key: key, members: members, isToPeer: isToPeer, conversation: index, isReply: isReply)
        user.unanswered.append(intent)
        say("send", members, .send(intent), on: connection)
    }

    /// The same message again, from whatever device of its user: because no answer came, or in spite of it.
    func retry(on connection: SimulatedConnection) {
        let user = connection.device.user
        let pool = user.unanswered.isEmpty || random.chance(30) ? user.answered : user.unanswered
        guard !pool.isEmpty else { return }
        tally.retries += 1
        let intent = pool[random.below(pool.count)]
        say("send", intent.members, .send(intent), on: connection)
    }

    func change(_ kind: EventKind, on connection: SimulatedConnection) {
        guard let conversation = conversation(of: connection.device.user), !conversation.messages.isEmpty else {
            return
        }
        let recent = random.chance(50) ? min(conversation.messages.count, 5) : conversation.messages.count
        let sequence = conversation.messages.count - random.below(recent)
        let target = "\"conversation\":\"\(conversation.id)\",\"sequence\":\(sequence)"
        switch kind {
        case .edit:
            say("edit", target + ",\"body\":\"edited \(random.below(1_000))\"", .change(.edit), on: connection)
        case .delete:
            say("delete", target, .change(.delete), on: connection)
        default:
            let reaction = ["+1", "heart", "eyes", "no"][random.below(4)]
            let removal = random.chance(30) ? ",\"remove\":true" : ""
            say("react", target + ",\"reaction\":\"\(reaction)\"" + removal, .change(.react), on: connection)
        }
    }

    // MARK: Marks

    /// Acks something that came before: the newest, an old one again, or a position that only an `ok` told.
    func ackSomething(on connection: SimulatedConnection) {
        let positions = connection.unackedEvents
        if !connection.told.isEmpty, random.chance(30) {
            let told = connection.told.sorted()
            return ack(told[random.below(told.count)], on: connection)
        }
        guard let last = positions.last else { return }
        let position = random.chance(60) ? last : positions[random.below(positions.count)]
        ack(position, on: connection)
    }

    func ack(_ position: Int64, on connection: SimulatedConnection) {
        connection.device.highestAck = max(connection.device.highestAck, position)
        say("ack", "\"position\":\"\(position)\"", .ack(position), on: connection)
    }

    func readSomething(on connection: SimulatedConnection) {
        guard let conversation = conversation(of: connection.device.user), !conversation.messages.isEmpty else {
            return
        }
        let last = conversation.messages.count
        let sequence = random.chance(60) ? last : random.within(1...last)
        say(
            "read", "\"conversation\":\"\(conversation.id)\",\"sequence\":\(sequence)",
            .read(conversation: conversation.index, Int64(sequence)), on: connection)
    }

    // MARK: Choosing

    func other(than user: SimulatedUser) -> SimulatedUser {
        let index = random.below(users.count - 1)
        return users[index < user.index ? index : index + 1]
    }

    /// A conversation that the user is in, mostly.
    func conversation(of user: SimulatedUser) -> Ledger.Conversation? {
        guard !ledger.conversations.isEmpty else { return nil }
        for _ in 0..<6 {
            let most = scenario.isChatty ? min(ledger.conversations.count, 4) : ledger.conversations.count
            let conversation = ledger.conversations[random.below(most)]
            if conversation.members[user.index] != nil, !conversation.isErased { return conversation }
        }
        return random.chance(10) ? ledger.conversations[random.below(ledger.conversations.count)] : nil
    }
}
