import RoostWire

/// What every run needs of the relay before its load: conversations, and who watches whom. One step each, a bounded
/// number at once.
extension Crowd {
    /// Begins with steps `next...` as far as the window allows; returns the first that has to wait.
    func createRooms(from next: Int) -> Int {
        var next = next
        while next < rooms.count, setUpSteps < HarnessLimits.setUpWindow {
            create(next)
            next += 1
        }
        return next
    }

    private func create(_ number: Int) {
        let room = rooms[number]
        guard let creator = room.members.first.flatMap({ devices(ofUser: $0).first }) else { return }
        setUpSteps += 1
        let others = room.members.dropFirst().prefix(HarnessLimits.membersPerCommand)
        let id = creator.expectReply(.create(room: number))
        creator.send("conversation.create") { frame in
            frame.member("id", Int64(id))
            frame.member("kind", word: room.isDirect ? "direct" : "group")
            if !room.isDirect { frame.member("name", "Room \(number)") }
            writeNames("members", others, to: frame)
        }
    }

    /// The relay has made a conversation; large ones get the rest of their members.
    func created(_ number: Int, _ reply: JSONValue?, by creator: Device) {
        guard let name = reply?["conversation"]?["conversation"]?.string else {
            return setUpFailed("conversation.create was answered without a conversation")
        }
        rooms[number].name = name
        learnName(of: number)
        var rest = rooms[number].members.dropFirst(1 + HarnessLimits.membersPerCommand)
        while !rest.isEmpty {
            setUpSteps += 1
            let id = creator.expectReply(.add)
            creator.send("conversation.add") { frame in
                frame.member("id", Int64(id))
                frame.member("conversation", name)
                writeNames("users", rest.prefix(HarnessLimits.membersPerCommand), to: frame)
            }
            rest = rest.dropFirst(HarnessLimits.membersPerCommand)
        }
        setUpStepDone()
    }

    private func learnName(of number: Int) {
        let room = rooms[number]
        let hash = Array(room.name.utf8).withUnsafeBytes(\.nameHash)
        let count = room.members.count * scenario.devices
        for place in room.firstPlace..<(room.firstPlace + count) {
            devices[Int(places[place].device)].places.add(hash, place: place)
        }
    }

    func setUpStepDone() { setUpSteps -= 1 }

    func setUpFailed(_ why: String) {
        setUpFailure = why
        setUpSteps -= 1
    }

    func writeNames(_ member: StaticString, _ users: some Sequence<Int>, to frame: FrameBuilder) {
        frame.beginArray(member)
        for user in users { frame.element(EnginePlan.userName(user, run: runName)) }
        frame.endArray()
    }

    // MARK: Watching

    /// Every user watches some of those whom they share a conversation with, on their first device.
    func watch(from next: Int) -> Int {
        var next = next
        while next < scenario.users, setUpSteps < HarnessLimits.setUpWindow {
            if let device = devices(ofUser: next).first { watch(by: device) }
            next += 1
        }
        return next
    }

    func watch(by device: Device) {
        let watched = watchedUsers(of: device)
        guard !watched.isEmpty, device.isReady else { return }
        let now = SocketLoop.now()
        for user in watched { presence.began(pair(device, user), at: now) }
        if stage == .settingUp { setUpSteps += 1 }
        let id = device.expectReply(stage == .settingUp ? .watch : .watchAgain)
        device.send("watch") { frame in
            frame.member("id", Int64(id))
            writeNames("users", watched, to: frame)
        }
    }

    /// The same whenever it is asked: those who follow next in the device's conversations.
    private func watchedUsers(of device: Device) -> [Int] {
        var watched: [Int] = []
        for place in device.places.all {
            let room = rooms[Int(places[Int(place)].room)]
            let at = (Int(place) - room.firstPlace) / scenario.devices
            for step in 1..<max(2, room.members.count) {
                guard watched.count < scenario.watch else { return watched }
                let user = room.members[(at + step) % room.members.count]
                if user != device.user, !watched.contains(user) { watched.append(user) }
            }
        }
        return watched
    }

    // MARK: The relay

    func learnRelay(_ text: UnsafeRawBufferPointer) {
        guard relay.isEmpty, let welcome = JSONValue(parsing: text) else { return }
        relay = welcome["server"]?.string ?? ""
        durability = welcome["durability"]?.string ?? ""
        let limits = welcome["limits"]
        let grace = UInt64(clamping: limits?["graceSeconds"]?.integer ?? 15) &* 1_000_000_000
        let life = UInt64(clamping: limits?["typingSeconds"]?.integer ?? 3) &* 1_000_000_000
        presence = PresenceLedger(users: personas.count, grace: grace)
        typing = TypingLedger(life: life)
    }
}
