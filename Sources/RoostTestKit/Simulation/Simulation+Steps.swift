import RoostCore
import RoostWire

/// One step: something that somebody does, or that goes wrong; then a while.
extension Simulation {
    func step() {
        stepsTaken += 1
        if random.below(10_000) < scenario.crashes { return crash() }
        if random.below(10_000) < scenario.drains { return drain() }
        if random.below(10_000) < scenario.failures { failStore() }
        act()
        switch random.below(100) {
        case 0: advance(Int64(random.within(500...4_000)))
        case 1 where random.chance(20): advance(Int64(random.within(10_000...40_000)))
        case 2...20: break
        case 21...50: advance(0)
        default: advance(Int64(random.below(scenario.pace)))
        }
    }

    private func act() {
        let user = users[random.below(users.count)]
        let device = user.devices[random.below(user.devices.count)]
        guard let connection = device.current, !connection.isClosed, !connection.hasVanished else {
            // Some stay away for long, and come back to a backlog.
            guard stepsTaken >= device.asleepUntil else { return }
            return connect(device)
        }
        guard connection.isWelcome else {
            if random.chance(5) { drop(connection) }
            return
        }
        if scenario.isChatty, random.chance(60) { return sendNew(on: connection) }
        switch random.below(1_000) {
        case 0..<260: sendNew(on: connection)
        case 260..<310: retry(on: connection)
        case 310..<360: change(.edit, on: connection)
        case 360..<380: change(.delete, on: connection)
        case 380..<430: change(.react, on: connection)
        case 430..<450: signal(on: connection)
        case 450..<510: typing(on: connection)
        case 510..<600: ackSomething(on: connection)
        case 600..<650: readSomething(on: connection)
        case 650..<680: changeActivity(on: connection)
        case 680..<720: watch(on: connection)
        case 720..<790: changeMembers(on: connection)
        case 790..<830: ask(on: connection)
        case 830..<845: misspeak(on: connection)
        case 845..<860: refresh(on: connection)
        case 860..<880: connect(device)
        case 880..<900: say("bye", "", .bye, on: connection)
        case 900..<930: changeReading(connection)
        case 930..<935: sayBare("{\"type\":\"ping\",\"id\":\"p\"}", on: connection)
        default: drop(connection)
        }
    }

    private func signal(on connection: SimulatedConnection) {
        guard let conversation = conversation(of: connection.device.user) else { return }
        let padding = String(repeating: "s", count: random.below(100))
        say("signal", "\"to\":\"\(conversation.id)\",\"body\":\"\(padding)\"", .other, on: connection)
    }

    private func typing(on connection: SimulatedConnection) {
        guard let conversation = conversation(of: connection.device.user) else { return }
        let isActive = random.chance(75)
        say(
            "typing", "\"to\":\"\(conversation.id)\"" + (isActive ? "" : ",\"active\":false"),
            .typing(conversation.index, isActive), on: connection)
    }

    private func changeActivity(on connection: SimulatedConnection) {
        let (word, activity) = [("active", Activity.active), ("idle", .idle), ("background", .background)][
            random.below(3)]
        say("presence", "\"state\":\"\(word)\"", .activity(activity), on: connection)
    }

    private func watch(on connection: SimulatedConnection) {
        let peer = other(than: connection.device.user)
        let isOn = random.chance(70)
        say(
            isOn ? "watch" : "unwatch", "\"users\":[\"\(peer.name)\"]",
            isOn ? .watch(peer.index) : .unwatch(peer.index), on: connection)
    }

    private func changeMembers(on connection: SimulatedConnection) {
        let user = connection.device.user
        let peer = other(than: user)
        let choice = random.below(100)
        if choice < 20 || ledger.conversations.isEmpty {
            return say(
                "conversation.create", "\"kind\":\"direct\",\"members\":[\"\(peer.name)\"]", .create, on: connection)
        }
        if choice < 40 {
            let names = (0..<random.below(4)).map { _ in "\"\(other(than: user).name)\"" }.joined(separator: ",")
            let key = random.chance(50) ? ",\"key\":\"g\(random.below(40))\"" : ""
            return say(
                "conversation.create", "\"kind\":\"group\",\"name\":\"G\",\"members\":[\(names)]\(key)", .create,
                on: connection)
        }
        guard let conversation = conversation(of: user) else { return }
        let of = "\"conversation\":\"\(conversation.id)\""
        switch choice {
        case 40..<65: say("conversation.add", of + ",\"users\":[\"\(peer.name)\"]", .other, on: connection)
        case 65..<75: say("conversation.remove", of + ",\"users\":[\"\(peer.name)\"]", .other, on: connection)
        case 75..<80: say("conversation.rename", of + ",\"name\":\"N\(random.below(9))\"", .other, on: connection)
        case 80..<88:
            let role = ["member", "admin", "owner"][random.below(3)]
            say(
                "conversation.role", of + ",\"user\":\"\(peer.name)\",\"role\":\"\(role)\"", .other, on: connection)
        default: say("conversation.leave", of, .leave(conversation: conversation.index), on: connection)
        }
    }

    private func ask(on connection: SimulatedConnection) {
        if random.chance(30) { return say("conversation.list", "", .list, on: connection) }
        guard let conversation = conversation(of: connection.device.user) else { return }
        let of = "\"conversation\":\"\(conversation.id)\""
        if random.chance(40) {
            return say("conversation.members", of, .members(conversation: conversation.index), on: connection)
        }
        let bound = ["", ",\"after\":\(random.below(20))", ",\"before\":\(random.within(1...30))"][random.below(3)]
        say("history", of + bound, .history(conversation: conversation.index), on: connection)
    }

    /// Something that isn't a command.
    private func misspeak(on connection: SimulatedConnection) {
        let texts = [
            "{", "[]", "{\"type\":\"send\"}", "{\"type\":\"nothing\",\"id\":\"x\"}",
            "{\"type\":\"ack\",\"position\":7}",
            "{\"type\":\"hello\",\"id\":\"h\",\"token\":\"\(connection.device.user.name)\"}",
        ]
        sayBare(texts[random.below(texts.count)], on: connection)
    }

    private func refresh(on connection: SimulatedConnection) {
        let life = random.within(5_000...90_000)
        let token = "\(connection.device.user.name)+\(life)"
        say("refresh", "\"token\":\"\(token)\"", .refresh(Int64(life)), on: connection)
    }

    private func changeReading(_ connection: SimulatedConnection) {
        connection.reading = random.chance(60) ? .fast : .slow(random.within(20...3_000))
        connection.calmSince = time
    }
}
