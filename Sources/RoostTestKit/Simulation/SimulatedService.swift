import RoostCore
import RoostFraming
import RoostWire

/// A service that acts for people on some days: it sends as them, new messages and what their devices had no answer
/// for, and has erased what they wrote. It has dice of its own, so that days without it stay as they are.
final class SimulatedService {
    /// The device in events that a service causes as a user.
    static let device = "api"

    private enum Pending {
        case hello
        case send(SimulatedUser, SendIntent)
        case erase(SimulatedUser, after: Int64)
    }

    private let world: World
    private let ledger: Ledger
    private let people: People
    private let host: SimulatedHost
    private let replies: ReplyCheck
    private var random: SeededGenerator
    private var pending: [Int64: Pending] = [:]
    private var lastID: Int64 = 0
    private var keysMade = 0
    /// By user: everything up to here was erased.
    private var erasedTo: [Int: Int64] = [:]

    init(_ world: World, _ ledger: Ledger, _ people: People, _ host: SimulatedHost, _ replies: ReplyCheck, seed: UInt64)
    {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.host = host
        self.replies = replies
        random = SeededGenerator(seed: ~seed)
    }

    // MARK: Saying

    /// Does something, or nothing.
    func step() {
        guard !world.isStopping, random.chance(25) else { return }
        guard let session = host.guest else { return connect() }
        guard session.isReady, pending.count < 8 else { return }
        let user = people.users[random.below(people.users.count)]
        if random.chance(5) { return erase(user) }
        // Where unknown names are refused, a service speaks for users that the store has. A crash may have forgotten
        // one who has unanswered messages.
        let came = ledger.written.came
        if world.refusesUnknown, !came.contains(user.index) || came.count < 2 { return }
        if random.chance(30), !user.unanswered.isEmpty {
            return send(user.unanswered[random.below(user.unanswered.count)], as: user)
        }
        sendNew(as: user)
    }

    /// The day is over.
    func leave() {
        host.closeGuest()
        pending = [:]
    }

    private func connect() {
        pending = [:]
        host.openGuest()
        say("hello", #""token":"service:mill","operator":true"#, .hello)
    }

    private func sendNew(as user: SimulatedUser) {
        keysMade += 1
        let key = "s\(keysMade)"
        let (to, isToPeer, index) = destination(of: user)
        let members = "\"to\":\"\(to)\",\"key\":\"\(key)\",\"body\":\"s\(keysMade)\""
        let intent = SendIntent(key: key, members: members, isToPeer: isToPeer, conversation: index, isReply: false)
        user.unanswered.append(intent)
        send(intent, as: user)
    }

    private func destination(of user: SimulatedUser) -> (to: String, isToPeer: Bool, index: Int?) {
        let known = ledger.conversations.filter { $0.members[user.index] != nil && !$0.isErased }
        guard !known.isEmpty, random.chance(60) else {
            let others = people.users.filter {
                $0 !== user && (!world.refusesUnknown || ledger.written.came.contains($0.index))
            }
            return ("@" + others[random.below(others.count)].name, true, nil)
        }
        let conversation = known[random.below(known.count)]
        return (conversation.id, false, conversation.index)
    }

    private func send(_ intent: SendIntent, as user: SimulatedUser) {
        let before = host.relay.counters.errors.reduce(0, +)
        say("send", "\"as\":\"\(user.name)\"," + intent.members, .send(user, intent))
        guard host.relay.counters.errors.reduce(0, +) == before, let conversation = intent.conversation else { return }
        user.typingUntil[conversation] = world.time
    }

    private func erase(_ user: SimulatedUser) {
        let after = erasedTo[user.index] ?? 0
        say(
            "admin.erase", "\"user\":\"\(user.name)\",\"after\":\"\(world.epoch)-\(after)\"", .erase(user, after: after)
        )
    }

    private func say(_ type: String, _ members: String, _ kind: Pending) {
        guard let session = host.guest else { return }
        lastID += 1
        pending[lastID] = kind
        let text = Array("{\"type\":\"\(type)\",\"id\":\(lastID),\(members)}".utf8)
        text.withUnsafeBytes { bytes in
            world.trace.note(world.time, "service", "says", bytes)
            host.relay.receive(bytes, from: session, at: world.now)
        }
    }

    // MARK: Reading

    /// Reads what has come. Returns whether anything has.
    func read() -> Bool {
        guard let session = host.guest else { return false }
        var hasMoved = false
        while let frame = session.outbox.pop() {
            hasMoved = true
            for message in frame.messages() { take(message) }
        }
        host.relay.wrote(to: session)
        if hasMoved, session.closing == nil { host.relay.hear(from: session, at: world.now) }
        guard session.closing != nil else { return hasMoved }
        leave()
        return true
    }

    private func take(_ message: Frame) {
        // The opcode of a text frame is 1 (RFC 6455, section 5.2).
        guard message.bytes.first.map({ $0 & 0x0F }) == 1 else { return }
        guard let event = WireEvent(message.payload, epoch: world.epoch) else {
            return world.fail("the service can't read what it gets")
        }
        guard let re = event.re else {
            return event.kind == .drain ? () : world.fail("the service is told \(event.kind)")
        }
        guard let kind = pending.removeValue(forKey: re) else {
            return world.fail("the service gets a second reply to \(re)")
        }
        switch (event.kind, kind) {
        case (.welcome, .hello): break
        case (.ok, .send(let user, let intent)): replies.takeSent(event, intent, by: user, "the service")
        case (.error, .send(let user, let intent)): takeRefusal(event, intent, of: user)
        case (.ok, .erase(let user, let after)): takeErased(event, of: user, above: after)
        case (.error, .erase): checkTemporary(event, or: ["not_found", "conflict"])
        case (.error, .hello): checkTemporary(event, or: [])
        default: world.fail("the service gets \(event.kind)")
        }
    }

    private func takeRefusal(_ event: WireEvent, _ intent: SendIntent, of user: SimulatedUser) {
        // It was sent a moment ago.
        let allowed = replies.codes(refusing: intent, of: user, saidAt: world.time - 10 * World.lateness)
        checkTemporary(event, or: allowed)
        if let code = event.code, allowed.contains(code) { user.unanswered.removeAll { $0.key == intent.key } }
    }

    private func checkTemporary(_ event: WireEvent, or codes: Set<String>) {
        guard let code = event.code else { return world.fail("the service gets an error without code") }
        let isServed = code == "unavailable" && !world.isStopping && !world.wasFull
        let isTemporary = ["rate_limited", "busy", "unavailable", "token_expired"].contains(code)
        if isServed || !isTemporary && !codes.contains(code) { world.fail("the service gets \(code)") }
        if code == "token_expired" { leave() }
    }

    /// Everything of the user up to the answered position is deleted, and other users' content is untouched.
    private func takeErased(_ event: WireEvent, of user: SimulatedUser, above after: Int64) {
        let told = event.json?["erasure"]?["position"]?.string.flatMap { Position($0, epoch: world.epoch)?.value }
        guard let reached = told, reached >= after else {
            return world.fail("the service isn't told how far the erasing of \(user.name) is")
        }
        erasedTo[user.index] = reached
        for conversation in ledger.conversations where !conversation.isErased {
            for message in conversation.messages where message.sender == user.index && !message.isDeleted {
                if message.position > after, message.position <= reached {
                    world.fail("the message at \(message.position) of \(user.name) isn't erased")
                }
            }
        }
    }
}
