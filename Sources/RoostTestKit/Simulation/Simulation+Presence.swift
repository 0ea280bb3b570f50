import RoostCore
import RoostWire

/// Presence is true and typing ends, at any time: for every client that reads what comes.
extension Simulation {
    /// How late a change may be told: the timer's slot, the tick that gathers, and then some.
    static let lateness: Int64 = 1_000

    func takePresence(_ list: JSONValue?, on connection: SimulatedConnection) {
        for element in list?.elements ?? [] {
            guard let index = number(element["user"]?.string), users.indices.contains(index),
                let state = element["state"]?.string
            else {
                fail("\(connection.label) gets presence of nobody")
                continue
            }
            connection.presence[index] = state
            guard isUpToDate(connection) else { continue }
            let user = users[index]
            noteTruth(of: user)
            guard !isCrowded(user) else { continue }
            if state != user.truth.rawValue, !wasTrue(state, of: user) {
                fail(
                    "\(connection.label) is told that \(user.name) is \(state), who is \(user.truth): \(describe(user))"
                )
            }
            guard time - user.truthSince > Simulation.lateness else { continue }
            if state == "offline" { checkLastSeen(element["lastSeen"]?.integer, of: user, connection) }
        }
    }

    private func checkLastSeen(_ told: Int64?, of user: SimulatedUser, _ connection: SimulatedConnection) {
        switch (told, user.lastSeen) {
        case (nil, nil): return
        case (let told?, let truth?) where truth.contains(told): return
        default:
            fail(
                "\(connection.label) is told \(user.name) was seen \(told ?? 0), not \(user.lastSeen?.lowerBound ?? 0)"
            )
        }
    }

    /// More devices than the relay keeps: one that dropped may give way before its grace ends.
    func isCrowded(_ user: SimulatedUser) -> Bool { user.devices.count > scenario.limits.devicesPerUser }

    private func describe(_ user: SimulatedUser) -> String {
        user.devices.map { device in
            let connection = device.connection.map { "\($0.label) \($0.activity) \($0.isReady)" } ?? "-"
            return "\(device.name): \(connection), until \(device.linger?.until ?? 0)"
        }.joined(separator: "; ")
    }

    private func wasTrue(_ state: String, of user: SimulatedUser) -> Bool {
        guard let state = SimulatedUser.Truth(rawValue: state), let until = user.wasTrue[state] else { return false }
        return time - until <= Simulation.lateness
    }

    func noteTruth(of user: SimulatedUser) {
        let state = user.state(at: time)
        guard state != user.truth else { return }
        user.wasTrue[user.truth] = time
        user.truth = state
        user.truthSince = time
    }

    /// After every step.
    func checkAll() {
        for user in users { noteTruth(of: user) }
        checkDeadlines()
        for connection in connections {
            guard connection.isFast, connection.isWelcome, connection.isReady, connection.session.outbox.isEmpty,
                time - connection.calmSince > Simulation.lateness
            else { continue }
            checkPresence(connection)
            checkTyping(connection)
        }
        checkCounters()
    }

    /// Who says nothing, or whose token has ended, is closed in time.
    private func checkDeadlines() {
        let limits = scenario.limits
        for connection in connections where connection.session.closing == nil {
            let silent = time - connection.heardAt
            if silent > limits.pingMilliseconds + limits.pongMilliseconds + Simulation.lateness {
                fail("\(connection.label) has said nothing for \(silent) ms and is still open")
            }
            if !connection.isReady, silent > limits.helloMilliseconds + Simulation.lateness, !connection.isWelcome {
                fail("\(connection.label) has said no hello for \(silent) ms and is still open")
            }
            let ended = now.wall.milliseconds - limits.refreshGraceMilliseconds - Simulation.lateness
            if connection.isReady, connection.tokenEnds < ended {
                fail("\(connection.label) has a token that ended at \(connection.tokenEnds) and is still open")
            }
        }
        // The host gives up on who doesn't read the end.
        for connection in connections where connection.session.closing != nil && !connection.isFast {
            if random.chance(20) { finish(connection, isClean: false) }
        }
    }

    private func checkPresence(_ connection: SimulatedConnection) {
        guard !isDraining, !isFailed else { return }
        for user in users where time - user.truthSince > Simulation.lateness && !isCrowded(user) {
            guard let told = connection.presence[user.index], told != user.truth.rawValue else { continue }
            guard
                connection.watching.contains(user.index)
                    || ledger.arePeers(connection.device.user.index, user.index)
            else { continue }
            fail("\(connection.label) still believes that \(user.name) is \(told), who is \(user.truth)")
        }
    }

    private func checkTyping(_ connection: SimulatedConnection) {
        for pair in connection.typing {
            let conversation = ledger.conversations[pair.one]
            guard conversation.members[connection.device.user.index] != nil else { continue }
            let until = users[pair.other].typingUntil[pair.one] ?? 0
            if time > until + Simulation.lateness {
                fail("\(connection.label) still sees \(users[pair.other].name) type in \(conversation.id)")
            }
        }
    }

    private func checkCounters() {
        let counters = relay.counters
        let ready = connections.reduce(0) { $0 + ($1.isReady ? 1 : 0) }
        if relay.readySessions != ready, fault != .ghostConnection {
            fail("the relay counts \(relay.readySessions) sessions that are ready, not \(ready)")
        }
        if relay.openConnections != connections.count, fault != .ghostConnection {
            fail("the relay counts \(relay.openConnections) connections, not \(connections.count)")
        }
        if counters.usersOnline < 0 || counters.usersAway < 0 || counters.usersOnline + counters.usersAway > users.count
        {
            fail("the relay counts \(counters.usersOnline) users online and \(counters.usersAway) away")
        }
    }
}
