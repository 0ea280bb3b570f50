import RoostWire

/// From a frame to the verb that handles it. The switch is the table of contents of this module.
extension Relay {
    /// A whole text message came.
    public func receive(_ message: UnsafeRawBufferPointer, from session: Session, at now: Moment) {
        arrivals += 1
        session.heardAt = now.monotonic
        session.pingedAt = nil
        guard session.phase != .ended else { return }
        counters.commands += 1
        var id: CommandID?
        do throws(Refusal) {
            let decoded = try decoder.decode(message)
            id = decoded.id
            session.malformed = 0
            try spend(decoded.command.cost, from: session, at: now)
            try authorize(decoded.command, of: session)
            try perform(decoded.command, id, session, now)
        } catch {
            var refusal = error
            if refusal.id == nil { refusal.id = id }
            deliverRun()
            refuse(refusal, to: session, at: now)
            guard refusal.code == .badJSON || refusal.code == .badRequest || refusal.code == .unknownType else {
                return
            }
            session.malformed += 1
            if session.malformed >= limits.malformedMax { shut(session, .malformed, at: now) }
        }
    }

    private func perform(
        _ command: Command, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        if case .signal(let signal) = command { return try self.signal(signal, id, session, now) }
        deliverRun()
        switch command {
        case .hello(let hello): try greet(hello, id, session, now)
        case .refresh(let token): try refresh(token, id, session, now)
        case .ping: pong(id, session, now)
        case .bye: bye(id, session, now)
        case .send(let send): try self.send(send, id, session, now)
        case .edit(let edit): try self.edit(edit, id, session, now)
        case .delete(let target): try delete(target, id, session, now)
        case .react(let react): try self.react(react, id, session, now)
        case .history(let history): try self.history(history, id, session, now)
        case .signal: return
        case .ack(let position): try ack(position, id, session, now)
        case .read(let target): try read(target, id, session, now)
        case .typing(let to, let isActive): try setTyping(to, isActive, id, session, now)
        case .presence(let activity): setPresence(activity, id, session, now)
        case .watch(let users): try watch(users, id, session, now)
        case .unwatch(let users): unwatch(users, id, session, now)
        case .create(let create): try self.create(create, id, session, now)
        case .list(let before, let limit): try list(before, limit, id, session, now)
        case .rename(let conversation, let name): try rename(conversation, name, id, session, now)
        case .add(let conversation, let users): try add(users, to: conversation, id, session, now)
        case .remove(let conversation, let users): try remove(users, from: conversation, id, session, now)
        case .setRole(let conversation, let user, let role): try setRole(role, user, conversation, id, session, now)
        case .members(let conversation, let sequence): try members(conversation, sequence, id, session, now)
        case .leave(let conversation): try leave(conversation, id, session, now)
        }
    }

    /// What may be said when: `hello` first and once; with an expired token only what mends it.
    private func authorize(_ command: Command, of session: Session) throws(Refusal) {
        switch (command, session.phase) {
        case (.hello, .awaitingHello), (.ping, .ready), (.bye, _), (.refresh, .ready): return
        case (.hello, _): throw Refusal(.notReady, "hello was said already")
        case (_, .ready):
            if let ends = session.tokenEndsAt, ends <= session.heardAt {
                throw Refusal(.tokenExpired, "the token has expired: send refresh")
            }
        default: throw Refusal(.notReady, "say hello and wait for welcome first")
        }
    }

    /// Takes a command's cost from the bucket of this session; none costs more than a full bucket holds.
    private func spend(_ cost: Int64, from session: Session, at now: Moment) throws(Refusal) {
        let rate = Int64(limits.commandsPerSecond)
        let passed = min(now.monotonic - session.allowanceAt, 2_000)
        if passed > 0 {
            session.allowance = min(session.allowance + passed * rate, rate * 2_000)
            session.allowanceAt = now.monotonic
        }
        let price = min(cost, rate * 2) * 1_000
        guard session.allowance >= price else {
            throw Refusal(
                .rateLimited, "more than \(rate) commands per second", retryAfterMilliseconds: max(1, 1_000 / rate))
        }
        session.allowance -= price
    }

    // MARK: Replies

    func refuse(_ refusal: Refusal, to session: Session, at now: Moment) {
        counters.errors[Int(refusal.code.rawValue)] += 1
        builder.begin("error")
        builder.reply(to: refusal.id)
        builder.member("code", word: refusal.code.word)
        builder.member("reason", refusal.reason)
        builder.member("retry", refusal.code.isTemporary)
        if let wait = refusal.retryAfterMilliseconds { builder.member("retryAfter", wait) }
        reply(builder.finish(), to: session, at: now)
    }

    /// `ok` without more, if an answer was asked for.
    func accept(_ id: CommandID?, _ session: Session, _ now: Moment) {
        guard let id else { return }
        builder.begin("ok")
        builder.reply(to: id)
        reply(builder.finish(), to: session, at: now)
    }

    // MARK: What commands name

    /// The user and device of a ready session.
    func speaker(_ session: Session) throws(Refusal) -> (user: User, device: Device) {
        guard let user = session.user, let device = session.device else {
            throw Refusal(.notReady, "say hello and wait for welcome first")
        }
        return (user, device)
    }
}

extension Command {
    /// What the command takes from the bucket: one, and more for what makes more work than a message does.
    var cost: Int64 {
        switch self {
        case .watch(let names), .unwatch(let names), .add(_, let names), .remove(_, let names):
            1 + Int64(names.count) / 10
        case .create(let create): 1 + Int64(create.members.count) / 10
        case .list, .members: 10
        default: 1
        }
    }
}
