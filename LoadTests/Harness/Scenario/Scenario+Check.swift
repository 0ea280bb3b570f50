import RoostConfiguration

extension Scenario {
    /// Checks the rules between several keys.
    func check(_ places: ScenarioPlaces) throws(ConfigurationFailure) {
        try checkCrowd(places)
        try checkConversations(places)
        try checkMessages(places)
        try checkPersonas(places)
        try checkPhases(places)
    }

    private func checkCrowd(_ places: ScenarioPlaces) throws(ConfigurationFailure) {
        let sessions = (users + outsiders) * devices
        try places.demand(
            sessions <= HarnessLimits.usersMax, devices > 1 ? "devices" : "users",
            with: ["devices", "users", "outsiders"],
            "\(sessions) connections in all are too many; at most \(HarnessLimits.usersMax) are allowed"
        )
        try places.demand(
            warmup + seconds <= HarnessLimits.secondsMax, "seconds", with: ["warmup"],
            "too long together with warmup; at most \(ScenarioValue.written(HarnessLimits.secondsMax)) s are allowed"
        )
        try places.demand(
            watch < users, "watch", with: ["users"], "\(watch) is too many; there are \(users - 1) others")
        try places.demand(
            watch == 0 || hasConversations, "watch", with: ["conversations"],
            "users watch those with whom they share a conversation, but there are no conversations"
        )
    }

    private func checkConversations(_ places: ScenarioPlaces) throws(ConfigurationFailure) {
        let pairsMax = users * (users - 1) / 2
        try places.demand(
            conversations.pairs <= pairsMax, "conversations.pairs", with: ["users"],
            "\(conversations.pairs) is too many; \(users) users make at most \(pairsMax) pairs"
        )
        var memberships = conversations.pairs * 2
        for (index, rooms) in conversations.rooms.enumerated() {
            let path = "conversations.rooms[\(index)]"
            try places.demand(
                rooms.members <= users, "\(path).members", with: ["users"],
                "\(rooms.members) is too many; there are \(users) users"
            )
            try places.demand(
                rooms.senders <= rooms.members, "\(path).senders",
                "\(rooms.senders) is too many; the room has \(rooms.members) members"
            )
            memberships += rooms.count * rooms.members
            try places.demand(
                memberships <= ScenarioLimits.memberships, "\(path).count", with: [path, "users"],
                "\(memberships) members in all up to here; at most \(ScenarioLimits.memberships) are allowed"
            )
        }
    }

    private func checkMessages(_ places: ScenarioPlaces) throws(ConfigurationFailure) {
        guard messages != nil else {
            try places.demand(catchUp == nil, "catch_up", "there is nothing to miss without messages")
            return
        }
        try places.demand(
            hasConversations, "messages", with: ["conversations"], "there is no conversation to write to")
        try places.demand(
            personas.isEmpty || personas.contains { $0.writes > 0 && $0.share > 0 }, "messages", with: ["personas"],
            "nobody writes, because every persona has writes: 0 or share: 0"
        )
        try places.demand(
            catchUp == nil || messages?.mode != .signal, "catch_up", "signals aren't stored, so nobody can catch up")
    }

    private func checkPersonas(_ places: ScenarioPlaces) throws(ConfigurationFailure) {
        guard !personas.isEmpty else { return }
        let total = personas.reduce(0) { $0 + $1.share }
        // Shares such as a third can't be written exactly.
        try places.demand(
            abs(total - 1) <= 0.001, "personas",
            "the shares add up to \((total * 1_000).rounded() / 1_000); they must add up to 1"
        )
        var names: Set<String> = []
        for (index, persona) in personas.enumerated() {
            let path = "personas[\(index)]"
            try places.demand(
                names.insert(persona.name).inserted, "\(path).name",
                "\(ConfigurationFailure.quoted(persona.name)) is the name of an earlier one"
            )
            try places.demand(
                persona.away == 0 || persona.present > 0, "\(path).away",
                "needs present, the time that they are connected")
            try places.demand(
                persona.present == 0 || persona.away > 0, "\(path).present",
                "needs away, the time that they are not connected")
            try places.demand(
                persona.stallsFor == 0 || persona.stallsAfter > 0, "\(path).stalls_for", "needs stalls_after")
            try demandWithin(persona.stallsAfter, "\(path).stalls_after", places)
        }
    }

    private func checkPhases(_ places: ScenarioPlaces) throws(ConfigurationFailure) {
        if let catchUp {
            try places.demand(
                catchUp.leave < catchUp.back, "catch_up.back", with: ["catch_up.leave", "catch_up"],
                "\(ScenarioValue.written(catchUp.back)) must be later than leave, "
                    + "\(ScenarioValue.written(catchUp.leave))"
            )
            try demandWithin(catchUp.back, "catch_up.back", with: ["catch_up"], places)
        }
        for (index, storm) in storms.enumerated() {
            try demandWithin(storm.at, "storms[\(index)].at", places)
            try places.demand(
                storm.spare <= users, "storms[\(index)].spare", with: ["users"],
                "\(storm.spare) is too many; there are \(users) users")
        }
        for (index, restart) in restarts.enumerated() {
            try demandWithin(restart.at + restart.down, "restarts[\(index)].at", places)
        }
        for (index, stall) in stalls.enumerated() {
            try demandWithin(stall.at + stall.seconds, "stalls[\(index)].at", places)
        }
        var last = -1.0
        for (index, stage) in (messages?.stages ?? []).enumerated() {
            let path = "messages.stages[\(index)].at"
            try demandWithin(stage.at, path, places)
            try places.demand(
                stage.at > last, path, "\(ScenarioValue.written(stage.at)) must be later than the stage before")
            last = stage.at
        }
    }

    /// Demands that a moment comes before the measured load ends.
    private func demandWithin(
        _ moment: Double,
        _ path: String,
        with others: [String] = [],
        _ places: ScenarioPlaces
    ) throws(ConfigurationFailure) {
        try places.demand(
            moment < seconds, path, with: others + ["seconds"],
            "\(ScenarioValue.written(moment)) is too late; the load ends after \(ScenarioValue.written(seconds)) s"
        )
    }

    private var hasConversations: Bool { conversations.pairs > 0 || !conversations.rooms.isEmpty }
}
