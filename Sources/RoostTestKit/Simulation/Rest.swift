import RoostCore
import RoostWire

/// The end of a run: nothing fails any more, all users come back, and everything has to come to rest and be true.
final class Rest {
    private let world: World
    private let ledger: Ledger
    private let people: People
    private let host: SimulatedHost
    private let clients: SimulatedClients
    private let script: Script
    private let settings: SettingCheck
    private let invites: InviteCheck
    /// The last connection that existed when all users wrote and read once more.
    private(set) var connectionsBeforeMark = 0
    /// Conversations without receipts at that time, because they had too many members.
    private(set) var quietBeforeMark: Set<Int> = []

    init(
        _ world: World, _ ledger: Ledger, _ people: People, _ host: SimulatedHost, _ clients: SimulatedClients,
        _ script: Script, _ settings: SettingCheck, _ invites: InviteCheck
    ) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.host = host
        self.clients = clients
        self.script = script
        self.settings = settings
        self.invites = invites
    }

    /// Runs until everything is sent and acked; a violation ends it early.
    func comeToRest() {
        world.isCalm = true
        _ = host.store.makeRoom(isCalm: true)
        world.trace.note(world.time, "world", "calm", "")
        let slow = host.connections.filter { !$0.isFast }
        for connection in slow where !connection.hasVanished { connection.reading = .stuck }
        connectAll()
        settle("while others don't read") { self.othersAreServed }
        guard world.violations.isEmpty else { return }
        // Slow readers read fast again; clients that vanished are closed.
        for connection in host.connections where !connection.isFast {
            connection.calmSince = world.time
            connection.reading = .fast
            if connection.hasVanished { host.finish(connection) }
        }
        settle("when everybody reads") { self.allAreServed }
        retryAll()
        // After this, all short tokens have ended.
        for _ in 0..<4 {
            host.advance(30_000)
            connectAll()
        }
        mark()
        settle("at the end") { self.allAreServed && self.host.relay.isSettled }
    }

    /// Lets everything come to rest again.
    func goOn(_ when: String) { settle(when) { self.allAreServed && self.host.relay.isSettled } }

    /// Lets time pass until a condition holds.
    private func settle(_ when: String, _ holds: () -> Bool) {
        for _ in 0..<200 {
            connectAll()
            host.advance(50)
            if holds() || !world.violations.isEmpty { return }
        }
        let missing = host.connections.filter { !isServed($0) }.map(\.label).joined(separator: " ")
        world.fail("not everything comes to rest \(when): \(missing)")
    }

    private func connectAll() {
        // Clients whose hello was refused give up.
        for connection in host.connections
        where !connection.isWelcome && connection.pending.isEmpty && connection.isFast {
            host.finish(connection)
        }
        for user in people.users where user.index != people.deleted {
            for device in user.devices {
                if let current = device.current, !current.isClosed, current.session.closing == nil { continue }
                let open = user.devices.reduce(0) { $0 + ($1.current?.isClosed == false ? 1 : 0) }
                guard open < world.day.limits.devicesPerUser else { continue }
                clients.connect(device)
            }
        }
    }

    private var othersAreServed: Bool {
        host.connections.allSatisfy { !$0.isFast || isServed($0) || isTurnedAway($0) }
    }

    private var allAreServed: Bool { host.connections.allSatisfy { isServed($0) || isTurnedAway($0) } }

    /// Whether the relay refuses it because its user has too many devices.
    private func isTurnedAway(_ connection: SimulatedConnection) -> Bool {
        !connection.isWelcome && people.isCrowded(connection.device.user)
    }

    /// Whether it has everything that its user is entitled to, except for announced gaps.
    private func isServed(_ connection: SimulatedConnection) -> Bool {
        guard connection.isWelcome, !connection.awaited.live, connection.pending.isEmpty else { return false }
        let feed = ledger.feeds[connection.device.user.index]
        return feed[connection.place...].allSatisfy {
            ledger.isExcused($0, connection.device, gaps: connection.gaps, told: connection.told.positions)
        }
    }

    /// Sends every unanswered message again until it gets an answer.
    private func retryAll() {
        for round in 0..<1_000 {
            var isDone = true
            for user in people.users where !user.unanswered.isEmpty {
                isDone = false
                guard let connection = host.connection(of: user) else { continue }
                // On a day with few commands a second, several at once leave nothing for one with a high price.
                for intent in user.unanswered.prefix(round < 50 ? 5 : 1) {
                    clients.say("send", intent.members, .send(intent), on: connection)
                }
            }
            if isDone || !world.violations.isEmpty { return }
            connectAll()
            host.advance(500)
        }
        let left = people.users.reduce(0) { $0 + $1.unanswered.count }
        world.fail("\(left) messages get no answer, however often they are sent")
    }

    /// Everybody watches how many are online, and some hide or show themselves.
    private func changeCounts() {
        for connection in host.connections where connection.isReady {
            let own = connection.device.user.index
            let first = ledger.conversations.filter { $0.members[own] != nil }.prefix(world.day.limits.countsPerSession)
            for conversation in first {
                clients.say(
                    "watch", "\"conversations\":[\"\(conversation.id)\"]", .watchCount(conversation.index),
                    on: connection)
            }
        }
        host.advance(500)
        for user in people.users where user.index % 3 == 0 {
            guard let connection = host.connection(of: user) else { continue }
            let choice = user.choice == .invisible ? StatusChoice.auto : .invisible
            clients.say("status", "\"state\":\"\(choice.word)\"", .status(choice, nil), on: connection)
        }
    }

    /// Everybody is called something else, and looks for the others.
    private func changeProfiles() {
        for user in people.users {
            guard let connection = host.connection(of: user) else { continue }
            script.changeProfile(wantsUsername: false, on: connection)
            host.advance(world.random.chance(50) ? 0 : 60)
        }
        host.advance(500)
        for user in people.users {
            guard let connection = host.connection(of: user) else { continue }
            clients.say("user.find", "\"prefix\":\"person\",\"limit\":20", .findUsers, on: connection)
        }
    }

    /// Those who are asked accept, by a command or by an answer. Some requests wait beyond the end.
    private func acceptRequests() {
        for conversation in ledger.conversations where conversation.isWaiting && conversation.index % 3 > 0 {
            guard let request = conversation.request, conversation.members[request.receiver] != nil,
                let connection = host.connection(of: people.users[request.receiver])
            else { continue }
            if conversation.index % 3 == 1 {
                say("first", in: conversation, on: connection)
            } else {
                clients.say(
                    "request.accept", "\"conversation\":\"\(conversation.id)\"",
                    .answerRequest(conversation.index, isAccepted: true), on: connection)
            }
            host.advance(60)
        }
        retryAll()
        settle("after requests are accepted") { self.allAreServed }
    }

    /// Whether the user reads nothing there at the end but by writing.
    func isLeftUnread(_ conversation: ConversationTruth, by user: SimulatedUser) -> Bool {
        (user.index + conversation.index) % 3 == 0
    }

    private func say(
        _ text: String, isReading: Bool = true, mentioning mentioned: SimulatedUser? = nil,
        in conversation: ConversationTruth, on connection: SimulatedConnection
    ) {
        let key = script.newKey()
        let members =
            "\"to\":\"\(conversation.id)\",\"key\":\"\(key)\",\"body\":\"\(text)\""
            + (isReading ? "" : ",\"read\":false")
            + (mentioned.map { ",\"mentions\":[\"\($0.name)\"]" } ?? "")
        let intent = SendIntent(
            key: key, members: members, isToPeer: true, conversation: conversation.index, isReply: false)
        connection.device.user.unanswered.append(intent)
        clients.say("send", intent.members, .send(intent), on: connection)
    }

    /// Everybody asks when others have read one of the last messages.
    private func askForReceipts() {
        for connection in host.connections where connection.isReady {
            let own = connection.device.user.index
            for conversation in ledger.conversations where conversation.members[own] != nil {
                let last = conversation.messages.count
                guard last > 0 else { continue }
                let sequence = last - world.random.below(min(last, 10))
                clients.say(
                    "receipts", "\"conversation\":\"\(conversation.id)\",\"sequence\":\(sequence),\"limit\":20",
                    .receipts(conversation: conversation.index, Int64(sequence)), on: connection)
                host.advance(30)
            }
        }
    }

    /// Another member of a group, who leaves it unread.
    private func absent(from conversation: ConversationTruth, besides user: SimulatedUser) -> SimulatedUser? {
        guard conversation.kind == .group else { return nil }
        return conversation.order.lazy.map { self.people.users[$0] }
            .first { $0 !== user && self.isLeftUnread(conversation, by: $0) }
    }

    /// Changes a badge or a count without a message: a user mutes, for a while or for good, leaves, or deletes a
    /// message that may mention another.
    private func changeUnread() {
        for user in people.users {
            guard let connection = host.connection(of: user) else { continue }
            for conversation in ledger.conversations
            where conversation.members[user.index] != nil && !conversation.waits(for: user.index) {
                let of = "\"conversation\":\"\(conversation.id)\""
                let isUnread = isLeftUnread(conversation, by: user)
                switch (user.index + 2 * conversation.index) % 5 {
                case 0 where isUnread: mute("true", conversation, on: connection)
                case 1 where isUnread:
                    mute("{\"until\":\(world.now.wall.milliseconds + 2_000)}", conversation, on: connection)
                case 2 where isUnread && conversation.kind == .group:
                    clients.say("conversation.leave", of, .leave(conversation: conversation.index), on: connection)
                case 3:
                    guard let last = conversation.messages.lastIndex(where: { $0.sender == user.index }) else { break }
                    clients.say("delete", of + ",\"sequence\":\(last + 1)", .change(.delete), on: connection)
                default: break
                }
                host.advance(60)
            }
        }
    }

    private func mute(_ value: String, _ conversation: ConversationTruth, on connection: SimulatedConnection) {
        guard settings.isActive else { return }
        let key = "mute/\(conversation.id)"
        clients.say("state.set", "\"key\":\"\(key)\",\"value\":\(value)", .setState(key), on: connection)
    }

    /// Everybody says a last word in each conversation.
    private func writeEverywhere() {
        for user in people.users {
            guard let connection = host.connection(of: user) else { continue }
            for conversation in ledger.conversations
            where conversation.members[user.index] != nil && !conversation.waits(for: user.index) {
                let mentioned = absent(from: conversation, besides: user)
                say("last", mentioning: mentioned, in: conversation, on: connection)
                // Those who don't read on write without it, too.
                if isLeftUnread(conversation, by: user) {
                    say("later", isReading: false, in: conversation, on: connection)
                }
                host.advance(world.random.chance(50) ? 0 : 60)
            }
        }
    }

    /// Everybody writes, reads and acks once more, and asks how things stand.
    private func mark() {
        settle("before the last word") { self.allAreServed }
        connectionsBeforeMark = clients.connectionsMade
        if world.takesRequests { acceptRequests() }
        writeEverywhere()
        retryAll()
        changeCounts()
        changeProfiles()
        settle("after the last word") { self.allAreServed }
        for connection in host.connections {
            guard let last = connection.unackedEvents.last else { continue }
            clients.ack(last, on: connection)
            host.advance(60)
        }
        for user in people.users {
            guard let connection = host.connection(of: user) else { continue }
            for conversation in ledger.conversations where conversation.members[user.index] != nil {
                let last = conversation.messages.count
                // Some stay unread, so that badges say something.
                guard last > 0, !isLeftUnread(conversation, by: user) else { continue }
                clients.say(
                    "read", "\"conversation\":\"\(conversation.id)\",\"sequence\":\(last)",
                    .read(conversation: conversation.index, Int64(last)), on: connection)
                host.advance(60)
            }
        }
        if world.isCurious { askForReceipts() }
        // On a day with few commands a second, a client that has just asked for a lot may have to wait.
        for _ in 0..<5 {
            for connection in host.connections where connection.isReady { settings.complete(connection) }
            host.advance(3_000)
        }
        let most = world.day.limits.receiptMembersMax
        // Where members wait between messages, not all have written.
        let isQuiet = { (one: ConversationTruth) in one.members.count > most || one.moderation.slow > 0 }
        quietBeforeMark = Set(ledger.conversations.filter(isQuiet).map(\.index))
        changeUnread()
        // After this, nothing is pending: no grace, typing, receipt, watermark or mute that ends.
        host.advance(world.day.limits.graceMilliseconds + 5_000)
        world.restAt = world.time
        for connection in host.connections {
            connection.belief.rosters.removeAll()
            connection.belief.objects.removeAll()
        }
        askHowThingsStand()
        host.advance(100)
    }

    private func askHowThingsStand() {
        for connection in host.connections where connection.isReady {
            clients.say("conversation.list", "\"limit\":20", .list, on: connection)
            invites.askAtEnd(on: connection)
            if world.takesRequests {
                clients.say("conversation.list", "\"limit\":20,\"requests\":true", .listRequests, on: connection)
            }
            for conversation in ledger.conversations
            where conversation.members[connection.device.user.index] != nil {
                host.advance(30)
                clients.say(
                    "conversation.members",
                    "\"conversation\":\"\(conversation.id)\",\"limit\":\(world.day.limits.historyMax)",
                    .members(conversation: conversation.index), on: connection)
                clients.say(
                    "history", "\"conversation\":\"\(conversation.id)\",\"limit\":20",
                    .history(conversation: conversation.index), on: connection)
                // Most threads begin early.
                clients.say(
                    "history", "\"conversation\":\"\(conversation.id)\",\"after\":0,\"limit\":20",
                    .history(conversation: conversation.index), on: connection)
                for thread in conversation.roots.prefix(3) {
                    host.advance(30)
                    clients.say(
                        "history", "\"conversation\":\"\(conversation.id)\",\"limit\":20,\"thread\":\(thread)",
                        .history(conversation: conversation.index, thread: thread), on: connection)
                }
            }
        }
    }
}
