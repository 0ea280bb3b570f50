import RoostCore
import RoostWire

/// Decides by the dice who does what next, and how much time passes until the next step.
final class Script {
    /// The prefix of names that don't exist.
    static let typo = "typo"

    private let world: World
    private let ledger: Ledger
    private let people: People
    private let host: SimulatedHost
    private let clients: SimulatedClients
    private let outages: Outages
    private var keysMade = 0

    init(
        _ world: World, _ ledger: Ledger, _ people: People, _ host: SimulatedHost, _ clients: SimulatedClients,
        _ outages: Outages
    ) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.host = host
        self.clients = clients
        self.outages = outages
    }

    /// A key that no message had before.
    func newKey() -> String {
        keysMade += 1
        return "k\(keysMade)"
    }

    func step() {
        world.stepsTaken += 1
        if world.day.hasBlocks, world.hasGate { world.tally.guarded += 1 }
        if world.random.below(10_000) < world.day.crashes { return outages.crash() }
        if host.isExposed, world.random.chance(10) { return outages.crash() }
        if world.random.below(10_000) < world.day.drains { return outages.drain() }
        if world.random.below(10_000) < world.day.failures { outages.failStore() }
        act()
        switch world.random.below(100) {
        case 0: host.advance(Int64(world.random.within(500...4_000)))
        case 1 where world.random.chance(20): host.advance(Int64(world.random.within(10_000...40_000)))
        case 2...20: break
        case 21...50: host.advance(0)
        default: host.advance(Int64(world.random.below(world.day.pace)))
        }
    }

    private func act() {
        let user = people.users[world.random.below(people.users.count)]
        let device = user.devices[world.random.below(user.devices.count)]
        // Until two users are known, there is no name to use.
        if world.refusesUnknown, ledger.written.came.count < 2, device.current != nil { return }
        guard let connection = device.current, !connection.isClosed, !connection.hasVanished else {
            // Some devices stay away for long, and return to a backlog.
            guard world.stepsTaken >= device.asleepUntil else { return }
            return clients.connect(device)
        }
        guard connection.isWelcome else {
            if world.random.chance(5) { clients.drop(connection) }
            return
        }
        if world.takesRequests {
            if world.random.chance(5) { return answerRequest(on: connection) }
            // Contacts don't need to wait for each other.
            if world.random.chance(1) { return changeContact(on: connection) }
        } else if world.hasGate, world.random.chance(8) {
            return changeContact(on: connection)
        }
        if world.day.isChatty, world.random.chance(60) { return sendNew(on: connection) }
        if world.refusesUnknown, world.random.below(1_000) < 8 { return mistype(on: connection) }
        switch world.random.below(1_000) {
        case 0..<260: sendNew(on: connection)
        case 260..<310: retry(on: connection)
        case 310..<360: change(.edit, on: connection)
        case 360..<380: change(.delete, on: connection)
        case 380..<430: change(.react, on: connection)
        case 430..<450: signal(on: connection)
        case 450..<510: typing(on: connection)
        case 510..<600: ackSomething(on: connection)
        case 600..<650: readSomething(on: connection)
        case 650..<672: changeActivity(on: connection)
        case 672..<676: changeStatus(on: connection)
        case 676..<680: changePrivacy(on: connection)
        case 680..<686 where world.day.hasBlocks: changeBlocks(on: connection)
        case 686..<690: changeProfile(wantsUsername: world.random.chance(20), on: connection)
        case 680..<710: watch(on: connection)
        case 710..<720: watchCount(on: connection)
        case 720..<790: changeMembers(on: connection)
        case 790..<830: ask(on: connection)
        case 830..<845: misspeak(on: connection)
        case 845..<860: refresh(on: connection)
        case 860..<880: clients.connect(device)
        case 880..<900: clients.say("bye", "", .bye, on: connection)
        case 900..<930: changeReading(connection)
        case 930: writeDown(on: connection)
        case 931: report(on: connection)
        case 932..<935: clients.sayBare("{\"type\":\"ping\",\"id\":\"p\"}", on: connection)
        default: clients.drop(connection)
        }
    }

    private func signal(on connection: SimulatedConnection) {
        guard let conversation = conversation(of: connection.device.user) else { return }
        let padding = String(repeating: "s", count: world.random.below(100))
        clients.say("signal", "\"to\":\"\(conversation.id)\",\"body\":\"\(padding)\"", .other, on: connection)
    }

    private func typing(on connection: SimulatedConnection) {
        let user = connection.device.user
        // Most go on where they type already.
        let current = ledger.conversations.first {
            user.typingUntil[$0.index] ?? 0 > world.time && $0.members[user.index] != nil
        }
        let mayGoOn = world.random.chance(75)
        guard let conversation = mayGoOn ? current ?? conversation(of: user) : conversation(of: user) else { return }
        type(in: conversation, on: connection)
        // Sometimes every user has something to say.
        guard world.random.chance(75) else { return }
        for user in people.users where user !== connection.device.user && conversation.members[user.index] != nil {
            if let other = host.connection(of: user) { type(in: conversation, on: other) }
        }
    }

    private func type(in conversation: ConversationTruth, on connection: SimulatedConnection) {
        let isActive = world.random.chance(85)
        var members = "\"to\":\"\(conversation.id)\"" + (isActive ? "" : ",\"active\":false")
        var thread = 0
        if world.random.chance(40) {
            // The last one may not exist.
            thread = world.random.within(1...conversation.messages.count + 1)
            members += ",\"replyTo\":\(thread)"
        }
        clients.say("typing", members, .typing(conversation.index, thread: thread, isActive), on: connection)
    }

    private func changeActivity(on connection: SimulatedConnection) {
        let (word, activity) = [("active", PresenceActivity.active), ("idle", .idle), ("background", .background)][
            world.random.below(3)]
        clients.say("presence", "\"state\":\"\(word)\"", .activity(activity), on: connection)
    }

    private func changeStatus(on connection: SimulatedConnection) {
        let choice = world.random.chance(70) ? StatusChoice.allCases[world.random.below(4)] : nil
        let text = choice == nil || world.random.chance(40) ? ["", "Busy \u{1F468}", "x"][world.random.below(3)] : nil
        var members: [String] = []
        if let choice { members.append("\"state\":\"\(choice.word)\"") }
        if let text { members.append("\"text\":\"\(text)\"") }
        clients.say("status", members.joined(separator: ","), .status(choice, text), on: connection)
    }

    private func changePrivacy(on connection: SimulatedConnection) {
        guard world.random.chance(40) else {
            let peer = other(than: connection.device.user)
            let exception = [nil, nil, PrivacyException.always, .never, .never][world.random.below(5)]
            return clients.say(
                "except", "\"users\":[\"\(peer.name)\"],\"as\":\"\(exception?.word ?? "none")\"",
                .except(peer.index, exception), on: connection)
        }
        // Most share most.
        let change = PrivacyChange(
            presence: [nil, .shared, .everyone, .nobody][world.random.below(4)],
            lastSeen: [nil, .exact, .coarse, .nobody][world.random.below(4)],
            read: [nil, .shared, .shared, .nobody][world.random.below(4)])
        let members = [
            ("presence", change.presence?.word), ("lastSeen", change.lastSeen?.word), ("read", change.read?.word),
        ].compactMap { name, word in word.map { "\"\(name)\":\"\($0)\"" } }
        clients.say("privacy", members.joined(separator: ","), .privacy(change), on: connection)
    }

    /// Blocks a user, or more often removes a block, so that most can talk to most.
    private func changeBlocks(on connection: SimulatedConnection) {
        let user = connection.device.user
        let blocked = people.users.filter { user.secrecy.hasBlocked($0.index) }
        let peer = other(than: user)
        if let first = blocked.first, world.random.chance(70) {
            let members = "\"users\":[\"\(first.name)\"]"
            return clients.say("contact.unblock", members, .unblock(first.index), on: connection)
        }
        clients.say("contact.block", "\"users\":[\"\(peer.name)\"]", .except(peer.index, .blocked), on: connection)
    }

    /// Changes the profile to a new name each time; the wanted username may be another user's.
    func changeProfile(wantsUsername: Bool, on connection: SimulatedConnection) {
        keysMade += 1
        var members = "\"name\":\"Person \(keysMade)\""
        if wantsUsername { members += ",\"username\":\"name\(world.random.below(4))\"" }
        clients.say("profile.set", members, .setProfile, on: connection)
    }

    /// Another user who can be named: where unknown names are refused, one who has come.
    private func other(than user: SimulatedUser) -> SimulatedUser {
        let peer = people.other(than: user)
        guard world.refusesUnknown, !ledger.written.came.contains(peer.index) else { return peer }
        return people.users.first { $0 !== user && ledger.written.came.contains($0.index) } ?? peer
    }

    /// Uses a name that doesn't exist, in each way in which users are named.
    private func mistype(on connection: SimulatedConnection) {
        keysMade += 1
        let name = "\(Script.typo)\(world.random.below(3))"
        let conversation = conversation(of: connection.device.user)?.id ?? ""
        let commands = [
            ("send", "\"to\":\"@\(name)\",\"key\":\"t\(keysMade)\",\"body\":\"x\""),
            ("conversation.create", "\"kind\":\"direct\",\"members\":[\"\(name)\"]"),
            ("conversation.create", "\"kind\":\"group\",\"name\":\"G\",\"members\":[\"\(name)\"]"),
            ("contact.invite", "\"user\":\"\(name)\""), ("contact.block", "\"users\":[\"\(name)\"]"),
            ("except", "\"users\":[\"\(name)\"],\"as\":\"always\""), ("watch", "\"users\":[\"\(name)\"]"),
            ("conversation.add", "\"conversation\":\"\(conversation)\",\"users\":[\"\(name)\"]"),
        ]
        let (type, members) = commands[world.random.below(commands.count - (conversation.isEmpty ? 1 : 0))]
        clients.say(type, members, .mistype, on: connection)
    }

    private func changeContact(on connection: SimulatedConnection) {
        let peer = other(than: connection.device.user)
        let (verb, deed): (String, Acquaintances.Deed) =
            switch world.random.below(10) {
            case 0..<6: ("invite", .invite)
            case 6..<8: ("accept", .accept)
            case 8: ("decline", .end)
            default: ("remove", .end)
            }
        clients.say("contact.\(verb)", "\"user\":\"\(peer.name)\"", .contact(deed, peer.index), on: connection)
    }

    private func writeDown(on connection: SimulatedConnection) {
        keysMade += 1
        let name = "p\(keysMade)"
        clients.say("prospect.set", "\"name\":\"\(name)\"", .setProspect(name: name), on: connection)
    }

    private func report(on connection: SimulatedConnection) {
        keysMade += 1
        let (peer, text) = (other(than: connection.device.user), "r\(keysMade)")
        let members = "\"user\":\"\(peer.name)\",\"reason\":\"spam\",\"text\":\"\(text)\""
        // The relay keeps no report of a name that it doesn't know.
        let isKept = ledger.devices.values.contains { $0.user == peer.index }
        clients.say("contact.report", members, .report(text: text, isKept: isKept), on: connection)
    }

    /// Accepts or drops what a stranger has written, or looks at it. Sometimes it isn't the user's to answer.
    private func answerRequest(on connection: SimulatedConnection) {
        let user = connection.device.user.index
        let known = ledger.conversations.filter { $0.request != nil && $0.members[user] != nil }
        let waiting = known.filter { $0.waits(for: user) }
        let pool = waiting.isEmpty || world.random.chance(20) ? known : waiting
        guard !pool.isEmpty, world.random.chance(80) else {
            return clients.say("conversation.list", "\"requests\":true", .listRequests, on: connection)
        }
        let index = pool[world.random.below(pool.count)].index
        let of = "\"conversation\":\"\(ledger.conversations[index].id)\""
        switch world.random.below(10) {
        case 0: clients.say("request.accept", of, .answerRequest(index, isAccepted: true), on: connection)
        case 1..<5: clients.say("request.drop", of, .answerRequest(index, isAccepted: false), on: connection)
        default: clients.say("conversation.get", of, .getConversation(index), on: connection)
        }
    }

    private func watch(on connection: SimulatedConnection) {
        // The visibility of contacts is checked on another day.
        guard !world.hasGate else { return }
        let peer = other(than: connection.device.user)
        let isOn = world.random.chance(70)
        clients.say(
            isOn ? "watch" : "unwatch", "\"users\":[\"\(peer.name)\"]",
            isOn ? .watch(peer.index) : .unwatch(peer.index), on: connection)
    }

    private func watchCount(on connection: SimulatedConnection) {
        guard let conversation = conversation(of: connection.device.user) else { return }
        let isOn = world.random.chance(80)
        clients.say(
            isOn ? "watch" : "unwatch", "\"conversations\":[\"\(conversation.id)\"]",
            isOn ? .watchCount(conversation.index) : .unwatchCount(conversation.index), on: connection)
    }

    private func changeMembers(on connection: SimulatedConnection) {
        let user = connection.device.user
        let peer = other(than: user)
        let choice = world.random.below(100)
        if choice < 20 || ledger.conversations.isEmpty {
            return clients.say(
                "conversation.create", "\"kind\":\"direct\",\"members\":[\"\(peer.name)\"]", .create, on: connection)
        }
        if choice < 40 {
            let names = (0..<world.random.below(4)).map { _ in "\"\(other(than: user).name)\"" }.joined(
                separator: ",")
            return clients.say(
                "conversation.create", "\"kind\":\"group\",\"name\":\"G\",\"members\":[\(names)]\(oldKey())", .create,
                on: connection)
        }
        guard let conversation = conversation(of: user) else { return }
        // Around a block, the two of a direct conversation see other pins.
        if world.day.hasBlocks, conversation.kind == .direct, world.random.chance(40) {
            return pin(in: conversation, on: connection)
        }
        let of = "\"conversation\":\"\(conversation.id)\"" + oldKey()
        switch choice {
        case 40..<65: clients.say("conversation.add", of + ",\"users\":[\"\(peer.name)\"]", .other, on: connection)
        case 65..<75: clients.say("conversation.remove", of + ",\"users\":[\"\(peer.name)\"]", .other, on: connection)
        case 75..<80:
            if world.random.chance(40) { return moderate(conversation, peer, on: connection) }
            let number = world.random.below(9)
            if number > 6 {
                // None disappears as long as a simulation runs.
                let after = number == 7 ? 0 : 86_400_000
                return clients.say("conversation.expiry", of + ",\"after\":\(after)", .other, on: connection)
            }
            guard number < 3 else {
                return clients.say("conversation.rename", of + ",\"name\":\"N\(number)\"", .other, on: connection)
            }
            let what = [",\"photo\":\"p\"", ",\"description\":\"d\"", ",\"photo\":\"\",\"description\":\"e\""][number]
            clients.say("conversation.describe", of + what, .other, on: connection)
        case 80..<88:
            let role = ["member", "admin", "owner"][world.random.below(3)]
            clients.say(
                "conversation.role", of + ",\"user\":\"\(peer.name)\",\"role\":\"\(role)\"", .other, on: connection)
        case 88..<92: pin(in: conversation, on: connection)
        default: clients.say("conversation.leave", of, .leave(conversation: conversation.index), on: connection)
        }
    }

    /// Bans or times out a user, lets only admins write, sets a wait or has admins approve who joins; more often takes
    /// that back, so that most may write.
    private func moderate(
        _ conversation: ConversationTruth, _ peer: SimulatedUser, on connection: SimulatedConnection
    ) {
        conversation.moderation.wasAskedFor = true
        let of = "\"conversation\":\"\(conversation.id)\""
        let user = of + ",\"user\":\"\(peer.name)\""
        switch world.random.below(12) {
        case 2: clients.say("conversation.ban", user + ",\"reason\":\"spam\"", .other, on: connection)
        case 0..<2:
            let banned = conversation.moderation.banned.sorted().first.map { people.users[$0].name } ?? peer.name
            clients.say("conversation.unban", of + ",\"user\":\"\(banned)\"", .other, on: connection)
        case 3..<5:
            let after = world.random.chance(20) ? 0 : world.random.within(1_000...20_000)
            clients.say("conversation.timeout", user + ",\"after\":\(after)", .other, on: connection)
        case 10...:
            let rule = world.random.chance(60) ? "ask" : "open"
            clients.say("conversation.joining", of + ",\"joining\":\"\(rule)\"", .other, on: connection)
        case 8..<10:
            let after: Int64 = world.random.chance(30) ? 0 : Int64(world.random.within(1_000...10_000))
            conversation.moderation.slowAskedFor = max(after, conversation.moderation.slowAskedFor)
            clients.say("conversation.slow", of + ",\"after\":\(after)", .other, on: connection)
        default:
            let rule = world.random.chance(30) ? "admins" : "all"
            clients.say("conversation.posting", of + ",\"posting\":\"\(rule)\"", .other, on: connection)
        }
    }

    /// Pins a message or takes a pin back, for half of the time one that is pinned.
    private func pin(in conversation: ConversationTruth, on connection: SimulatedConnection) {
        let verb = world.random.chance(70) ? "pin" : "unpin"
        let (pins, count) = (conversation.pins, conversation.messages.count)
        let sequence =
            !pins.isEmpty && world.random.chance(50)
            ? pins[world.random.below(pins.count)] : Int64(world.random.below(max(1, count)) + 1)
        clients.say(
            "conversation.\(verb)", "\"conversation\":\"\(conversation.id)\",\"sequence\":\(sequence)", .other,
            on: connection)
    }

    /// A key for half of the commands, which most likely was used before, for the same kind of command or another.
    private func oldKey() -> String {
        world.random.chance(50) ? ",\"key\":\"g\(world.random.below(40))\"" : ""
    }

    private func ask(on connection: SimulatedConnection) {
        if world.random.chance(15) { return clients.say("devices", "", .devices, on: connection) }
        if world.random.chance(10) { return askForPeople(on: connection) }
        if world.random.chance(30) { return clients.say("conversation.list", "", .list, on: connection) }
        guard let conversation = conversation(of: connection.device.user) else { return }
        let of = "\"conversation\":\"\(conversation.id)\""
        if world.isCurious, !conversation.messages.isEmpty {
            let sequence = conversation.messages.count - world.random.below(min(conversation.messages.count, 30))
            clients.say(
                "receipts", of + ",\"sequence\":\(sequence)",
                .receipts(conversation: conversation.index, Int64(sequence)), on: connection)
        }
        if world.random.chance(40) {
            let all = of + ",\"limit\":\(world.day.limits.historyMax)"
            return clients.say("conversation.members", all, .members(conversation: conversation.index), on: connection)
        }
        let bound = ["", ",\"after\":\(world.random.below(20))", ",\"before\":\(world.random.within(1...30))"][
            world.random.below(3)]
        if world.random.chance(30), !conversation.messages.isEmpty {
            let thread = thread(upTo: Int64(conversation.messages.count))
            return clients.say(
                "history", of + bound + ",\"thread\":\(thread)",
                .history(conversation: conversation.index, thread: thread), on: connection)
        }
        clients.say("history", of + bound, .history(conversation: conversation.index), on: connection)
    }

    private func askForPeople(on connection: SimulatedConnection) {
        guard world.random.chance(50) else {
            let prefix = ["person", "per", "name"][world.random.below(3)]
            let members = "\"prefix\":\"\(prefix)\",\"limit\":\(world.random.within(1...20))"
            return clients.say("user.find", members, .findUsers, on: connection)
        }
        let names = people.users.prefix(20).map { "\"\($0.name)\"" }.joined(separator: ",")
        clients.say("user.get", "\"users\":[\(names)]", .getUsers, on: connection)
    }

    /// Says something that isn't a valid command.
    private func misspeak(on connection: SimulatedConnection) {
        let texts = [
            "{", "[]", "{\"type\":\"send\"}", "{\"type\":\"nothing\",\"id\":\"x\"}",
            "{\"type\":\"ack\",\"position\":7}",
            "{\"type\":\"hello\",\"id\":\"h\",\"token\":\"\(connection.device.user.name)\"}",
        ]
        clients.sayBare(texts[world.random.below(texts.count)], on: connection)
    }

    private func refresh(on connection: SimulatedConnection) {
        let life = world.random.within(5_000...90_000)
        let token = "\(connection.device.user.name)+\(life)"
        clients.say("refresh", "\"token\":\"\(token)\"", .refresh(Int64(life)), on: connection)
    }

    private func changeReading(_ connection: SimulatedConnection) {
        connection.reading = world.random.chance(60) ? .fast : .slow(world.random.within(20...3_000))
        connection.calmSince = world.time
    }

    // MARK: Messages

    func sendNew(on connection: SimulatedConnection) {
        let user = connection.device.user
        let key = newKey()
        var isToPeer = false
        var index: Int?
        let to: String
        var last: Int64 = 0
        if world.random.chance(30) {
            isToPeer = true
            let peer = other(than: user)
            let direct = ledger.direct(user.index, peer.index)
            if let direct, direct.waits(for: user.index), world.random.chance(90) { return }
            to = "@" + peer.name
            last = Int64(direct?.messages.count ?? 0)
        } else {
            guard let conversation = conversation(of: user) else { return }
            to = conversation.id
            index = conversation.index
            last = Int64(conversation.messages.count)
        }
        var members = "\"to\":\"\(to)\",\"key\":\"\(key)\""
        let length = world.random.below(world.random.chance(15) ? world.day.bodyBytes : 40)
        let padding = String(repeating: "x", count: length)
        let source = forwarded(by: user)
        if let source {
            members += source
        } else if world.random.chance(15) {
            members += ",\"kind\":\"blob\",\"body\":{\"n\":\(keysMade),\"pad\":\"\(padding)\"}"
        } else {
            members += ",\"body\":\"m\(keysMade) \(padding)\""
        }
        let isReply = last > 0 && world.random.chance(10)
        if isReply { members += ",\"replyTo\":\(world.random.within(1...Int(last) + 1))" }
        if source == nil { members += mentions(by: user, in: index) }
        if world.random.chance(10) { members += ",\"read\":false" }
        var intent = SendIntent(key: key, members: members, isToPeer: isToPeer, conversation: index, isReply: isReply)
        if index != nil, last > 0, world.random.chance(20) {
            intent.thread = thread(upTo: last)
            intent.members += ",\"thread\":\(intent.thread)"
        }
        user.unanswered.append(intent)
        clients.say("send", intent.members, .send(intent), on: connection)
    }

    /// Sometimes a message of any conversation of the user's, which may not be there.
    private func forwarded(by user: SimulatedUser) -> String? {
        guard world.random.chance(8), let conversation = conversation(of: user) else { return nil }
        let sequence = world.random.within(1...conversation.messages.count + 1)
        return ",\"forward\":{\"conversation\":\"\(conversation.id)\",\"sequence\":\(sequence)}"
    }

    /// A message with which a thread may have begun. It may be in a thread itself, and the last one may not exist.
    private func thread(upTo last: Int64) -> Int64 {
        Int64(world.random.within(1...Int(min(last + 1, world.random.chance(70) ? 4 : .max))))
    }

    /// In a group, sometimes a mention of a user who may not be a member, or of all.
    private func mentions(by user: SimulatedUser, in index: Int?) -> String {
        guard let index, ledger.conversations[index].kind == .group, world.random.chance(15) else { return "" }
        return ",\"mentions\":[\"\(world.random.chance(25) ? "@all" : other(than: user).name)\"]"
    }

    /// Sends a message again from any device of its user, whether it got an answer or not.
    func retry(on connection: SimulatedConnection) {
        let user = connection.device.user
        let pool = user.unanswered.isEmpty || world.random.chance(30) ? user.answered : user.unanswered
        guard !pool.isEmpty else { return }
        world.tally.retries += 1
        var intent = pool[world.random.below(pool.count)]
        // A key outlives what was made under it.
        if world.random.chance(40), let erased = user.answered.first(where: isErased) { intent = erased }
        if intent.stored != nil, world.random.chance(10) { intent = clash(with: intent, of: user) }
        clients.say("send", intent.members, .send(intent), on: connection)
    }

    private func isErased(_ intent: SendIntent) -> Bool {
        guard let stored = intent.stored, let event = ledger.events[stored.position] else { return false }
        return ledger.conversations[event.conversation].isErased
    }

    /// Another message under the same key, as a client sends that has lost count: to another user, or with another
    /// text.
    private func clash(with intent: SendIntent, of user: SimulatedUser) -> SendIntent {
        let to = "@" + other(than: user).name
        return SendIntent(
            key: intent.key, members: "\"to\":\"\(to)\",\"key\":\"\(intent.key)\",\"body\":\"lost count\"",
            isToPeer: true, conversation: nil, isReply: false, isClash: true)
    }

    func change(_ kind: EventKind, on connection: SimulatedConnection) {
        guard let conversation = conversation(of: connection.device.user), !conversation.messages.isEmpty else {
            return
        }
        let recent = world.random.chance(50) ? min(conversation.messages.count, 5) : conversation.messages.count
        let sequence = conversation.messages.count - world.random.below(recent)
        let target = "\"conversation\":\"\(conversation.id)\",\"sequence\":\(sequence)"
        switch kind {
        case .edit:
            // Some name the version that the message has, had, or will have next.
            let versions = conversation.messages[sequence - 1].bodies.count
            let version = world.random.chance(30) ? ",\"ifVersion\":\(world.random.within(1...versions + 1))" : ""
            clients.say(
                "edit",
                target + ",\"body\":\"edited \(world.random.below(1_000))\"" + version
                    + mentions(by: connection.device.user, in: conversation.index), .change(.edit), on: connection)
        case .delete:
            clients.say("delete", target, .change(.delete), on: connection)
        default:
            let reaction = ["+1", "heart", "\u{2764}", "\u{2764}\u{FE0F}", "no"][world.random.below(5)]
            let removal = world.random.chance(30) ? ",\"remove\":true" : ""
            clients.say("react", target + ",\"reaction\":\"\(reaction)\"" + removal, .change(.react), on: connection)
        }
    }

    // MARK: Marks

    /// Acks the newest event, an older one, or a position that only came with an `ok`.
    func ackSomething(on connection: SimulatedConnection) {
        let positions = connection.unackedEvents
        if !connection.told.positions.isEmpty, world.random.chance(30) {
            let told = connection.told.positions.sorted()
            return clients.ack(told[world.random.below(told.count)], on: connection)
        }
        guard let last = positions.last else { return }
        let position = world.random.chance(60) ? last : positions[world.random.below(positions.count)]
        clients.ack(position, on: connection)
    }

    func readSomething(on connection: SimulatedConnection) {
        guard let conversation = conversation(of: connection.device.user), !conversation.messages.isEmpty else {
            return
        }
        let last = conversation.messages.count
        let sequence = world.random.chance(60) ? last : world.random.within(1...last)
        clients.say(
            "read", "\"conversation\":\"\(conversation.id)\",\"sequence\":\(sequence)",
            .read(conversation: conversation.index, Int64(sequence)), on: connection)
    }

    /// A conversation, mostly one that the user is in.
    func conversation(of user: SimulatedUser) -> ConversationTruth? {
        guard !ledger.conversations.isEmpty else { return nil }
        for _ in 0..<6 {
            let most = world.day.isChatty ? min(ledger.conversations.count, 4) : ledger.conversations.count
            let conversation = ledger.conversations[world.random.below(most)]
            // Most who are asked don't answer by the way.
            if conversation.waits(for: user.index), world.random.chance(97) { continue }
            if conversation.members[user.index] != nil, !conversation.isErased { return conversation }
        }
        return world.random.chance(10) ? ledger.conversations[world.random.below(ledger.conversations.count)] : nil
    }
}
