import RoostCore
import RoostFraming
import RoostWire

/// Sees what passes through a simulated host.
protocol HostObserver: AnyObject {
    /// A client reads a message.
    func reads(_ message: Frame, on connection: SimulatedConnection)
    /// A turn ends: clients answer what they read in it. Returns whether one did.
    func turnEnds() -> Bool
    /// A batch became durable, and the relay will get the outcomes next.
    func committed(_ batch: [Mutation], _ outcomes: [Outcome])
    /// Some time has passed, and everything that was due is done.
    func timePassed()
}

/// The server around the relay: it hands over tokens, batches and reads and answers them after a while, writes what
/// waits, closes what is to be closed, and wakes the relay when it asked to be. It owns the relay's process: the relay,
/// its connections, and what is under way between it and others.
final class SimulatedHost {
    private struct HeldBatch {
        var due: Int64
        var mutations: [Mutation]
        var predicted: [Outcome]?
    }

    private struct HeldRead {
        var due: Int64
        var read: Read
        /// The answer, if the log was read at once.
        var result: ReadResult?
    }

    let store: any SimulatedStore
    weak var observer: (any HostObserver)?
    private(set) var relay: Relay
    /// Connections that the relay still counts as open, in the order in which they were made.
    private(set) var connections: [SimulatedConnection] = []
    /// The session of a service, which acts for no user; nil while it has none.
    private(set) var guest: Session?
    private let world: World
    private let ledger: Ledger
    private let people: People
    private var batch: HeldBatch?
    private var reads: [HeldRead] = []
    private var verifications: [(due: Int64, verification: Verification)] = []
    /// Frames that were split into their messages in this turn.
    private var split: [ObjectIdentifier: (frame: Frame, messages: [Frame])] = [:]

