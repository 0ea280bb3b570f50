import RoostWire

/// `presence`, `watch`, `unwatch`: presence is only told to those who watch.
extension Relay {
    func setPresence(_ activity: Activity, _ id: CommandID?, _ session: Session, _ now: Moment) {
        if let user = session.user { presence.set(activity, of: session, user, at: now) }
        accept(id, session, now)
    }

    func watch(_ names: [Text], _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, _) = try speaker(session)
        var wanted: [User] = []
        for name in names {
            guard let other = directory.user(named: name), directory.policy.maySee(user, other) else {
                throw Refusal(.forbidden, "users: one may watch whom one shares a conversation with")
            }
            wanted.append(other)
        }
        guard presence.watch(wanted, by: session) else {
            throw Refusal(.tooLarge, "users: at most \(limits.watchedPerSession) per session")
        }
        builder.begin("ok")
        builder.reply(to: id)
        write(wanted)
        reply(builder.finish(), to: session, at: now)
    }

    func unwatch(_ names: [Text], _ id: CommandID?, _ session: Session, _ now: Moment) {
        for name in names {
            if let other = directory.user(named: name) { presence.unwatch(other, by: session) }
        }
        accept(id, session, now)
    }

    // MARK: Telling

    /// The two users of a direct conversation watch each other without asking. After `welcome`, the session is told
    /// their present states.
    func tellPeers(of user: User, to session: Session, at now: Moment) {
        guard !user.peers.isEmpty else { return }
        let peers = user.peers.values.sorted { $0.number.value < $1.number.value }.prefix(limits.watchedPerSession)
        reply(presenceFrame(of: Array(peers)), to: session, at: now)
    }

    /// The tick has come: stores and tells changes.
    func presenceIsDue(at now: Moment) {
        let tick = presence.tick(isDraining: isDraining, at: now)
        for mutation in tick.mutations { store(mutation) }
        var shared: (user: User, frame: Frame)?
        for session in tick.audience {
            tell(presence.takeBatch(of: session), to: session, &shared, at: now)
        }
    }

    /// - Parameter shared: the last frame about a single user, for other sessions that are told the same.
    private func tell(
        _ users: [User], to session: Session, _ shared: inout (user: User, frame: Frame)?, at now: Moment
    ) {
        guard session.phase == .ready else { return }
        guard session.outbox.bytes <= limits.outboxCalmBytes else {
            for user in users { session.owed.insert(.presence(user.number)) }
            counters.ephemeralOwed += users.count
            if session.owed.count > limits.owedMax { shut(session, .tooSlow, at: now) }
            return
        }
        let frame: Frame
        if users.count == 1, let shared, shared.user === users[0] {
            frame = shared.frame
        } else {
            frame = presenceFrame(of: users)
            if users.count == 1 { shared = (users[0], frame) }
        }
        push(frame, to: session)
        counters.ephemeralDeliveries += 1
    }

    // MARK: Frames

    func presenceFrame(of users: [User]) -> Frame {
        builder.begin("presence")
        write(users)
        return builder.finish()
    }

    private func write(_ users: [User]) {
        builder.beginArray("users")
        for user in users {
            // Show the announced state. If we showed the live one and it flipped back before the tick, no correction
            // would follow.
            let state = user.presence.announced
            let lastSeen = user.presence.lastSeen
            builder.beginObject()
            builder.member("user", plain: user.name)
            builder.member("state", word: state.word)
            if state == .offline, lastSeen != .never { builder.member("lastSeen", lastSeen.milliseconds) }
            builder.endObject()
        }
        builder.endArray()
    }
}
