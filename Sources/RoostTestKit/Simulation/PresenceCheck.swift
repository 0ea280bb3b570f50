import RoostCore
import RoostFraming
import RoostWire

/// Checks that presence is true, that typing ends and that who is silent is closed: at any time, for every client that
/// reads what comes.
final class PresenceCheck {
    private let world: World
    private let ledger: Ledger
    private let people: People
    private let host: SimulatedHost

    init(_ world: World, _ ledger: Ledger, _ people: People, _ host: SimulatedHost) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.host = host
    }

    /// Checks presence that a client reads, in a snapshot or a change.
    /// - Parameter askedAt: when the client asked for it. A user who was online at that time may not be shown as
    ///   offline.
    func take(_ list: JSONValue?, askedAt: Int64 = .min, on connection: SimulatedConnection) {
        for element in list?.elements ?? [] {
            guard let index = SimulatedUser.index(element["user"]?.string), people.users.indices.contains(index),
                let state = element["state"]?.string
            else {
                world.fail("\(connection.label) gets presence of nobody")
                continue
            }
            connection.belief.presence[index] = state
            let text = element["text"]?.string ?? ""
            connection.belief.texts[index] = text
            let (user, viewer) = (people.users[index], connection.device.user)
            if askedAt == .min { checkMet(user, connection) }
            guard connection.isUpToDate(at: world.time), !people.isUnsettled(user, viewer) else { continue }
            people.noteTruth(of: user)
            if element["lastSeen"] != nil, !people.tellsTime(user, to: viewer) {
                world.fail("\(connection.label) is told when \(user.name) was seen, who doesn't tell it")
            }
            guard !people.isHidden(user, from: viewer) else {
                checkNothing(state, text, of: user, connection)
                // Two users who begin to write to each other get each other's presence, some commits later.
                let metAt = ledger.direct(user.index, viewer.index)?.changedAt ?? 0
                // So are those who begin to hide, in several turns if there are many recipients.
                let hiddenFor = world.time - max(user.secrecy.since, viewer.secrecy.since)
                if askedAt == .min, world.now.wall.milliseconds - metAt > 10 * World.lateness,
                    hiddenFor > 10 * World.lateness
                {
                    world.fail("\(connection.label) is told of \(user.name), who hides from it, without asking")
                }
                continue
            }
            if text != user.toldText, text != user.oldText || world.time - user.textSince > World.lateness {
                world.fail("\(connection.label) is told of \(user.name) \(text), not \(user.toldText)")
            }
            guard !people.isForgetting(user) else { continue }
            if state != user.truth.rawValue, !wasTrue(state, of: user) {
                world.fail(
                    "\(connection.label) is told that \(user.name) is \(state), who is \(user.truth): \(describe(user))"
                )
            }
            if state == "offline", user.truth != .offline, user.wasTrue[.offline] ?? .min < askedAt {
                world.fail("\(connection.label) is told that \(user.name) is offline, who was here: \(describe(user))")
            }
            guard world.time - user.truthSince > World.lateness else { continue }
            if state == "offline", people.tellsTime(user, to: viewer) {
                checkLastSeen(element["lastSeen"]?.integer, of: user, connection)
            }
        }
    }

    /// Fails if the client gets, without asking, the presence of a user without an accepted conversation with its own.
    /// Where watching is off, this is the only way to presence.
    private func checkMet(_ user: SimulatedUser, _ connection: SimulatedConnection) {
        let viewer = connection.device.user
        let oldest = connection.writtenSince(at: world.time)
        // A relay whose store has failed doesn't know what of its last batch is durable, as the end of a membership.
        guard world.takesRequests, world.failedAt == nil, user !== viewer, !ledger.arePeers(viewer.index, user.index),
            !people.mayHaveBlocked(viewer.index, user.index, from: oldest),
            !user.hasLeft(since: oldest), !viewer.hasLeft(since: oldest)
        else { return }
        world.fail("\(connection.label) is told of \(user.name), with whom its user has nothing to do")
    }

    private func checkNothing(
        _ state: String, _ text: String, of user: SimulatedUser, _ connection: SimulatedConnection
    ) {
        if state != "offline" || !text.isEmpty {
            world.fail("\(connection.label) is told that \(user.name) is \(state) \(text), which is hidden from it")
        }
    }

    /// Checks the own user's privacy settings that a client reads.
    func takeOwnPrivacy(_ privacy: JSONValue?, on connection: SimulatedConnection) {
        let user = connection.device.user
        guard connection.isUpToDate(at: world.time), !people.isUnsettled(user, user) else { return }
        let (settings, told) = (user.secrecy.settings, ["presence", "lastSeen", "read"].map { privacy?[$0]?.string })
        if told != [settings.presence.word, settings.lastSeen.word, settings.read.word].map({ "\($0)" }) {
            world.fail("\(connection.label) is told of another privacy than \(settings)")
        }
    }

    /// Notes numbers of online members that the client gets. At the end they have to be true.
    func takeCounts(_ list: JSONValue?, on connection: SimulatedConnection) {
        for element in list?.elements ?? [] {
            guard let conversation = element["conversation"]?.string.flatMap(ledger.conversation),
                let online = element["online"]?.integer, let of = element["of"]?.integer, online >= 0, online <= of
            else {
                world.fail("\(connection.label) gets a count that can't be")
                continue
            }
            // The count may have been on its way when the client ended the watch.
            guard let known = connection.belief.counts[conversation.index] else { continue }
            connection.belief.counts[conversation.index] = (online, of, known.generation)
        }
    }

    private func checkLastSeen(_ told: Int64?, of user: SimulatedUser, _ connection: SimulatedConnection) {
        switch (told, user.lastSeen) {
        case (nil, nil): return
        case (let told?, let truth?) where truth.contains(told): return
        default:
            world.fail(
                "\(connection.label) is told \(user.name) was seen \(told ?? 0), not \(user.lastSeen?.lowerBound ?? 0)"
            )
        }
    }

    /// Checks what a client reads of its own user's status.
    func takeOwn(_ status: JSONValue?, on connection: SimulatedConnection) {
        let user = connection.device.user
        guard connection.isUpToDate(at: world.time), world.time - user.statusSince > World.lateness else { return }
        if status?["state"]?.string != "\(user.choice.word)" || status?["text"]?.string ?? "" != user.text {
            world.fail("\(connection.label) is told of another status than \(user.choice), \(user.text)")
        }
    }

    private func describe(_ user: SimulatedUser) -> String {
        user.devices.map { device in
            let connection = device.connection.map { "\($0.label) \($0.activity) \($0.isReady)" } ?? "-"
            return "\(device.name): \(connection), until \(device.linger?.until ?? 0)"
        }.joined(separator: "; ")
    }

    private func wasTrue(_ state: String, of user: SimulatedUser) -> Bool {
        guard let state = SimulatedUser.Truth(rawValue: state), let until = user.wasTrue[state] else { return false }
        return world.time - until <= World.lateness
    }

    /// Checks everything that has to be true at any time.
    func checkAll() {
        for user in people.users { people.noteTruth(of: user) }
        checkDeadlines()
        for connection in host.connections {
            guard connection.isFast, connection.isWelcome, connection.isReady, connection.session.outbox.isEmpty,
                world.time - connection.calmSince > World.lateness
            else { continue }
            checkPresence(connection)
            checkTyping(connection)
        }
        checkCounters()
    }

    /// Fails if a silent connection, or one whose token has ended, is still open.
    private func checkDeadlines() {
        let limits = world.day.limits
        for connection in host.connections where connection.session.closing == nil {
            let silent = world.time - connection.heardAt
            if silent > limits.pingMilliseconds + limits.pongMilliseconds + World.lateness {
                world.fail("\(connection.label) has said nothing for \(silent) ms and is still open")
            }
            if !connection.isReady, silent > limits.helloMilliseconds + World.lateness, !connection.isWelcome {
                world.fail("\(connection.label) has said no hello for \(silent) ms and is still open")
            }
            let ended = world.now.wall.milliseconds - limits.refreshGraceMilliseconds - World.lateness
            if connection.isReady, connection.tokenEnds < ended {
                world.fail("\(connection.label) has a token that ended at \(connection.tokenEnds) and is still open")
            }
        }
        // The host gives up on clients that don't read the end.
        for connection in host.connections where connection.session.closing != nil && !connection.isFast {
            if world.random.chance(20) { host.finish(connection) }
        }
    }

    private func checkPresence(_ connection: SimulatedConnection) {
        guard !world.isStopping else { return }
        let viewer = connection.device.user
        for user in people.users where world.time - user.truthSince > World.lateness && !people.isForgetting(user) {
            guard !people.isUnsettled(user, viewer) else { continue }
            guard !people.isHidden(user, from: viewer) else {
                checkNothingBelieved(of: user, connection)
                continue
            }
            let isOld =
                world.time - user.textSince > World.lateness && connection.belief.texts[user.index] != user.toldText
            guard let told = connection.belief.presence[user.index], told != user.truth.rawValue || isOld else {
                continue
            }
            guard
                connection.belief.watching.contains(user.index)
                    || ledger.arePeers(connection.device.user.index, user.index)
            else { continue }
            world.fail(
                "\(connection.label) still believes that \(user.name) is \(told), not \(user.truth), \(user.toldText)"
            )
        }
    }

    private func checkNothingBelieved(of user: SimulatedUser, _ connection: SimulatedConnection) {
        guard let told = connection.belief.presence[user.index], told != "offline" else { return }
        guard
            connection.belief.watching.contains(user.index)
                || ledger.arePeers(connection.device.user.index, user.index)
        else { return }
        world.fail("\(connection.label) still believes that \(user.name) is \(told), which is hidden from it")
    }

    private func checkTyping(_ connection: SimulatedConnection) {
        let limits = world.day.limits
        for (pair, thread) in connection.belief.typing {
            let conversation = ledger.conversations[pair.one]
            let user = people.users[pair.other]
            guard conversation.members[connection.device.user.index] != nil else { continue }
            if world.time > (user.typingUntil[pair.one] ?? 0) + World.lateness {
                world.fail("\(connection.label) still sees \(user.name) type in \(conversation.id)")
            }
            // Another thread may have been named too soon after this one.
            let said = user.typedAt[Ledger.Pair(pair.one, Int(thread))] ?? .min / 2
            if world.time > said + limits.typingAgainMilliseconds + limits.typingMilliseconds + World.lateness {
                world.fail("\(connection.label) still sees \(user.name) type in thread \(thread) of \(conversation.id)")
            }
        }
        for index in connection.belief.several {
            let conversation = ledger.conversations[index]
            guard conversation.members[connection.device.user.index] != nil else { continue }
            let ends = people.users.map { $0.typingUntil[index] ?? 0 }.sorted(by: >)
            if world.time > (ends.dropFirst().first ?? 0) + limits.severalTypingMilliseconds + World.lateness {
                world.fail("\(connection.label) still sees several type in \(conversation.id)")
            }
        }
    }

    private func checkCounters() {
        let counters = host.relay.counters
        let ready = host.connections.count { $0.isReady } + (host.guest?.isReady == true ? 1 : 0)
        let open = host.connections.count + (host.guest == nil ? 0 : 1)
        if host.relay.readySessions != ready, world.mistake != .ghostConnection {
            world.fail("the relay counts \(host.relay.readySessions) sessions that are ready, not \(ready)")
        }
        if host.relay.openConnections != open, world.mistake != .ghostConnection {
            world.fail("the relay counts \(host.relay.openConnections) connections, not \(open)")
        }
        if counters.usersOnline < 0 || counters.usersAway < 0
            || counters.usersOnline + counters.usersAway > people.users.count
        {
            world.fail("the relay counts \(counters.usersOnline) users online and \(counters.usersAway) away")
        }
    }
}