    init(_ world: World, _ ledger: Ledger, _ people: People, _ store: any SimulatedStore, seed: UInt64) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.store = store
        relay = SimulatedHost.start(store, world, seed)
    }

    private static func start(_ store: any SimulatedStore, _ world: World, _ seed: UInt64) -> Relay {
        var rules = PolicyRules()
        if world.mistake == .openDirectory { rules.directory = .everyone }
        if world.refusesUnknown, world.mistake != .madeUsers { rules.unknown = .refuse }
        if world.hasGate, world.mistake != .openGate {
            rules.gate = GateRules(.on)
            // Within a day, every user is in a group with every other.
            rules.gate.countsSharedGroups = false
            rules.gate.takesRequests = world.takesRequests
        }
        let relay = Relay(
            store.load(), limits: world.day.limits, identity: .init(server: "roost simulation", durability: .memory),
            rules: rules, random: SeededGenerator(seed: seed), at: world.now)
        world.begin(epoch: relay.epoch)
        return relay
    }

    // MARK: The process

    /// The batch that was handed to the store and isn't answered; nil if there is none.
    var batchUnderWay: [Mutation]? { batch?.predicted == nil ? batch?.mutations : nil }

    /// Lets the commit under way fail, and reports it to the relay. Returns the batch, or nil if it is durable all the
    /// same.
    func failCommit() -> [Mutation]? {
        precondition(batchUnderWay != nil, "no commit is under way that could fail")
        guard let held = batch else { return nil }
        batch = nil
        let outcomes = store.fail(held.mutations, &world.random)
        if let outcomes { ledger.apply(held.mutations, outcomes, at: world.time) }
        world.isStopping = true
        relay.commitFailed(at: world.now)
        return outcomes == nil ? held.mutations : nil
    }

    /// Ends the process: all connections are gone, and everything under way.
    func forgetProcess() {
        world.tally.spills += relay.counters.behind.spills
        batch = nil
        reads.removeAll()
        verifications.removeAll()
        for connection in connections {
            connection.isClosed = true
            connection.session.attachment = nil
        }
        connections.removeAll()
        guest = nil
        for conversation in ledger.conversations { conversation.moderation.processEnded() }
        world.isStopping = false
    }

    /// Time passes while there is no process.
    func sleep(_ milliseconds: Int64) {
        precondition(connections.isEmpty && batch == nil, "the old process isn't gone")
        world.goOn(to: world.time + milliseconds)
    }

    /// Starts another process from what the store has.
    func startAgain() {
        precondition(connections.isEmpty && batch == nil, "the old process isn't gone")
        relay = SimulatedHost.start(store, world, world.random.next())
        endTurn()
    }

    // MARK: Connections

    /// Opens a connection for a device; it has said nothing yet.
    func open(_ device: SimulatedDevice, number: Int, isBackground: Bool) -> SimulatedConnection {
        let session = relay.open(at: world.now)
        let connection = SimulatedConnection(session, device, number, isBackground: isBackground, at: world.time)
        session.attachment = connection
        connections.append(connection)
        device.current = connection
        return connection
    }

    /// Opens the session of a service; it has said nothing yet.
    func openGuest() { guest = relay.open(at: world.now) }

    /// The service's connection is gone.
    func closeGuest() {
        if let guest { relay.close(guest, at: world.now) }
        guest = nil
    }

    /// Plants a mistake: the connection broke, and the relay doesn't learn of it.
    func forgetSilently(_ connection: SimulatedConnection) {
        people.noteEnd(connection)
        connection.isClosed = true
        connections.removeAll { $0 === connection }
    }

    // MARK: Time

    /// Lets time pass.
    func advance(_ milliseconds: Int64) {
        let end = world.time + milliseconds
        endTurn()
        var wakes = 0
        while let due = nextDue(), due <= end, wakes < 100_000 {
            wakes += 1
            world.goOn(to: max(due, world.time))
            runDue()
            endTurn()
        }
        if wakes == 100_000 { world.fail("the relay asks to be woken again and again at one time") }
        world.goOn(to: end)
        for connection in connections { readSlowly(connection) }
        endTurn()
        if batch == nil { store.maintain() }
        if relay.isFull { world.fullAt = world.time }
        if relay.isFull, store.makeRoom(isCalm: world.isCalm || world.isStopping) { relay.roomIsBack(at: world.now) }
        observer?.timePassed()
    }

    private func nextDue() -> Int64? {
        var next = relay.nextDeadline(at: world.now)
        if let batch { next = min(next, batch.due) }
        for held in reads { next = min(next, held.due) }
        for held in verifications { next = min(next, held.due) }
        return next
    }

    private func runDue() {
        if relay.nextDeadline(at: world.now) <= world.time { relay.tick(at: world.now) }
        if let due = batch?.due, due <= world.time { finishBatch() }
        while let index = reads.firstIndex(where: { $0.due <= world.time }) {
            let held = reads.remove(at: index)
            relay.answered(held.result ?? store.answer(held.read), at: world.now)
        }
        while let index = verifications.firstIndex(where: { $0.due <= world.time }) {
            let verification = verifications.remove(at: index).verification
            let result = TokenRule.check(verification.token, at: world.now.wall)
            relay.verified(verification.session, result, at: world.now)
            if let connection = connections.first(where: { $0.session.id == verification.session }) {
                people.noteReady(connection)
                if connection.isReady, case .success(let grant) = result {
                    connection.tokenEnds = grant.expires.milliseconds
                }
            }
        }
    }

    private func finishBatch() {
        guard let held = batch else { return }
        batch = nil
        if let predicted = held.predicted {
            // A planted mistake: the relay got the outcomes before the commit.
            guard let outcomes = store.commit(held.mutations) else { return }
            if outcomes != predicted { world.fail("the planted mistake predicted another outcome") }
            ledger.apply(held.mutations, outcomes, at: world.time)
            return
        }
        guard let outcomes = store.commit(held.mutations) else {
            world.tally.fullDisks += 1
            world.wasFull = true
            world.fullAt = world.time
            return relay.noRoom(for: held.mutations, at: world.now)
        }
        ledger.apply(held.mutations, outcomes, at: world.time)
        observer?.committed(held.mutations, outcomes)
        relay.committed(outcomes, at: world.now) { _ = writeTouched() }
    }

    /// Does what the relay wants done, until nothing more comes of it.
    func endTurn() {
        var rounds = 0
        var hasMoved = true
        while hasMoved {
            rounds += 1
            guard rounds < 10_000 else { return world.fail("a turn doesn't end") }
            hasMoved = takeOver()
            if writeTouched() { hasMoved = true }
            // As in the server, a turn may visit only some of the sessions.
            let isPart = relay.hasWork && !world.isCalm && world.random.chance(10)
            split.removeAll(keepingCapacity: true)
            if observer?.turnEnds() == true { hasMoved = true }
            if isPart { return }
        }
    }

    /// Writes to the sessions that the relay names, or some of them, and to those with something left. Returns whether
    /// anything left for the network.
    private func writeTouched() -> Bool {
        let most = world.isCalm || world.random.chance(80) ? Int.max : world.random.within(0...2)
        for session in relay.takeTouched(atMost: most) {
            (session.attachment as? SimulatedConnection)?.isDue = true
        }
        // The relay counts closing sessions as gone, even before the host visits them.
        for connection in connections { noteClosing(connection) }
        var hasMoved = false
        for connection in connections where flush(connection) { hasMoved = true }
        return hasMoved
    }

    /// Takes verifications, a batch and reads from the relay. Returns whether there were any.
    private func takeOver() -> Bool {
        var hasMoved = false
        for verification in relay.takeVerifications() {
            verifications.append((world.time + delay(world.day.tokenDelay), verification))
        }
        if batch == nil, let mutations = relay.takeBatch(at: world.now) {
            hasMoved = true
            take(plant(inBatch: mutations))
        }
        if relay.hasWork { hasMoved = true }
        relay.doWork(at: world.now)
        for read in relay.takeReads(at: world.now) {
            hasMoved = true
            let isEarly = world.random.chance(50)
            reads.append(
                HeldRead(
                    due: world.time + delay(world.day.readDelay), read: read, result: isEarly ? store.answer(read) : nil
                ))
        }
        return hasMoved
    }

    private func take(_ mutations: [Mutation]) {
        var held = HeldBatch(due: world.time + delay(world.day.commitDelay), mutations: mutations)
        if isToldEarly(mutations), !world.isCalm, let predicted = store.predict(mutations) {
            held.due = world.time + 500
            held.predicted = predicted
            batch = held
            relay.committed(predicted, at: world.now)
            return
        }
        batch = held
    }

    /// The relay believes that a status, a block or the like is durable, and it isn't yet: a crash would show it.
    var isExposed: Bool { world.mistake != .ackBeforeCommit && batch?.predicted != nil }

    /// Plants a mistake: the relay gets the outcomes before the commit.
    private func isToldEarly(_ mutations: [Mutation]) -> Bool {
        guard let mistake = world.mistake else { return false }
        if mistake == .ackBeforeCommit { return world.random.chance(5) }
        // Messages that were lost as well would be noticed first.
        guard !mutations.contains(where: \.isEvent) else { return false }
        return mutations.contains { mutation in
            switch (mistake, mutation) {
            case (.earlyStatus, .status), (.earlyPrivacy, .privacy), (.earlyException, .exception),
                (.earlyContact, .contact), (.earlyInvite, .invite), (.earlyProspect, .prospect),
                (.earlyReport, .report):
                true
            default: false
            }
        }
    }

    private func delay(_ most: Int) -> Int64 {
        world.isCalm || most == 0 ? 0 : Int64(world.random.within(0...most))
    }

    // MARK: Writing

    /// Lets a connection that reads fast take what waits. Returns whether anything moved.
    private func flush(_ connection: SimulatedConnection) -> Bool {
        let session = connection.session
        if session.outbox.bytes > world.day.limits.outboxMaxBytes {
            world.fail("\(connection.label) has \(session.outbox.bytes) bytes waiting")
        }
        // Like a server: only sessions that the relay names, and those with something left to write.
        guard connection.isFast, connection.isDue || !session.outbox.isEmpty else {
            return false
        }
        connection.isDue = false
        var hasMoved = false
        while let frame = session.outbox.pop() {
            hasMoved = true
            for message in messages(of: frame) { observer?.reads(message, on: connection) }
        }
        relay.wrote(to: session)
        return afterWriting(connection) || hasMoved
    }

    /// A frame's messages, the same objects for everyone who gets it, so that each is parsed once.
    private func messages(of frame: Frame) -> [Frame] {
        let identity = ObjectIdentifier(frame)
        if let known = split[identity] { return known.messages }
        let messages = frame.messages()
        split[identity] = (frame, messages)
        return messages
    }

    private func afterWriting(_ connection: SimulatedConnection) -> Bool {
        let session = connection.session
        guard session.outbox.isEmpty else { return false }
        if session.closing != nil {
            finish(connection)
            return true
        }
        guard session.wantsDrained else { return false }
        if world.mistake == .forgottenReader, connection.number % 3 == 0 {
            return false
        }
        let before = session.outbox.bytes
        relay.drained(session, at: world.now)
        return session.outbox.bytes != before || !session.wantsDrained
    }

    /// A slow reader takes some of what waits.
    private func readSlowly(_ connection: SimulatedConnection) {
        guard case .slow(let most) = connection.reading, !connection.hasVanished else { return }
        guard connection.isDue || !connection.session.outbox.isEmpty else { return }
        connection.isDue = false
        read(world.random.within(0...most), of: connection)
        _ = afterWriting(connection)
    }

    // Takes whole frames, as the transport does.
    private func read(_ most: Int, of connection: SimulatedConnection) {
        var left = most
        while left > 0, let frame = connection.session.outbox.pop() {
            left -= frame.count
            for message in messages(of: frame) { observer?.reads(message, on: connection) }
        }
        relay.wrote(to: connection.session)
    }

    /// Ends the connection for both sides.
    func finish(_ connection: SimulatedConnection) {
        people.noteEnd(connection)
        connection.isClosed = true
        connections.removeAll { $0 === connection }
        relay.close(connection.session, at: world.now)
        if !connection.session.outbox.isEmpty { world.fail("\(connection.label) has an outbox after its end") }
    }

    /// Notes that the relay is closing the connection: it counts as gone from now on.
    func noteClosing(_ connection: SimulatedConnection) {
        guard let code = connection.session.closing, connection.device.connection === connection else { return }
        people.noteEnd(connection, isGoodbye: code == .normal)
    }

    /// A connection of the user that is served and reads; nil if there is none.
    func connection(of user: SimulatedUser) -> SimulatedConnection? {
        connections.first { $0.device.user === user && $0.isFast && $0.isWelcome && $0.isReady }
    }

    /// Plants a mistake: cursors are stored as if everything had been acked, what services do is stored as something
    /// else, or something isn't stored.
    private func plant(inBatch mutations: [Mutation]) -> [Mutation] {
        mutations.compactMap { mutation in
            switch (world.mistake, mutation) {
            case (.lostDrop, .dropRequest), (.lostRevocation, .invite(_, _, nil)): return nil
            case (.uncountedUse, .invite(let user, let id, let stored?)) where stored.used > 0:
                var unused = stored
                unused.used = 0
                return .invite(user, id: id, unused)
            case (.lostHeir, .append(var append)):
                if case .leave(let user, _?) = append.change { append.change = .leave(user, heir: nil) }
                return .append(append)
            case (.runawayCursor, .cursor(let device, _)): return .cursor(device, relay.head)
            case (.lateReads, .steps(let conversation, let user, var steps)):
                for index in steps.indices { steps[index].time = world.now.wall }
                return .steps(conversation, user, steps)
            case (.strangersVoice, .append(var append)) where append.isByService && append.kind == .message:
                append.sender = UserNumber(append.sender.value == 1 ? 2 : 1)
                return .append(append)
            case (.unerased, .append(var append)) where append.isByService && append.kind == .delete:
                append.kind = .react
                append.label = "kept"
                return .append(append)
            default: return mutation
            }
        }
    }
}

extension Mutation {
    fileprivate var isEvent: Bool { if case .append = self { true } else { false } }
}

extension Append {
    fileprivate var isByService: Bool { device == SimulatedService.device }
    /// Whether a service erases what a user has written. The user may have left since, and what was written may be
    /// hidden from the user.
    var isErasing: Bool { isByService && (kind == .delete || kind == .react && flag) }
}
