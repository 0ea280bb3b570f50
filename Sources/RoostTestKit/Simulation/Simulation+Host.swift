import RoostCore
import RoostWire

/// The server around the relay: hands over tokens, batches and reads and answers them after a while, writes what waits,
/// closes what is to be closed, and wakes the relay when it asked to be.
extension Simulation {
    /// Lets time pass.
    func advance(_ milliseconds: Int64) {
        let end = time + milliseconds
        endTurn()
        var wakes = 0
        while let due = nextDue(), due <= end, wakes < 100_000 {
            wakes += 1
            now = Simulation.moment(max(due, time))
            runDue()
            endTurn()
        }
        if wakes == 100_000 { fail("the relay asks to be woken again and again at one time") }
        now = Simulation.moment(end)
        for connection in connections { readSlowly(connection) }
        endTurn()
        checkAll()
    }

    private func nextDue() -> Int64? {
        var next = relay.nextDeadline(at: now)
        if let batch { next = min(next, batch.due) }
        for held in reads { next = min(next, held.due) }
        for held in verifications { next = min(next, held.due) }
        return next
    }

    private func runDue() {
        if relay.nextDeadline(at: now) <= time { relay.tick(at: now) }
        if let due = batch?.due, due <= time { finishBatch() }
        while let index = reads.firstIndex(where: { $0.due <= time }) {
            let held = reads.remove(at: index)
            relay.answered(held.result ?? answer(held.read), at: now)
        }
        while let index = verifications.firstIndex(where: { $0.due <= time }) {
            let verification = verifications.remove(at: index).verification
            let result = TokenRule.check(verification.token, at: now.wall)
            relay.verified(verification.session, result, at: now)
            if let connection = connections.first(where: { $0.session.id == verification.session }) {
                noteReady(connection)
                if connection.isReady, case .success(let grant) = result {
                    connection.tokenEnds = grant.expires.milliseconds
                }
            }
        }
    }

    func finishBatch() {
        guard let held = batch else { return }
        batch = nil
        if let predicted = held.predicted {
            // Planted: the relay was told long ago.
            let outcomes = log.commit(held.mutations)
            if outcomes != predicted { fail("the planted fault predicted another outcome") }
            ledger.apply(held.mutations, outcomes)
            return
        }
        if fault == .lostCommit { logBefore = log.copy() }
        let outcomes = log.commit(held.mutations)
        ledger.apply(held.mutations, outcomes)
        for violation in ledger.violations { fail(violation) }
        ledger.violations.removeAll()
        noteOwnMessages(held.mutations, outcomes)
        relay.committed(outcomes, at: now) { _ = writeTouched() }
    }

    /// Everything that the relay wants done now; again, as long as that brings something new.
    func endTurn() {
        var rounds = 0
        var hasMoved = true
        while hasMoved {
            rounds += 1
            guard rounds < 10_000 else { return fail("a turn doesn't end") }
            hasMoved = takeOver()
            if writeTouched() { hasMoved = true }
            // A turn visits a part of a large group, and then reads what has arrived.
            let isPart = relay.hasWork && !isCalm && random.chance(10)
            parsed.removeAll(keepingCapacity: true)
            split.removeAll(keepingCapacity: true)
            if !answers.isEmpty {
                hasMoved = true
                let said = answers
                answers.removeAll(keepingCapacity: true)
                for answer in said { say(answer.type, answer.members, answer.kind, on: answer.connection) }
            }
            if isPart { return }
        }
    }

    /// Writes to whom the relay names, or to a part of them, and to those with something left; whether anything left
    /// for the network.
    private func writeTouched() -> Bool {
        let most = isCalm || random.chance(80) ? Int.max : random.within(0...2)
        for session in relay.takeTouched(atMost: most) {
            (session.attachment as? SimulatedConnection)?.isDue = true
        }
        // Also of those who are not visited yet: for the relay they are gone.
        for connection in connections { noteClosing(connection) }
        var hasMoved = false
        for connection in connections where flush(connection) { hasMoved = true }
        return hasMoved
    }

    /// Takes what the relay has for others to do; what is to be done at once is done.
    private func takeOver() -> Bool {
        var hasMoved = false
        for verification in relay.takeVerifications() {
            verifications.append((time + delay(scenario.tokenDelay), verification))
        }
        if batch == nil, let mutations = relay.takeBatch() {
            hasMoved = true
            take(plant(inBatch: mutations))
        }
        if relay.hasWork { hasMoved = true }
        relay.doWork(at: now)
        for read in relay.takeReads() {
            hasMoved = true
            let isEarly = random.chance(50)
            reads.append(
                HeldRead(
                    due: time + delay(scenario.readDelay), read: read, result: isEarly ? answer(read) : nil))
        }
        return hasMoved
    }

    private func take(_ mutations: [Mutation]) {
        var held = HeldBatch(due: time + delay(scenario.commitDelay), mutations: mutations)
        if fault == .ackBeforeCommit, !isCalm, random.chance(5) {
            hasPlanted = true
            let predicted = log.copy().commit(mutations)
            held.due = time + 500
            held.predicted = predicted
            batch = held
            relay.committed(predicted, at: now)
            return
        }
        batch = held
    }

    private func delay(_ most: Int) -> Int64 {
        isCalm || most == 0 ? 0 : Int64(random.within(0...most))
    }

    // MARK: Writing

    /// Writes what a connection takes; whether anything moved.
    private func flush(_ connection: SimulatedConnection) -> Bool {
        let session = connection.session
        if session.outbox.bytes > scenario.limits.outboxMaxBytes {
            fail("\(connection.label) has \(session.outbox.bytes) bytes waiting")
        }
        // Like a server: only whom the relay names, and those with something left to write.
        guard connection.isFast, connection.isDue || !session.outbox.isEmpty else {
            return false
        }
        connection.isDue = false
        var hasMoved = false
        while let frame = session.outbox.pop() {
            hasMoved = true
            for message in messages(of: frame) { receive(message, on: connection) }
        }
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
            finish(connection, isClean: false)
            return true
        }
        guard session.wantsDrained else { return false }
        if fault == .forgottenReader, connection.number % 3 == 0 {
            hasPlanted = true
            return false
        }
        let before = session.outbox.bytes
        relay.drained(session, at: now)
        return session.outbox.bytes != before || !session.wantsDrained
    }

    /// A slow reader takes some of what waits.
    private func readSlowly(_ connection: SimulatedConnection) {
        guard case .slow(let most) = connection.reading, !connection.hasVanished else { return }
        guard connection.isDue || !connection.session.outbox.isEmpty else { return }
        connection.isDue = false
        read(random.within(0...most), of: connection)
        _ = afterWriting(connection)
    }

    // Whole frames, as the transport takes them.
    private func read(_ most: Int, of connection: SimulatedConnection) {
        var left = most
        while left > 0, let frame = connection.session.outbox.pop() {
            left -= frame.count
            for message in messages(of: frame) { receive(message, on: connection) }
        }
    }

    /// The connection is gone, for both sides.
    func finish(_ connection: SimulatedConnection, isClean: Bool) {
        noteEnd(connection, isClean: isClean)
        connection.isClosed = true
        connections.removeAll { $0 === connection }
        relay.close(connection.session, isClean: isClean, at: now)
        if !connection.session.outbox.isEmpty { fail("\(connection.label) has an outbox after its end") }
    }
}
