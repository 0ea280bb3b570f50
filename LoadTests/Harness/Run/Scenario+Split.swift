extension Scenario {
    /// Users that storms spare. They get a process of their own: in that of users who come back, they would also wait
    /// for its thread.
    private var bystanders: Int {
        let spared = storms.map(\.spare).max() ?? 0
        return spared < users ? spared : 0
    }

    /// Number of processes that share the load if so many are asked for.
    func processes(asked: Int) -> Int { bystanders > 0 ? max(asked, 2) : asked }

    /// The most connections that one of so many processes has.
    func socketsMax(ofEach processes: Int) -> Int {
        let own = bystanders > 0 && processes > 1
        let sharing = own ? processes - 1 : processes
        let people = users + outsiders - (own ? bystanders : 0)
        return max((people * devices + sharing - 1) / sharing, own ? bystanders * devices : 0)
    }

    /// The share of one of `count` workers: of users, conversations and rates. A room stays whole, so that the workers
    /// together make the same rooms, with members drawn from one worker's users. The shares have seeds of their own. If
    /// storms spare users, these are the first worker's, with their share of the pairs; all rooms are the others'.
    ///
    /// - Throws: `RunFailure` if a worker would have no user to write to, or a room more members than a worker users.
    func share(index: Int, of count: Int) throws(RunFailure) -> Scenario {
        guard count > 1 else { return self }
        let spared = bystanders
        guard spared > 0 else { return try even(index, of: count) }
        let pairs = conversations.pairs * spared / users
        if index > 0 {
            var others = part(of: users - spared, pairs: conversations.pairs - pairs)
            // Another one than the first worker's, also if there are only two.
            others.seed = seed &+ 0x9E37_79B9_7F4A_7C15
            for position in storms.indices { others.storms[position].spare = 0 }
            return try others.even(index - 1, of: count - 1)
        }
        var own = part(of: spared, pairs: pairs)
        own.outsiders = 0
        own.conversations.rooms = []
        try own.checkShare(of: self, workers: count)
        return own
    }

    // So many of the users, and the share of the rates that is theirs.
    private func part(of users: Int, pairs: Int) -> Scenario {
        var part = self
        let share = Double(users) / Double(self.users)
        part.users = users
        part.conversations.pairs = pairs
        part.connectRate *= share
        part.messages?.rate *= share
        part.watch = min(watch, max(0, users - 1))
        return part
    }

    private func even(_ index: Int, of count: Int) throws(RunFailure) -> Scenario {
        guard count > 1 else { return self }
        var share = self
        share.seed = seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15
        // Pairs are neighbours, so an even number of users for each worker leaves no user over.
        let unit = users % 2 == 0 && users / 2 >= count ? 2 : 1
        share.users = Self.part(users / unit, index, of: count) * unit
        share.outsiders = Self.part(outsiders, index, of: count)
        share.connectRate = connectRate / Double(count)
        share.conversations.pairs = Self.part(conversations.pairs, index, of: count)
        // If one worker got an additional room of one size, another one gets it for the next size.
        var skipped = 0
        for position in conversations.rooms.indices {
            let rooms = conversations.rooms[position].count
            share.conversations.rooms[position].count = Self.part(rooms, (index + count - skipped) % count, of: count)
            skipped = (skipped + rooms) % count
        }
        share.conversations.rooms.removeAll { $0.count == 0 }
        share.messages?.rate /= Double(count)
        share.watch = min(watch, max(0, share.users - 1))
        try share.checkShare(of: self, workers: count)
        return share
    }

    private func checkShare(of whole: Scenario, workers: Int) throws(RunFailure) {
        guard users > 0 else { throw RunFailure("\(whole.users) users are too few for \(workers) workers") }
        if messages != nil, conversations.pairs == 0, conversations.rooms.isEmpty {
            throw RunFailure("\(whole.name) has too few conversations for \(workers) workers")
        }
        for rooms in conversations.rooms where rooms.members > users {
            throw RunFailure(
                "a room of \(rooms.members) is too large: each of \(workers) workers has only \(users) users")
        }
        if conversations.pairs > 0, users < 2 {
            throw RunFailure("\(whole.users) users are too few for pairs among \(workers) workers")
        }
    }

    // The first workers get what doesn't divide evenly.
    private static func part(_ whole: Int, _ index: Int, of count: Int) -> Int {
        whole / count + (index < whole % count ? 1 : 0)
    }
}
