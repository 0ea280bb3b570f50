import RoostCore
import RoostWire

/// The end of a run: nothing fails any more, everybody comes back, and everything has to come to rest and be true.
extension Simulation {
    func comeToRest() {
        isCalm = true
        trace.note(time, "world", "calm", "")
        let slow = connections.filter { !$0.isFast }
        for connection in slow where !connection.hasVanished { connection.reading = .stuck }
        connectAll()
        settle("while others don't read") { self.othersAreServed }
        guard violations.isEmpty else { return }
        // Whoever read slowly reads again, or is gone.
        for connection in connections where !connection.isFast {
            connection.calmSince = time
            connection.reading = .fast
            if connection.hasVanished { finish(connection, isClean: false) }
        }
        settle("when everybody reads") { self.allAreServed }
        retryAll()
        // Tokens that end soon have ended after this.
        for _ in 0..<4 {
            advance(30_000)
            connectAll()
        }
        mark()
        settle("at the end") { self.allAreServed && self.relay.isSettled }
        guard violations.isEmpty else { return }
        checkEnd()
        guard violations.isEmpty else { return }
        drain()
    }

    /// Lets time pass until something holds.
    private func settle(_ when: String, _ holds: () -> Bool) {
        for _ in 0..<200 {
            connectAll()
            advance(50)
            if holds() || !violations.isEmpty { return }
        }
        let missing = connections.filter { !isServed($0) }.map(\.label).joined(separator: " ")
        fail("not everything comes to rest \(when): \(missing)")
    }

    func connectAll() {
        // Whose hello was refused gives up.
        for connection in connections where !connection.isWelcome && connection.pending.isEmpty && connection.isFast {
            finish(connection, isClean: false)
        }
        for user in users {
            for device in user.devices {
                if let current = device.current, !current.isClosed, current.session.closing == nil { continue }
                let open = user.devices.reduce(0) { $0 + ($1.current?.isClosed == false ? 1 : 0) }
                guard open < scenario.limits.devicesPerUser else { continue }
                connect(device)
            }
        }
    }

    private var othersAreServed: Bool { connections.allSatisfy { !$0.isFast || isServed($0) || isTurnedAway($0) } }
    private var allAreServed: Bool { connections.allSatisfy { isServed($0) || isTurnedAway($0) } }

    /// Its user has more devices connected than the relay keeps.
    private func isTurnedAway(_ connection: SimulatedConnection) -> Bool {
        !connection.isWelcome && isCrowded(connection.device.user)
    }

    /// It has everything that its user is entitled to, but for what was announced as a gap.
    private func isServed(_ connection: SimulatedConnection) -> Bool {
        guard connection.isWelcome, connection.pending.isEmpty else { return false }
        let feed = ledger.feeds[connection.device.user.index]
        return feed[connection.place...].allSatisfy {
            isExcused($0, connection.device, gaps: connection.gaps, told: connection.told)
        }
    }

    /// What got no answer is said again until it gets one.
    private func retryAll() {
        for _ in 0..<1_000 {
            var isDone = true
            for user in users where !user.unanswered.isEmpty {
                isDone = false
                guard let connection = connection(of: user) else { continue }
                for intent in user.unanswered.prefix(5) {
                    say("send", intent.members, .send(intent), on: connection)
                }
            }
            if isDone || !violations.isEmpty { return }
            connectAll()
            advance(500)
        }
        let left = users.reduce(0) { $0 + $1.unanswered.count }
        fail("\(left) messages get no answer, however often they are sent")
    }

    func connection(of user: SimulatedUser) -> SimulatedConnection? {
        connections.first { $0.device.user === user && $0.isFast && $0.isWelcome && $0.isReady }
    }

    /// Everybody writes, reads and acks once more, and asks how things stand.
    private func mark() {
        settle("before the last word") { self.allAreServed }
        connectionsBeforeMark = connectionsMade
        for user in users {
            guard let connection = connection(of: user) else { continue }
            for conversation in ledger.conversations where conversation.members[user.index] != nil {
                keysMade += 1
                let intent = SendIntent(
                    key: "k\(keysMade)",
                    members: "\"to\":\"\(conversation.id)\",\"key\":\"k\(keysMade)\",\"body\":\"last\"",
                    isToPeer: true, conversation: conversation.index, isReply: false)
                user.unanswered.append(intent)
                say("send", intent.members, .send(intent), on: connection)
                advance(random.chance(50) ? 0 : 60)
            }
        }
        retryAll()
        settle("after the last word") { self.allAreServed }
        for connection in connections {
            guard let last = connection.unackedEvents.last else { continue }
            ack(last, on: connection)
            advance(60)
        }
        for user in users {
            guard let connection = connection(of: user) else { continue }
            for conversation in ledger.conversations where conversation.members[user.index] != nil {
                let last = conversation.messages.count
                guard last > 0 else { continue }
                say(
                    "read", "\"conversation\":\"\(conversation.id)\",\"sequence\":\(last)",
                    .read(conversation: conversation.index, Int64(last)), on: connection)
                advance(60)
            }
        }
        // Grace, typing, receipts and watermarks have all run out after this.
        advance(scenario.limits.graceMilliseconds + 5_000)
        restAt = time
        for connection in connections {
            connection.rosters.removeAll()
            connection.objects.removeAll()
        }
        for connection in connections where connection.isReady {
            say("conversation.list", "\"limit\":20", .list, on: connection)
            for conversation in ledger.conversations
            where conversation.members[connection.device.user.index] != nil {
                advance(30)
                say(
                    "conversation.members", "\"conversation\":\"\(conversation.id)\"",
                    .members(conversation: conversation.index), on: connection)
                say(
                    "history", "\"conversation\":\"\(conversation.id)\",\"limit\":20",
                    .history(conversation: conversation.index), on: connection)
            }
        }
        advance(100)
    }
}
