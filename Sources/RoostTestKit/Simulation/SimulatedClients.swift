import RoostCore
import RoostWire

/// The clients' side: it makes connections, sends commands on them and notes which replies they wait for. An effect
/// that the relay accepted without an error holds from that moment on.
final class SimulatedClients {
    typealias Pending = SimulatedConnection.Pending

    private let world: World
    private let ledger: Ledger
    private let people: People
    private let host: SimulatedHost
    private(set) var connectionsMade = 0
    /// Commands that clients will say when the turn ends, in answer to what they just read.
    private var answers: [(connection: SimulatedConnection, type: String, members: String, kind: Pending.Kind)] = []

    init(_ world: World, _ ledger: Ledger, _ people: People, _ host: SimulatedHost) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.host = host
    }

    /// Says one command with an id, and waits for its reply.
    func say(_ type: String, _ members: String, _ kind: Pending.Kind, on connection: SimulatedConnection) {
        guard !connection.isClosed, !connection.hasVanished else { return }
        let id = connection.nextID
        connection.nextID += 1
        let wasReady = connection.isReady
        let before = host.relay.counters.errors.reduce(0, +)
        connection.pending[id] = Pending(kind: kind, saidAt: world.time)
        sayBare("{\"type\":\"\(type)\",\"id\":\(id)\(members.isEmpty ? "" : ",")\(members)}", on: connection)
        let isRefused = host.relay.counters.errors.reduce(0, +) > before
        if wasReady, world.now.wall.milliseconds >= connection.tokenEnds, !isRefused {
            switch kind {
            case .refresh, .bye: break
            default: world.fail("\(connection.label) has an expired token and is listened to")
            }
        }
        // A session that has ended sends no error, but takes nothing either.
        guard !isRefused, wasReady else { return }
        noteTaken(kind, on: connection)
        if case .openInvite(let index) = kind {
            connection.pending[id]?.isUse = people.noteOpened(index, by: connection.device.user)
        }
        connection.pending[id]?.pledges = people.pledges(of: kind, by: connection.device.user)
    }

    /// Says a text as it is.
    func sayBare(_ json: String, on connection: SimulatedConnection) {
        guard !connection.isClosed, !connection.hasVanished else { return }
        world.tally.commands += 1
        connection.heardAt = world.time
        var json = json
        json.withUTF8 { bytes in
            world.trace.note(world.time, connection.label, "says", UnsafeRawBufferPointer(bytes))
            host.relay.receive(UnsafeRawBufferPointer(bytes), from: connection.session, at: world.now)
        }
        host.noteClosing(connection)
    }

    /// The relay took the command without an error: notes what is true from now on.
    private func noteTaken(_ kind: Pending.Kind, on connection: SimulatedConnection) {
        let user = connection.device.user
        switch kind {
        case .activity(let activity):
            guard connection.isReady else { return }
            if activity == .background, connection.activity != .background {
                people.noteSeen(user)
                user.ghost = nil
            }
            if activity == .idle, connection.activity != .idle {
                connection.use.awayAt = connection.use.wasAwayAt ?? world.time + world.day.limits.awayMilliseconds
            }
            connection.use.wasAwayAt = nil
            connection.use.activity = activity
            connection.device.changedAt = world.time
            if activity != .background { connection.belief.isInBackground = false }
            people.noteTruth(of: user)
        case .status(let choice, let text):
            guard connection.isReady else { return }
            people.note(choice ?? user.choice, text ?? user.text, of: user)
        case .privacy(let change): people.note(change.applied(to: user.secrecy.settings), of: user)
        case .except(let other, .blocked):
            people.note(.block(over: user.secrecy.exceptions[other]), for: other, of: user)
        case .except(let other, let exception): people.note(exception, for: other, of: user)
        case .unblock(let other): people.noteUnblock(other, of: user)
        case .contact(let deed, let other):
            people.acquaintances.note(
                deed, by: user.index, other, isBlocked: people.hasBlocked(other, user.index),
                at: world.now.wall.milliseconds)
        case .revokeInvite(let index):
            let link = people.invitations.links[index]
            people.invitations.links[index].revokingAt = link.revokingAt ?? world.time
        case .read(let conversation, let sequence):
            guard let member = ledger.conversations[conversation].members[user.index] else { return }
            if sequence <= member.since { world.fail("\(connection.label) has read \(sequence), which is hidden") }
            people.readTimes[Ledger.Pair(conversation, user.index), default: ReadTimes()].note(
                sequence, at: world.now.wall.milliseconds)
            let range = user.read[conversation] ?? 0...0
            user.read[conversation] = max(range.lowerBound, sequence)...max(range.upperBound, sequence)
        case .typing(let conversation, let thread, let isActive):
            if isActive { user.typedAt[Ledger.Pair(conversation, thread)] = world.time }
            user.typingUntil[conversation] = isActive ? world.time + world.day.limits.typingMilliseconds : world.time
        case .send(let intent):
            if let conversation = intent.conversation { user.typingUntil[conversation] = world.time }
        case .answerRequest(let conversation, isAccepted: false): people.acquaintances.noteDropped(conversation)
        case .refresh: break
        default: break
        }
    }

    // MARK: Connecting

    /// A device opens a connection and says hello.
    func connect(_ device: SimulatedDevice) {
        world.tally.connects += 1
        connectionsMade += 1
        let isBackground = !world.isCalm && world.random.chance(12)
        let connection = host.open(device, number: connectionsMade, isBackground: isBackground)
        if !world.isCalm, world.random.chance(world.day.slowPercent) {
            connection.reading = world.random.chance(20) ? .stuck : .slow(world.random.within(20...3_000))
        }
        connection.acking = world.isCalm ? .prompt : [.prompt, .prompt, .late, .late, .never][world.random.below(5)]
        var token = device.user.name + (world.random.chance(20) ? "/" + device.name : "")
        if !world.isCalm, world.random.chance(world.day.shortTokens) {
            token += "+\(world.random.within(200...60_000))"
        }
        if !world.isCalm, world.random.chance(1) { token = world.random.chance(50) ? "bad" : "expired:x" }
        var members = "\"token\":\"\(token)\",\"device\":\"\(device.name)\""
        if isBackground { members += ",\"background\":true" }
        var resume: Int64?
        if device.processed > 0, world.random.chance(40) || device.isRereading {
            resume = device.processed
            // A device restored from a backup resumes at an older position. An answer may have contained a later one
            // than it had got to.
            if world.random.chance(10), let older = device.received.min(), older < device.processed {
                resume = older
                device.isRereading = true
            }
            if resume ?? 0 < device.highestAck { device.hasGoneBack = true }
            device.highestAck = max(device.highestAck, resume ?? 0)
            members += ",\"resume\":\"\(world.epoch)-\(resume ?? 0)\""
        }
        say("hello", members, .hello(resume: resume), on: connection)
    }

    /// Acks everything up to a position.
    func ack(_ position: Int64, on connection: SimulatedConnection) {
        connection.device.highestAck = max(connection.device.highestAck, position)
        say("ack", "\"position\":\"\(world.epoch)-\(position)\"", .ack(position), on: connection)
    }

    // MARK: Answers

    /// Says something when the turn ends, in answer to what was just read.
    func answer(_ connection: SimulatedConnection, _ type: String, _ members: String, _ kind: Pending.Kind) {
        answers.append((connection, type, members, kind))
    }

    /// Says what clients answer. Returns whether there was something to say.
    func sayAnswers() -> Bool {
        guard !answers.isEmpty else { return false }
        let said = answers
        answers.removeAll(keepingCapacity: true)
        for answer in said { say(answer.type, answer.members, answer.kind, on: answer.connection) }
        return true
    }

    /// Drops the answers: the process is gone.
    func forgetAnswers() { answers.removeAll() }

    // MARK: Going

    /// A client goes without `bye`: silently, or by the end of its connection, with a close frame or without.
    func drop(_ connection: SimulatedConnection) {
        world.tally.drops += 1
        world.trace.note(world.time, connection.label, "drop", "")
        if world.random.chance(world.day.sleepers) {
            connection.device.asleepUntil = world.stepsTaken + world.random.within(50...700)
        }
        switch world.random.below(10) {
        case 0 where !connection.hasVanished:
            connection.hasVanished = true
        default:
            if world.mistake == .ghostConnection, world.random.chance(60) {
                host.forgetSilently(connection)
            } else {
                host.finish(connection)
            }
        }
    }
}
