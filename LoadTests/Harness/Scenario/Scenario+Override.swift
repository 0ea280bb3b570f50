import RoostConfiguration

extension Scenario {
    /// The scenario with what the command line changes, checked by the rules of files; a failure names the flag.
    ///
    /// With other `users` the crowd keeps its shape: pairs, and rooms of each size, are as many more or fewer (at least
    /// one of a kind that there was), a room keeps its size unless there are fewer users than that, and `watch` is
    /// capped too. The rate of messages stays as it is: it's in all, and `rate` changes it.
    public func override(
        users: Int? = nil,
        devices: Int? = nil,
        rate: Double? = nil,
        seconds: Double? = nil,
        warmup: Double? = nil,
        seed: UInt64? = nil,
        backoff: Bool? = nil
    ) throws(ConfigurationFailure) -> Scenario {
        var changed = self
        var places = ScenarioPlaces(whole: .flag("command line"))
        let changes = [
            ("users", users.map(String.init)), ("devices", devices.map(String.init)),
            ("seconds", seconds.map(ScenarioValue.written)), ("warmup", warmup.map(ScenarioValue.written)),
            ("seed", seed.map { "\($0)" }),
        ]
        for case (let name, let text?) in changes {
            let value = ScenarioValue(flag: "--\(name)", text)
            places.note(name, at: value.place)
            try changed.take(name, value, &places)
        }
        if let rate {
            let value = ScenarioValue(flag: "--rate", ScenarioValue.written(rate))
            guard var messages else { throw value.refusal("nobody writes in \(name)") }
            places.note("messages.rate", at: value.place)
            try messages.take("rate", value, &places)
            changed.messages = messages
        }
        if let backoff {
            changed.backoff = backoff
            for index in changed.storms.indices { changed.storms[index].backoff = backoff }
        }
        if changed.users != self.users { changed.scaleConversations(from: self.users) }
        try changed.check(places)
        return changed
    }

    /// Adapts conversations and watching, made for `before` users, to the present number.
    mutating func scaleConversations(from before: Int) {
        let users = users
        let factor = Double(users) / Double(max(1, before))
        let scaled = { (count: Int) in count == 0 ? 0 : max(1, Int((Double(count) * factor).rounded())) }
        conversations.pairs = scaled(conversations.pairs)
        if users > 1 { conversations.pairs = min(conversations.pairs, users * (users - 1) / 2) }
        for index in conversations.rooms.indices {
            var rooms = conversations.rooms[index]
            rooms.count = scaled(rooms.count)
            rooms.members = min(rooms.members, max(2, users))
            rooms.senders = min(rooms.senders, rooms.members)
            conversations.rooms[index] = rooms
        }
        watch = min(watch, max(0, users - 1))
        for index in storms.indices where storms[index].spare > 0 {
            // An even number, so that no pair is cut in two.
            let spare = Double(storms[index].spare) * factor / 2
            storms[index].spare = min(max(1, Int(spare.rounded())) * 2, users)
        }
    }
}
