import RoostCore
import RoostWire

/// Checks the final state when everything has come to rest: every client must have got it.
final class EndCheck {
    private let world: World
    private let ledger: Ledger
    private let people: People
    private let host: SimulatedHost
    private let rest: Rest
    private let settings: SettingCheck
    private let profiles: ProfileCheck

    init(
        _ world: World, _ ledger: Ledger, _ people: People, _ host: SimulatedHost, _ rest: Rest,
        _ settings: SettingCheck, _ profiles: ProfileCheck
    ) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.host = host
        self.rest = rest
        self.settings = settings
        self.profiles = profiles
    }

    func check() {
        for connection in host.connections where connection.isReady {
            checkStates(connection)
            checkReceipts(connection)
            checkReceiptsCame(connection)
            checkObjects(connection)
            checkRosters(connection)
            checkMemory(connection)
            settings.check(connection)
            checkCounts(connection)
            checkBadge(connection)
            if connection.number <= rest.connectionsBeforeMark { profiles.checkEnd(connection) }
            if !connection.belief.typing.isEmpty || !connection.belief.several.isEmpty {
                world.fail("\(connection.label) sees somebody type when nobody does")
            }
        }
        checkCursors()
        var online = 0
        var away = 0
        for user in people.users {
            if user.truth == .online || user.truth == .busy { online += 1 }
            if user.truth == .away { away += 1 }
        }
        if host.relay.counters.usersOnline != online || host.relay.counters.usersAway != away {
            world.fail(
                "the relay counts \(host.relay.counters.usersOnline) online and \(host.relay.counters.usersAway) away")
        }
        if host.relay.pendingEvents != 0 { world.fail("the relay still waits for \(host.relay.pendingEvents) events") }
    }

    /// Fails if one member of a direct conversation has a wrong idea of the other's presence.
    private func checkStates(_ connection: SimulatedConnection) {
        let user = connection.device.user
        let peers = people.users.filter { $0 !== user && ledger.arePeers(user.index, $0.index) }
        // The client got this many when it connected. A user who has left and has a block isn't brought back, and users
        // of ended conversations may have been among them.
        let met = people.users.count { $0 !== user && ledger.haveMet(user.index, $0.index) }
        guard met <= world.day.limits.watchedPerSession else { return }
        for peer in peers {
            // A blocker gets no event when a conversation with the blocked user begins.
            let isUntold = people.hasBlocked(user.index, peer.index)
            let told = connection.belief.presence[peer.index] ?? (isUntold ? "offline" : nil)
            let truth = people.isHidden(peer, from: user) ? .offline : peer.truth
            if told != truth.rawValue {
                world.fail(
                    "\(connection.label) believes its peer \(peer.name) to be \(told ?? "nowhere"), not \(truth)"
                )
            }
        }
    }

    private func checkReceipts(_ connection: SimulatedConnection) {
        let own = connection.device.user.index
        for (pair, mark) in connection.belief.receipts.sorted(by: {
            ($0.key.one, $0.key.other) < ($1.key.one, $1.key.other)
        }) {
            let conversation = ledger.conversations[pair.one]
            guard conversation.members[pair.other] != nil, conversation.members[own] != nil,
                let roster = connection.belief.rosters[pair.one]?["members"]?.elements
            else { continue }
            // Members of larger groups get no receipts; they ask.
            guard pair.other == own || conversation.members.count <= world.day.limits.receiptMembersMax else {
                continue
            }
            let truth = roster.first { SimulatedUser.index($0["user"]?.string) == pair.other }
            let other = people.users[pair.other]
            guard people.tellsRead(other, to: connection.device.user) else { continue }
            // A viewer gets no receipts of deliveries from the time when it was invisible.
            let isDelivery =
                people.tellsDelivery(other, to: connection.device.user) && people.visibleSince[own] == nil
            if truth?["read"]?.integer != mark.read || isDelivery && truth?["delivered"]?.integer != mark.delivered {
                world.fail(
                    "\(connection.label) believes that u\(pair.other) has \(mark) of \(conversation.id), "
                        + "and asked is told \(truth?["delivered"]?.integer ?? -1), \(truth?["read"]?.integer ?? -1)")
            }
        }
    }

    /// Whether no user could write there at the end, because its two users have a block.
    private func isSilent(_ conversation: ConversationTruth) -> Bool {
        let pair = Array(conversation.generations.keys)
        return conversation.kind == .direct && pair.count == 2 && people.isBlocked(pair[0], pair[1])
    }

    /// Checks that every session that was there at the end, when all users wrote and read everywhere, has the receipts.
    private func checkReceiptsCame(_ connection: SimulatedConnection) {
        guard connection.number <= rest.connectionsBeforeMark else { return }
        let own = connection.device.user.index
        for conversation in ledger.conversations where conversation.members[own] != nil {
            guard !rest.quietBeforeMark.contains(conversation.index), !isSilent(conversation), !conversation.isWaiting
            else { continue }
            let viewer = connection.device.user
            for user in conversation.order
            where people.tellsRead(people.users[user], to: viewer) && host.connection(of: people.users[user]) != nil {
                // A user who couldn't write has read nothing by that.
                let role = conversation.members[user]?.role ?? .member
                if conversation.moderation.isForAnnouncements, role < .admin,
                    rest.isLeftUnread(conversation, by: people.users[user])
                {
                    continue
                }
                let came = connection.belief.receipts[Ledger.Pair(conversation.index, user)]?.read ?? 0
                guard came >= people.users[user].read[conversation.index]?.lowerBound ?? 0 else {
                    world.fail("\(connection.label) was not told how far u\(user) has read \(conversation.id)")
                    continue
                }
            }
        }
    }

    /// An expired time-out may or may not still be in the object.
    private func checkModeration(
        _ object: Belief.ConversationObject, of conversation: ConversationTruth, _ user: Int,
        _ connection: SimulatedConnection
    ) {
        let truth = conversation.moderation
        if object.isForAnnouncements != truth.isForAnnouncements {
            world.fail("\(connection.label) is told wrongly who may write in \(conversation.id)")
        }
        if object.asks != truth.asks {
            world.fail("\(connection.label) has the wrong rule for links to \(conversation.id)")
        }
        if object.waiting > 0, (conversation.members[user]?.role ?? .member) < .admin {
            world.fail("\(connection.label) sees who waits for \(conversation.id), and isn't an admin")
        }
        if object.slow != truth.slow {
            world.fail("\(connection.label) is told wrongly that \(conversation.id) waits \(object.slow) ms")
        }
        if object.timeout != truth.timeouts[user] ?? 0 {
            world.fail("\(connection.label) is told that its time-out in \(conversation.id) ends at \(object.timeout)")
        }
    }

    private func checkObjects(_ connection: SimulatedConnection) {
        let user = connection.device.user
        for (index, object) in connection.belief.objects.sorted(by: { $0.key < $1.key }) {
            let conversation = ledger.conversations[index]
            guard let member = conversation.members[user.index] else { continue }
            let last =
                conversation.veil?.user == user.index
                ? conversation.veil?.sequence ?? 0 : Int64(conversation.messages.count)
            // Skips an answer that is older than the last message.
            guard object.sequence == last else { continue }
            let range = user.read[index] ?? 0...0
            if !range.contains(object.read) {
                world.fail(
                    "\(connection.label) is told that it has read \(object.read) of \(conversation.id), not \(range)")
            }
            let floor = max(object.read, member.since, member.joinedAfter)
            let mentions = conversation.mentions(of: user.index, above: floor) {
                people.hasBlocked(user.index, $0)
            }
            if object.mentions != mentions {
                world.fail(
                    "\(connection.label) is told of mentions \(object.mentions) in \(conversation.id), not \(mentions)")
            }
            let pins = Array(
                conversation.pins.filter {
                    $0 > member.since && !people.hidesPin($0, in: conversation, from: user.index)
                }
                .reversed())
            if object.pins != pins {
                world.fail("\(connection.label) is told of pins \(object.pins) in \(conversation.id), not \(pins)")
            }
            checkModeration(object, of: conversation, user.index, connection)
            if object.unread != conversation.unread(of: user.index, above: floor)
                || object.count != conversation.members.count
            {
                world.fail(
                    "\(connection.label) is told \(object.unread) unread, \(object.count) members in \(conversation.id)"
                )
            }
        }
    }

    /// Fails if a client's last badge differs from the sum over its conversations.
    private func checkBadge(_ connection: SimulatedConnection) {
        let user = connection.device.user.index
        let settings = ledger.settings.present(of: user)
        var unread: Int64 = 0
        for conversation in ledger.conversations
        where conversation.members[user] != nil && !conversation.waits(for: user)
            && !conversation.isVeiled(from: user)
        {
            // It had so many conversations that the list had another page, or had to wait.
            guard let object = connection.belief.objects[conversation.index] else { return }
            // All mutes that end have ended.
            if settings["mute/\(conversation.id)"]?.value == Array("true".utf8) { continue }
            unread += object.unread
        }
        if connection.belief.badge != unread {
            world.fail("\(connection.label) is told the badge \(connection.belief.badge ?? -1), not \(unread)")
        }
    }

    private func checkRosters(_ connection: SimulatedConnection) {
        for (index, json) in connection.belief.rosters.sorted(by: { $0.key < $1.key }) {
            let conversation = ledger.conversations[index]
            guard conversation.members[connection.device.user.index] != nil else { continue }
            var told: [Int: String] = [:]
            for element in json["members"]?.elements ?? [] {
                guard let user = SimulatedUser.index(element["user"]?.string) else { continue }
                told[user] = element["role"]?.string
                checkShown(element, of: people.users[user], in: conversation, connection)
                guard let delivered = element["delivered"]?.integer, let read = element["read"]?.integer else {
                    continue
                }
                let acked = people.users[user].delivered[index] ?? 0
                if people.users[user] !== connection.device.user,
                    people.betrays(
                        people.users[user], delivered: delivered, at: element["deliveredAt"]?.integer, read: read)
                {
                    world.fail("\(connection.label) is told of a delivery to u\(user), who is invisible")
                }
                if delivered < acked {
                    world.fail("u\(user) acked \(acked) of \(conversation.id), told is \(delivered)")
                }
                let joinedAfter = conversation.members[user]?.joinedAfter ?? 0
                if delivered > read, delivered <= joinedAfter {
                    world.fail("u\(user) joined after \(joinedAfter), and is told to have got \(delivered)")
                }
                if let range = people.users[user].read[index], !range.contains(read) {
                    world.fail("u\(user) has read \(range) of \(conversation.id), told is \(read)")
                }
            }
            let truth = conversation.members.mapValues { "\($0.role.word)" }
            if told != truth {
                world.fail("\(connection.label) is told that \(told) are in \(conversation.id), not \(truth)")
            }
        }
    }

    /// Fails if the list of members shows more or less of a member than the client may know.
    private func checkShown(
        _ element: JSONValue, of user: SimulatedUser, in conversation: ConversationTruth,
        _ connection: SimulatedConnection
    ) {
        let viewer = connection.device.user
        let mayTell = user === viewer || !conversation.isWaiting
        if (element["read"] != nil) != (mayTell && people.tellsRead(user, to: viewer))
            || (element["delivered"] != nil)
                != (mayTell && (user === viewer || people.tellsDelivery(user, to: viewer)))
        {
            world.fail("\(connection.label) is told other receipts of \(user.name) than it may know")
        }
    }

    /// Fails if a device keeps something of a conversation that is no longer so.
    private func checkMemory(_ connection: SimulatedConnection) {
        let device = connection.device
        // A device that has tried to open another connection keeps nothing of this one any more.
        guard device.current === connection else { return }
        for (index, kept) in device.memory.conversations.sorted(by: { $0.key < $1.key }) {
            let conversation = ledger.conversations[index]
            // Devices that are away get no event when their user left as the last member.
            guard !conversation.isErased else { continue }
            guard conversation.members[device.user.index] != nil else {
                world.fail("\(connection.label) still keeps \(conversation.id), where its user isn't a member")
                continue
            }
            // The device doesn't know the effects of events that were withheld from it.
            guard !conversation.hasWithheld(from: device.user.index) else { continue }
            let hasHidden = people.hasEverBlocked(device.user.index, conversation.generations.keys)
            let user = device.user.index
            if let mistake = kept.difference(from: conversation, of: user, comparesPins: !hasHidden) {
                world.fail("\(connection.label) keeps of \(conversation.id) \(mistake)")
            }
        }
    }

    /// Fails if a client that watches a conversation has a wrong idea of how many members are online.
    private func checkCounts(_ connection: SimulatedConnection) {
        let viewer = connection.device.user
        for (index, told) in connection.belief.counts.sorted(by: { $0.key < $1.key }) {
            let conversation = ledger.conversations[index]
            let members = conversation.members.keys.map { people.users[$0] }
            // The watch ended with an earlier membership. The state of a crowded user is unknown.
            guard conversation.members[viewer.index] != nil,
                conversation.generations[viewer.index] == told.generation, !members.contains(where: people.isCrowded)
            else { continue }
            let online = members.count { $0.truth != .offline && !people.isHidden($0, from: viewer) }
            if told.online != online || told.of != members.count {
                world.fail(
                    "\(connection.label) is told that \(told.online) of \(told.of) are online in \(conversation.id), "
                        + "not \(online) of \(members.count)")
            }
        }
    }

    /// Fails if an ack isn't stored: the events would come again.
    private func checkCursors() {
        for (number, device) in ledger.devices.sorted(by: { $0.key < $1.key }) {
            let owner = people.users[device.user].devices.first { $0.name == device.name }
            guard let connection = owner?.connection, connection.acked > 0 else { continue }
            if let cursor = ledger.cursors[number], cursor < connection.acked {
                world.fail("\(connection.label) has acked \(connection.acked), and \(cursor) is stored")
            }
        }
    }
}
