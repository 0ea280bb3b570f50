import RoostFraming
import RoostWire

/// Writes for operators a user's state as shown, where it comes from, and the state of the user's devices.
struct PersonReport {
    private let builder: FrameBuilder

    init(_ builder: FrameBuilder) { self.builder = builder }

    /// One user of a list.
    func write(_ user: User) {
        builder.beginObject()
        builder.member("user", plain: user.name)
        if let name = user.profile?.stored.name, !name.isEmpty { builder.member("name", name) }
        builder.member("state", word: user.presence.announced.state.word)
        builder.member("devices", Int64(user.sessions.count))
        builder.endObject()
    }

    /// Writes a user's state as shown. An unknown user never came.
    func write(stateOf user: User?, named name: Text) {
        builder.beginObject()
        builder.member("user", plain: user?.name ?? name.string)
        let shown = user?.presence.announced ?? .nothing
        builder.member("state", word: shown.state.word)
        if !shown.text.isEmpty { builder.member("text", shown.text) }
        if shown.state == .offline, let lastSeen = user?.presence.lastSeen, lastSeen != .never {
            builder.member("lastSeen", lastSeen.milliseconds)
        }
        builder.endObject()
    }

    /// Everything about one user.
    func write(_ user: User, in host: (any Surroundings)?, at now: Moment) {
        let cause = PresenceCause(of: user, at: now.monotonic)
        builder.member("user", plain: user.name)
        builder.member("state", word: user.shown(as: cause.state).state.word)
        builder.member("reason", sentence(user, cause, now))
        builder.member("wants", word: user.presence.status.choice.word)
        if user.presence.lastSeen != .never { builder.member("lastSeen", user.presence.lastSeen.milliseconds) }
        builder.member("watchers", Int64(user.presence.watchers.count))
        builder.member("conversations", Int64(user.conversations.count))
        write(acquaintancesOf: user)
        let revoked = user.revoked.time(of: nil)
        if revoked != .never { builder.member("revoked", revoked.milliseconds) }
        builder.beginArray("devices")
        for device in user.devices { write(device, of: user, in: host, at: now) }
        builder.endArray()
    }

    /// Writes the user's profile, and the numbers of users that it knows, has yet to answer, and has blocked: no names.
    private func write(acquaintancesOf user: User) {
        let contacts = user.contacts
        builder.member("contacts", Int64(contacts.all.count - contacts.sent - contacts.received))
        builder.member("requests", Int64(contacts.requests.received))
        builder.member("blocks", Int64(user.privacy.exceptions.values.count(where: \.isBlock)))
        guard user.profile?.isShown == true else { return }
        builder.beginObject("profile")
        builder.profile(of: user)
        builder.endObject()
    }

    private func write(_ device: Device, of user: User, in host: (any Surroundings)?, at now: Moment) {
        builder.beginObject()
        builder.member("device", plain: device.name)
        builder.member("state", word: device.session?.presence.activity.word ?? "offline")
        builder.member("position", device.cursor)
        if let session = device.session {
            builder.member("session", Int64(clamping: session.id.value))
            if let address = session.attachment.flatMap({ host?.address(of: $0) }) {
                builder.member("address", address)
            }
            builder.member("since", device.connectedAt.milliseconds)
            builder.member("heard", now.wall.milliseconds - (now.monotonic - session.life.heardAt))
            builder.member("feed", word: session.feed.state == .live ? "live" : "behind")
            builder.member("unacked", Int64(session.feed.unacked.count))
            builder.member("waitingBytes", Int64(session.outbox.bytes + session.heldBytes))
        } else if device.presence.until > now.monotonic, device.presence.until < .max {
            builder.member("until", now.wall.milliseconds + device.presence.until - now.monotonic)
        }
        if let ended = device.ends.last { builder.ended(ended) }
        let revoked = user.revoked.time(of: device.name)
        if revoked != .never { builder.member("revoked", revoked.milliseconds) }
        builder.endObject()
    }

    // MARK: Sentences

    private func sentence(_ user: User, _ cause: PresenceCause, _ now: Moment) -> String {
        let shown = user.shown(as: cause.state).state
        var text = "\(shown.word): \(because(user, cause, now))"
        if shown != cause.state { text += "; the user wants to be shown as \(shown.word)" }
        if user.presence.isChanged, user.presence.announced.state != shown {
            text += "; watchers are told in a moment"
        }
        return text
    }

    private func because(_ user: User, _ cause: PresenceCause, _ now: Moment) -> String {
        switch cause.source {
        case .device(let device): return use(of: device, cause, now)
        case .dropped(let device, let until):
            let left = until == .max ? "until the relay is back" : "for \(seconds(until - now.monotonic))"
            return "\(device.name) \(ending(of: device, now)) and may come back \(left)"
        case .restart(let until):
            return "the relay was restarted, and the user's devices may come back for "
                + seconds(until - now.monotonic)
        case .invisible:
            let connected = user.sessions.count
            return "the user wants to be invisible; \(connected) \(connected == 1 ? "device is" : "devices are") "
                + "connected"
        case .nothing:
            if let device = user.devices.first(where: { $0.session != nil }) {
                return "\(device.name) is connected in the background, which doesn't count"
            }
            guard let last = user.devices.max(by: { $0.awaySince < $1.awaySince }) else {
                return "the user has never connected"
            }
            return "no device is connected; \(last.name) \(ending(of: last, now))"
        }
    }

    private func use(of device: Device, _ cause: PresenceCause, _ now: Moment) -> String {
        let heard = device.session.map { seconds(now.monotonic - $0.life.heardAt) } ?? "some time"
        var text = "\(device.name) is \(device.session?.presence.activity.word ?? "offline")"
        if let awayAt = cause.awayAt { text += ", and away in \(seconds(awayAt - now.monotonic))" }
        return text + ", last heard \(heard) ago"
    }

    private func ending(of device: Device, _ now: Moment) -> String {
        guard let ended = device.ends.last else { return "left" }
        guard ended.time != .never else { return "left (\(ended.reason.word))" }
        return "left \(seconds(now.wall.milliseconds - ended.time.milliseconds)) ago (\(ended.reason.word))"
    }

    private func seconds(_ milliseconds: Int64) -> String { "\(max(0, milliseconds) / 1_000) s" }
}
