import RoostTestKit

/// Users, devices and conversations, drawn from the scenario and its seed before anything is connected.
extension Crowd {
    func build() {
        let users = scenario.users + scenario.outsiders
        for user in 0..<users { personas.append(persona(ofUser: user)) }
        for user in 0..<users {
            for number in 0..<scenario.devices {
                devices.append(
                    Device(
                        crowd: self, index: devices.count, user: user, persona: personas[user], name: "d\(number)"))
            }
        }
        buildPairs()
        buildRooms()
        for number in rooms.indices { introduce(number) }
        roomPicker = rooms.isEmpty ? nil : ZipfPicker(count: rooms.count, exponent: scenario.conversations.zipf)
        second.second = -Int(scenario.warmup.rounded(.up))
    }

    /// Personas take turns, so that every room has its share of each.
    private func persona(ofUser user: Int) -> Int {
        // The golden ratio spreads consecutive users evenly over 0…1.
        let at = (Double(user) * 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1)
        var passed = 0.0
        for (index, persona) in scenario.personas.enumerated() {
            passed += persona.share
            if at < passed { return index }
        }
        return scenario.personas.count - 1
    }

    private func buildPairs() {
        let users = scenario.users
        guard users >= 2 else { return }
        var seen: Set<[Int]> = []
        var number = 0
        // Each time around the partners lie further apart; there are fewer pairs than users squared.
        while seen.count < scenario.conversations.pairs, number < users * users {
            let round = number / (users / 2)
            let first = (number % (users / 2)) * 2
            let other = (first + 1 + 2 * round) % users
            number += 1
            guard first != other, seen.insert([min(first, other), max(first, other)]).inserted else { continue }
            addRoom(members: [first, other], senders: 0, isDirect: true)
        }
    }

    private func buildRooms() {
        for rooms in scenario.conversations.rooms {
            for _ in 0..<rooms.count {
                var users = Array(0..<scenario.users)
                let members = min(rooms.members, users.count)
                // The first steps of a shuffle (Fisher, Yates).
                for index in 0..<members {
                    users.swapAt(index, Int.random(in: index..<users.count, using: &random))
                }
                addRoom(members: Array(users[..<members]), senders: rooms.senders, isDirect: false)
            }
        }
    }

    private func addRoom(members: [Int], senders: Int, isDirect: Bool) {
        let number = rooms.count
        let room = Room(
            members: members, senders: senders == 0 ? members.count : min(senders, members.count),
            picker: nil, isDirect: isDirect, firstPlace: places.count)
        for user in members {
            for device in devices(ofUser: user) {
                places.append(Place(room: Int32(number), device: Int32(device.index)))
            }
        }
        rooms.append(room)
        let weights = members[..<room.senders].map { scenario.personas[personas[$0]].writes }
        rooms[number].picker = WeightedPicker(weights: Array(weights))
    }

    /// Tells the ledgers of a room.
    private func introduce(_ number: Int) {
        let room = rooms[number]
        let devices = (0..<(room.members.count * scenario.devices)).map { Int(places[room.firstPlace + $0].device) }
        _ = ledger.addConversation(number, members: devices)
        _ = signals.addConversation(number, members: devices)
        for (member, user) in room.members.enumerated() {
            let reader = unread.add(user, in: number)
            if member == 0 { rooms[number].firstReader = reader }
        }
    }

    func devices(ofUser user: Int) -> ArraySlice<Device> {
        devices[user * scenario.devices..<(user + 1) * scenario.devices]
    }
}
