extension Scenario {
    /// A small and quick run of the same structure, for tests: at most so many users (2 or more) and so many seconds of
    /// load, warm-up included.
    ///
    /// All spans and moments of the load are squeezed alike, so every phase is still there; `settle` isn't, since it
    /// only ends the wait for what is lost. Conversations are scaled as `override` does, outsiders and the rate of
    /// messages too, down to 10 a second, so that a short run still sends some. Shares of personas grow to two users,
    /// so that each kind is there. Thresholds stay; what a long run keeps to a short one may not, and tests look at
    /// correctness.
    public func shortened(users usersMax: Int, seconds secondsMax: Double) -> Scenario {
        var short = self
        let before = users
        short.users = min(before, max(2, usersMax))
        if short.users < before {
            let factor = Double(short.users) / Double(before)
            short.scaleConversations(from: before)
            if outsiders > 0 { short.outsiders = max(1, Int((Double(outsiders) * factor).rounded())) }
            short.giveEachPersonaUsers()
            if let rate = messages?.rate { short.messages?.rate = max(min(rate, 10), rate * factor) }
        }
        let load = warmup + seconds
        if load > secondsMax, secondsMax > 0 { short.squeeze(secondsMax / load) }
        return short
    }

    private mutating func giveEachPersonaUsers() {
        // Enough for two users, so that each persona gets one however they are assigned. There may be too many personas
        // for that.
        let least = min(2 / Double(users), 1 / Double(max(1, personas.count)))
        let isSmall = { (persona: Persona) in persona.share > 0 && persona.share < least }
        guard personas.contains(where: isSmall) else { return }
        for index in personas.indices where isSmall(personas[index]) { personas[index].share = least }
        let total = personas.reduce(0) { $0 + $1.share }
        // The others give up some of their share, but keep at least as much as these get.
        let spare = personas.reduce(0) { $0 + max(0, $1.share - least) }
        for index in personas.indices where spare > 0 && personas[index].share > least {
            personas[index].share -= (total - 1) * (personas[index].share - least) / spare
        }
    }

    private mutating func squeeze(_ factor: Double) {
        warmup *= factor
        seconds *= factor
        catchUp?.leave *= factor
        catchUp?.back *= factor
        for index in storms.indices { storms[index].at *= factor }
        for index in restarts.indices {
            restarts[index].at *= factor
            restarts[index].down *= factor
        }
        for index in stalls.indices {
            stalls[index].at *= factor
            stalls[index].seconds *= factor
        }
        for index in messages?.stages.indices ?? 0..<0 { messages?.stages[index].at *= factor }
        let spans: [WritableKeyPath<Persona, Double>] = [
            \.typingSeconds, \.readSeconds, \.present, \.away, \.stallsAfter, \.stallsFor,
        ]
        for index in personas.indices {
            for span in spans { personas[index][keyPath: span] *= factor }
        }
    }
}
