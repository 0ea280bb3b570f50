import RoostWire

/// `presence`, `watch`, `unwatch`: who is here. Changes are gathered for a tick, so that many devices and quick
/// returns make one event, and told only to those who watch.
extension Relay {
    func presence(_ activity: Activity, _ id: CommandID?, _ session: Session, _ now: Moment) {
        if let user = session.user {
            if activity == .background, session.activity != .background { user.lastSeen = now.wall }
            session.activity = activity
            presenceMayChange(user, at: now)
        }
        accept(id, session, now)
    }

    func watch(_ names: [Text], _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, _) = try speaker(session)
        var wanted: [User] = []
        for name in names {
            guard let other = users[name], mayWatch(user, other) else {
                throw Refusal(.forbidden, "users: one may watch whom one shares a conversation with")
            }
            wanted.append(other)
        }
        // Somebody may be named twice.
        var new: [UserNumber: User] = [:]
        for other in wanted where session.watching[other.number] == nil { new[other.number] = other }
        guard session.watching.count + new.count <= limits.watchedPerSession else {
            throw Refusal(.tooLarge, "users: at most \(limits.watchedPerSession) per session")
        }
        for other in new.values {
            session.watching[other.number] = other
            other.watchers[session.id] = session
        }
        builder.begin("ok")
        builder.reply(to: id)
        write(wanted)
        reply(builder.finish(), to: session, at: now)
    }

    func unwatch(_ names: [Text], _ id: CommandID?, _ session: Session, _ now: Moment) {
        for name in names {
            guard let other = users[name] else { continue }
            session.watching[other.number] = nil
            other.watchers[session.id] = nil
        }
        accept(id, session, now)
    }

    /// A conversation ended that may have been the last that the user shared with somebody: who may not watch any more
    /// doesn't.
    func endWatches(of user: User) {
        for session in user.sessions {
            for other in session.watching.values where !mayWatch(user, other) {
                session.watching[other.number] = nil
                other.watchers[session.id] = nil
            }
        }
        for session in user.watchers.values {
            guard let watcher = session.user, !mayWatch(watcher, user) else { continue }
            session.watching[user.number] = nil
            user.watchers[session.id] = nil
        }
    }

    /// The two of a direct conversation watch each other as long as both are members.
    func pairUp(_ direct: Conversation) {
        guard direct.members.count == 2 else { return }
        let (one, other) = (direct.members[0].user, direct.members[1].user)
        one.peers[other.number] = other
        other.peers[one.number] = one
    }

    func part(_ pair: UserPair) {
        user(pair.low)?.peers[pair.high] = nil
        user(pair.high)?.peers[pair.low] = nil
    }

    private func mayWatch(_ user: User, _ other: User) -> Bool {
        if user === other || user.peers[other.number] != nil { return true }
        let (fewer, more) =
            user.conversations.count < other.conversations.count ? (user, other) : (other, user)
        return fewer.conversations.keys.contains { more.conversations[$0] != nil }
    }

    /// The two of a direct conversation watch each other without asking: how things stand, after `welcome`.
    func tellPeers(of user: User, to session: Session, at now: Moment) {
        guard !user.peers.isEmpty else { return }
        let peers = user.peers.values.sorted { $0.number.value < $1.number.value }.prefix(limits.watchedPerSession)
        reply(presenceFrame(of: Array(peers)), to: session, at: now)
    }

    // MARK: Changes

    /// Something happened that presence depends on; what it comes to is looked at when the tick ends.
    func presenceMayChange(_ user: User, at now: Moment) {
        guard !user.isPresenceDirty else { return }
        user.isPresenceDirty = true
        changedPresence.append(user)
    }

    func tellPresence(at now: Moment) {
        guard !changedPresence.isEmpty else { return }
        var changed: [User] = []
        swap(&changed, &changedPresence)
        var audience: [Session] = []
        for user in changed {
            user.isPresenceDirty = false
            let state = user.presence(at: now.monotonic)
            storePresence(of: user, state, at: now)
            guard state != user.announced else { continue }
            count(user.announced, -1)
            count(state, 1)
            user.announced = state
            counters.presenceChanges += 1
            // While draining everybody is about to come back: nobody is told that they left.
            guard !isDraining else { continue }
            for session in user.watchers.values { note(user, for: session, &audience) }
            for peer in user.peers.values {
                for session in peer.sessions where user.watchers[session.id] == nil {
                    note(user, for: session, &audience)
                }
            }
        }
        // In one order everywhere, so that a simulated run can be repeated.
        audience.sort { $0.id.value < $1.id.value }
        var shared: (user: User, frame: Frame)?
        for session in audience {
            var batch: [User] = []
            swap(&batch, &session.presenceBatch)
            tell(batch, to: session, &shared, at: now)
        }
    }

    private func note(_ user: User, for session: Session, _ audience: inout [Session]) {
        if session.presenceBatch.isEmpty { audience.append(session) }
        session.presenceBatch.append(user)
    }

    private func tell(
        _ batch: [User], to session: Session, _ shared: inout (user: User, frame: Frame)?, at now: Moment
    ) {
        guard session.phase == .ready else { return }
        guard session.outbox.bytes <= limits.outboxCalmBytes else {
            for user in batch { session.owed.insert(.presence(user.number)) }
            counters.ephemeralOwed += batch.count
            if session.owed.count > limits.owedMax { shut(session, .tooSlow, at: now) }
            return
        }
        let frame: Frame
        if batch.count == 1, let shared, shared.user === batch[0] {
            frame = shared.frame
        } else {
            frame = presenceFrame(of: batch)
            if batch.count == 1 { shared = (batch[0], frame) }
        }
        push(frame, to: session)
        counters.ephemeralDeliveries += 1
    }

    private func count(_ state: PresenceState, _ change: Int) {
        switch state {
        case .online: counters.usersOnline += change
        case .away: counters.usersAway += change
        case .offline: break
        }
    }

    private func storePresence(of user: User, _ state: PresenceState, at now: Moment) {
        let isOnline = state != .offline
        // A visit shorter than a tick isn't told, and yet the user was seen.
        let wasSeen = !isOnline && user.lastSeen != user.storedLastSeen
        guard isOnline != user.isStoredOnline || wasSeen, !(isOnline && isDraining) else { return }
        // After a crash this is the least that is known of when it was last here.
        if isOnline, user.sessions.contains(where: { $0.activity != .background }) { user.lastSeen = now.wall }
        storePresence(of: user, isOnline: isOnline)
    }

    func storePresence(of user: User, isOnline: Bool) {
        user.isStoredOnline = isOnline
        user.storedLastSeen = user.lastSeen
        store(.presence(user.number, isOnline: isOnline, lastSeen: user.lastSeen))
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
            // What was announced: a state that the tick ends on again would never be corrected.
            let state = user.announced
            builder.beginObject()
            builder.member("user", plain: user.name)
            builder.member("state", word: state.word)
            if state == .offline, user.lastSeen != .never { builder.member("lastSeen", user.lastSeen.milliseconds) }
            builder.endObject()
        }
        builder.endArray()
    }
}
