import RoostWire

/// Asks `Policy` whether a user may reach the users named in a command, which may mean to look through groups, and
/// counts refusals. It owns nothing. Loop thread only.
struct Gatekeeper {
    /// Conversations that are looked at for one command.
    let stepsMax: Int
    let directory: Directory
    let prices: Prices

    /// Checks that `user` may reach all of these users. The look through groups is paid for afterwards.
    /// - Throws: `no_relationship`, or `too_large` if there are too many conversations to look at.
    func check(
        _ named: [NamedUser], by user: User, _ deed: GateDeed, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        guard directory.policy.rules.gate.mode != .off else { return }
        var steps = stepsMax
        var isLogged = false
        defer {
            charge(stepsMax - steps, to: session, at: now)
            if isLogged { directory.counters.gate.note(deed, isRefused: false) }
        }
        for one in named {
            switch try judge(one, by: user, &steps) {
            case .open: continue
            case .logged: isLogged = true
            case .closed:
                directory.counters.gate.note(deed, isRefused: true)
                throw .noRelationship
            }
        }
    }

    /// Checks that `user` may open a direct conversation with this one. Returns whether it must wait to be accepted.
    /// - Throws: as `check`, and `too_large` if too many of the user's requests wait.
    func checkOpening(
        with peer: NamedUser, by user: User, _ bounds: ConversationCommands.Bounds, _ session: Session, _ now: Moment
    ) throws(Refusal) -> Bool {
        guard directory.policy.rules.gate.takesRequests else {
            try check([peer], by: user, .open, session, now)
            return false
        }
        var steps = stepsMax
        defer { charge(stepsMax - steps, to: session, at: now) }
        switch try judge(peer, by: user, &steps) {
        case .open: return false
        case .logged:
            directory.counters.gate.note(.open, isRefused: false)
            return false
        case .closed:
            let since = now.wall.milliseconds - bounds.requestMilliseconds
            try user.contacts.requests.check(atMost: bounds.requests, since: Timestamp(milliseconds: since))
            return true
        }
    }

    /// Whether the gate lets the sender of a request write to its receiver by now, because the two know each other in
    /// another way than by the request, or because the gate is open.
    func lets(_ user: User, reach other: User, _ session: Session, _ now: Moment) throws(Refusal) -> Bool {
        var steps = stepsMax
        defer { charge(stepsMax - steps, to: session, at: now) }
        return try judge(.known(other), by: user, &steps) != .closed
    }

    /// Takes the price of the steps of a look.
    private func charge(_ steps: Int, to session: Session, at now: Moment) {
        directory.counters.steps += steps
        prices.charge(steps: steps, to: session, at: now)
    }

    /// Judges one name. Unknown names get the same answer as strangers, so the answer doesn't reveal which users exist.
    private func judge(_ named: NamedUser, by user: User, _ steps: inout Int) throws(Refusal) -> GateVerdict {
        let policy = directory.policy
        guard let other = named.known else { return policy.verdict(onStrangers: user.name, named.name) }
        guard !policy.areAcquainted(user, other, direct: directory.direct(user, other)) else { return .open }
        let verdict = policy.verdict(onStrangers: user.name, other.name)
        guard verdict != .open, policy.rules.gate.countsSharedGroups else { return verdict }
        var sight = policy.sight(ofStranger: other, by: user, verdict)
        switch sight.search(&steps) {
        case .allowed: return .open
        case .refused: return verdict
        case .open:
            guard verdict == .closed else { return .open }
            throw Refusal(
                .tooLarge, "it takes too long to look for a group that you share with each of these users; name fewer")
        }
    }

    static let reason = "you and this user don't know each other"
}
