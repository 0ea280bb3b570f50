import RoostCore
import RoostWire
import SeededRandom

/// People make links, send them around, open and revoke them; and the effects are checked as their clients know them:
/// no link opens anything after it was revoked, used up or has ended, none counts a use twice or is lost, none passes a
/// block or the gate, and no maker learns that a blocked user has followed one. It has dice of its own, so that days
/// without it stay as they are.
final class InviteCheck {
    private let world: World
    private let ledger: Ledger
    private let people: People
    private let clients: SimulatedClients
    private var random: SeededGenerator

    init(_ world: World, _ ledger: Ledger, _ people: People, _ clients: SimulatedClients, seed: UInt64) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.clients = clients
        random = SeededGenerator(seed: ~seed &+ 2)
    }

    // MARK: Saying

    /// A user does something with a link, or no user does.
    func step() {
        guard random.chance(3) else { return }
        let user = people.users[random.below(people.users.count)]
        let device = user.devices[random.below(user.devices.count)]
        guard let connection = device.current, connection.isWelcome, !connection.isClosed else { return }
        switch random.below(24) {
        case 20...: decide(on: connection)
        case 0..<5: make(on: connection)
        case 5..<15: open(on: connection)
        case 15: clients.say("invite.list", "", .listInvites, on: connection)
        case 16: clients.say("contact.list", "", .listContacts, on: connection)
        default: revoke(on: connection)
        }
    }

    private func make(on connection: SimulatedConnection) {
        let user = connection.device.user
        let led = ledger.conversations.filter { conversation in
            guard conversation.kind == .group, !conversation.isErased, let member = conversation.members[user.index]
            else { return false }
            return member.role >= .admin || random.chance(10)
        }
        let group = led.isEmpty || random.chance(40) ? nil : led[random.below(led.count)]
        let (uses, isShort) = (random.within(1...3), random.chance(30))
        var members = group.map { "\"conversation\":\"\($0.id)\"," } ?? ""
        members += "\"uses\":\(uses)"
        if isShort { members += ",\"after\":\(random.within(500...20_000))" }
        clients.say("invite.create", members, .makeInvite(group: group?.index, uses: uses), on: connection)
    }

    private func open(on connection: SimulatedConnection) {
        let (own, links) = (connection.device.user.index, people.invitations.links)
        guard !links.isEmpty else { return }
        // Most are new; some belong to a user who has blocked this one, or lead to a group that has banned it.
        let blocking = links.indices.filter { people.hasBlocked(links[$0].maker, own) }
        let banning = links.indices.filter { index in
            links[index].group.map { ledger.conversations[$0].moderation.banned.contains(own) } ?? false
        }
        let recent = max(0, links.count - 6)
        let index =
            !banning.isEmpty && random.chance(30)
            ? banning[random.below(banning.count)]
            : !blocking.isEmpty && random.chance(50)
                ? blocking[random.below(blocking.count)]
                : random.chance(70) ? recent + random.below(links.count - recent) : random.below(links.count)
        if links[index].maker == own, random.chance(90) { return }
        let code = "\"code\":\"\(links[index].code)\""
        if random.chance(10) { return clients.say("invite.show", code, .showInvite(index), on: connection) }
        clients.say("invite.open", code, .openInvite(index), on: connection)
    }

    /// Lets in, or doesn't, who may wait for a group; mostly an admin does.
    private func decide(on connection: SimulatedConnection) {
        let own = connection.device.user.index
        let led = ledger.conversations.filter { conversation in
            guard conversation.kind == .group, !conversation.isErased, let member = conversation.members[own]
            else { return false }
            return member.role >= .admin || random.chance(10)
        }
        guard !led.isEmpty else { return clients.say("join.list", "", .other, on: connection) }
        let group = led[random.below(led.count)]
        let of = "\"conversation\":\"\(group.id)\""
        let waiting = (people.invitations.waiting[group.index] ?? []).sorted()
        guard !waiting.isEmpty, random.chance(80) else { return clients.say("join.list", of, .other, on: connection) }
        let user = people.users[waiting[random.below(waiting.count)]].name
        let verb = random.chance(70) ? "accept" : "refuse"
        clients.say("join.\(verb)", of + ",\"user\":\"\(user)\"", .other, on: connection)
    }

    private func revoke(on connection: SimulatedConnection) {
        let own = people.invitations.links.indices.filter {
            people.invitations.links[$0].maker == connection.device.user.index
        }
        guard !own.isEmpty else { return }
        let index = own[random.below(own.count)]
        let members = "\"invite\":\"\(people.invitations.links[index].id)\""
        clients.say("invite.revoke", members, .revokeInvite(index), on: connection)
    }

    // MARK: Replies

    /// A client reads that its link is made.
    func takeMade(_ event: WireEvent, _ group: Int?, _ uses: Int, on connection: SimulatedConnection) {
        guard let invite = event.json?["invite"], let id = invite["invite"]?.string,
            let code = invite["code"]?.string, let expires = invite["expires"]?.integer,
            invite["uses"]?.integer == Int64(uses), invite["used"]?.integer == 0,
            invite["conversation"]?.string == group.map({ ledger.conversations[$0].id })
        else { return world.fail("\(connection.label) isn't told what it has made") }
        people.invitations.links.append(
            SimulatedLink(
                maker: connection.device.user.index, id: id, code: code, group: group, uses: uses, expires: expires,
                toldAt: world.time))
        world.tally.links += 1
    }

    /// A client reads its user's links.
    func takeList(_ event: WireEvent, askedAt: Int64, on connection: SimulatedConnection) {
        let own = connection.device.user.index
        var listed: Set<Int> = []
        for invite in event.json?["invites"]?.elements ?? [] {
            if invite["code"] != nil { world.fail("\(connection.label) is told the code of a link again") }
            // The answer to the command that made it may have been lost.
            guard let id = invite["invite"]?.string, let index = people.invitations.index(of: id, by: own) else {
                continue
            }
            listed.insert(index)
            let (link, used) = (people.invitations.links[index], Int(invite["used"]?.integer ?? -1))
            if used > link.taken || askedAt >= world.restAt && used < link.counted || used >= link.uses {
                world.fail(
                    "\(connection.label) is told that \(id) was used \(used) of \(link.uses) times, not "
                        + "\(link.counted) to \(link.taken)")
            }
            if isOver(link, at: askedAt) { world.fail("\(connection.label) is listed \(id), which is over") }
        }
        for (index, link) in people.invitations.links.enumerated() where link.maker == own && !listed.contains(index) {
            if link.toldAt < askedAt, isSurelyGood(link, at: world.time) {
                world.fail("\(connection.label) isn't listed \(link.id), which is there")
            }
        }
    }

    /// Whether a user who opens the link at this monotonic time must reach its maker.
    private func isSurelyGood(_ link: SimulatedLink, at time: Int64) -> Bool {
        link.group == nil && link.revokingAt == nil && link.taken < link.uses && people.deleted != link.maker
            && world.wall(at: time) < link.expires
    }

    /// Whether a command at this monotonic time must find that the link is over, as its clients know.
    private func isOver(_ link: SimulatedLink, at time: Int64) -> Bool {
        link.revokedAt.map { $0 < time } ?? false || world.wall(at: time) >= link.expires
    }

    /// A client reads that its link has ended.
    func takeRevoked(_ index: Int, saidAt: Int64) {
        people.invitations.links[index].revokedAt = min(people.invitations.links[index].revokedAt ?? .max, saidAt)
        world.tally.linksRevoked += 1
    }

    /// A client is shown who invites to what.
    func takeShown(_ event: WireEvent, _ index: Int, saidAt: Int64, on connection: SimulatedConnection) {
        let shown = Set(event.json?["invitation"]?.members?.map(\.name) ?? ["nothing"])
        if !shown.isSubset(of: ["name", "group"]) { world.fail("\(connection.label) is shown \(shown.sorted())") }
        if isOver(people.invitations.links[index], at: saidAt) {
            world.fail("\(connection.label) is shown \(people.invitations.links[index].id), which is over")
        }
    }

    /// A client reads that it has followed a link.
    func takeOpened(
        _ event: WireEvent, _ index: Int, isUse: Bool, saidAt: Int64, on connection: SimulatedConnection
    ) {
        let (link, user) = (people.invitations.links[index], connection.device.user)
        if isOver(link, at: saidAt) { world.fail("\(connection.label) opens \(link.id), which is over") }
        if event.json?["waiting"]?.bool == true {
            guard let group = link.group else { return world.fail("\(connection.label) waits to meet a user") }
            people.invitations.waiting[group, default: []].insert(user.index)
            return
        }
        let id = event.json?["conversation"]?["conversation"]?.string ?? ""
        guard let conversation = ledger.conversation(id), let position = event.position else {
            return world.fail("\(connection.label) opens \(link.id), and what it leads to isn't durable")
        }
        if let group = link.group, group != conversation.index {
            world.fail("\(connection.label) opens \(link.id), and is in \(id)")
        }
        if link.group != nil, !event.isDuplicate { checkJoined(link, at: position, saidAt: saidAt, on: connection) }
        if link.group == nil, !conversation.generations.keys.contains(link.maker) {
            world.fail("\(connection.label) opens \(link.id), and is with somebody else in \(id)")
        }
        guard isUse, link.group == nil || !event.isDuplicate else { return }
        people.invitations.links[index].counted += 1
        world.tally.linksOpened += 1
        if people.hasBlocked(link.maker, user.index) { world.tally.linksHidden += 1 }
        if link.counted + 1 > link.uses {
            world.fail("\(link.id) was used \(link.counted + 1) times, of \(link.uses)")
        }
    }

    /// The user joined by a command of its own, and the maker must have had the right to add it.
    private func checkJoined(
        _ link: SimulatedLink, at position: Int64, saidAt: Int64, on connection: SimulatedConnection
    ) {
        let own = connection.device.user.index
        guard let stored = ledger.events[position], stored.sender == own, stored.conversation == link.group,
            case .add(let members) = stored.change, members.count == 1,
            ledger.users[members[0].user.value] == own
        else { return world.fail("\(connection.label) opens \(link.id), and isn't stored to have joined") }
        guard world.hasGate, link.maker != own else { return }
        let delay = World.lateness + 2 * Int64(world.day.commitDelay)
        if !people.acquaintances.knewEachOther(link.maker, own, at: world.wall(at: saidAt), within: delay),
            !people.acquaintances.hasFollowed(own, link.maker), !people.acquaintances.hasFollowed(link.maker, own)
        {
            world.fail("\(connection.label) comes past the gate by \(link.id)")
        }
    }

    /// With what the relay may refuse to open a link.
    func codes(refusing index: Int, by user: SimulatedUser, saidAt: Int64) -> Set<String> {
        let link = people.invitations.links[index]
        var codes: Set<String> = ["too_large", "gone"]
        if !isSurelyGood(link, at: saidAt) { codes.insert("not_found") }
        if link.maker == user.index { codes.insert("bad_request") }
        // A message of the user's own that waits for the maker keeps it out, while it is under way or was left.
        if world.hasGate, link.group != nil || world.takesRequests { codes.insert("no_relationship") }
        return codes
    }

    // MARK: Contacts

    /// A client reads its user's contacts. At the end they must be as its clients know.
    func takeContacts(_ event: WireEvent, askedAt: Int64, on connection: SimulatedConnection) {
        let own = connection.device.user.index
        var told: [Int: String] = [:]
        for contact in event.json?["contacts"]?.elements ?? [] {
            guard let user = SimulatedUser.index(contact["user"]?.string) else { continue }
            told[user] = contact["state"]?.string
            checkHidden(user, on: connection)
        }
        guard askedAt >= world.restAt, event.json?["next"] == nil else { return }
        for user in people.users where user.index != own {
            let truth = people.acquaintances.state(of: user.index, for: own)
            if told[user.index] != truth {
                world.fail(
                    "\(connection.label) is listed \(user.name) as \(told[user.index] ?? "nothing"), not "
                        + (truth ?? "nothing"))
            }
        }
    }

    /// A client gets a contact: it must not be a user blocked by its own who has followed a link.
    func checkHidden(_ user: Int, on connection: SimulatedConnection) {
        let own = connection.device.user.index
        guard connection.isUpToDate(at: world.time),
            people.acquaintances.isHidden(
                user, from: own, since: world.now.wall.milliseconds - World.lateness)
        else { return }
        world.fail("\(connection.label) is told of u\(user), whom its user has blocked, and who followed a link")
    }

    // MARK: The end

    /// Everybody asks for links and contacts.
    func askAtEnd(on connection: SimulatedConnection) {
        clients.say("invite.list", "", .listInvites, on: connection)
        clients.say("contact.list", "\"limit\":20", .listContacts, on: connection)
    }
}
