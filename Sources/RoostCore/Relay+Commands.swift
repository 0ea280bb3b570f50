import RoostFraming
import RoostWire

/// From a frame to the verb that handles it. The switch is the table of contents of this module.
extension Relay {
    /// A whole text message arrived.
    public func receive(_ message: UnsafeRawBufferPointer, from session: Session, at now: Moment) {
        input(arrivals: 1, at: now) {
            sessions.heard(session, at: now)
            guard session.phase != .ended else { return }
            counters.commands += 1
            var id: CommandID?
            do throws(Refusal) {
                let decoded = try decoder.decode(message)
                id = decoded.id
                sessions.noteWellFormed(session)
                try prices.pay(decoded.command, bytes: message.count, by: session, at: now)
                try sessions.authorize(
                    decoded.command, isActing: decoded.principal != nil, of: session, at: now)
                if decoded.namesPrincipal, session.user != nil { try session.checkActing() }
                if decoded.command.isStored { try delivery.checkAhead(of: session) }
                if decoded.command.isRead { try delivery.room.checkMemory(for: session) }
                try perform(decoded, session, now)
            } catch {
                self.session.refuse(error, id, session, now)
            }
        }
    }

    private func perform(_ decoded: DecodedCommand, _ session: Session, _ now: Moment) throws(Refusal) {
        let id = decoded.id
        switch decoded.command {
        case .hello(let hello): try self.session.hello(hello, id, session)
        case .refresh(let token): try self.session.refresh(token, id, session)
        case .ping: self.session.ping(id, session, now)
        case .bye: self.session.bye(id, session)
        case .devices: try self.session.devices(id, session)
        case .send, .edit, .delete, .react, .signal, .history, .get, .list, .members, .pins, .bans, .create, .change,
            .setState, .getState, .receipts, .contact, .invite, .answer:
            guard let name = decoded.principal else {
                return try perform(decoded.command, by: try session.ownSpeaker(), id, session, now)
            }
            try perform(decoded.command, for: name, id, session, now)
        case .ack(let position): try receipt.ack(position, id, session, now)
        case .read(let target): try receipt.read(target, id, session, now)
        case .unread(let target): try receipt.unread(target, id, session, now)
        case .typing(let to, let thread, let isActive): try typing.set(to, isActive, in: thread, id, session, now)
        case .presence(let activity): try presence.set(activity, id, session, now)
        case .status(let choice, let text, let time):
            try presence.status.set(choice, text, after: time, id, session, now)
        case .privacy(let change): try privacy.set(change, id, session, now)
        case .except(let users, let exception): try privacy.except(users, exception, id, session, now)
        case .setProfile(let change): try profile.set(change, id, session, now)
        case .getUsers(let users): try profile.get(users, id, session, now)
        case .findUsers(let asked): try profile.find(asked, id, session, now)
        case .block(let users): try privacy.block(users, id, session, now)
        case .unblock(let users): try privacy.unblock(users, id, session, now)
        case .report(let report): try operators.reports.report(report, id, session, now)
        case .watch(let users, let counted): try presence.watch(users, counted, id, session, now)
        case .unwatch(let users, let counted): presence.unwatch(users, counted, id, session, now)
        case .operator(let command): try operators.perform(command, id, session, now)
        }
    }

    private var requests: RequestCommands { RequestCommands(conversations: conversation, prices: prices) }

    /// Commands of users to each other, and queries about them.
    @inline(__always)
    private func perform(
        _ command: Command, by speaker: Speaker, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        var asker: Asker { Asker(session: session, user: speaker.user, id: id) }
        switch command {
        case .send(let send): try message.send(send, by: speaker, id, session, now)
        case .edit(let edit): try message.edit(edit, by: speaker, id, session, now)
        case .delete(let target, let reason): try message.delete(target, reason, by: speaker, id, session, now)
        case .react(let react): try message.react(react, by: speaker, id, session, now)
        case .signal(let signal): try message.signal(signal, by: speaker, id, session, now)
        case .history(let history): try query.history(history, asker)
        case .get(let conversation): try query.get(conversation, asker)
        case .list(let before, let limit, let requests):
            try query.list(before, limit, requests: requests, asker, now)
        case .members(let list): try query.members(list, asker, now)
        case .pins(let list): try query.pins(list, asker)
        case .bans(let list): try query.bans(list, asker)
        case .create(let create): try conversation.create(create, by: speaker, id, session, now)
        case .change(let change): try conversation.change(change, by: speaker, id, session, now)
        case .setState(let set): try setting.set(set, by: speaker, id, session, now)
        case .getState(let get): try setting.get(get, asker)
        case .receipts(let list): try receipt.listing.list(list, asker)
        case .contact(let command):
            let waiting = try requests.reserve(for: command, by: speaker.user)
            try contact.perform(command, asker, now)
            if let waiting { requests.accept(waiting, by: speaker, betweenContacts: now) }
        case .invite(let command): try operators.invites.perform(command, by: speaker, asker, now)
        case .answer(let name, let isAccepted):
            try requests.answer(name, isAccepted: isAccepted, by: speaker, id, session, now)
        default: preconditionFailure("a command that nobody speaks")
        }
    }

    /// A service sends the same as a user, who needn't have come yet to write to another or to open a conversation. A
    /// refused command makes no user.
    @inline(never)
    private func perform(
        _ command: Command, for name: Text, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try session.checkActing()
        let user = try principal(of: command, named: name)
        do throws(Refusal) {
            try perform(command, by: Speaker(user), id, session, now)
        } catch {
            directory.forgetIfNobody(user)
            throw error
        }
    }

    /// The user that a service acts as. It is named by its id alone: a username may be another user's by now.
    private func principal(of command: Command, named name: Text) throws(Refusal) -> User {
        var user = directory.user(named: name)
        if user == nil, directory.policy.rules.unknown == .allow {
            switch command {
            case .send, .create, .contact(.invite), .invite(.create), .invite(.open):
                user = try directory.introduce(name.string)
            default: break
            }
        }
        guard let user else { throw Refusal(.notFound, "as: nobody has this name") }
        try directory.policy.checkThere([.known(user)])
        return user
    }
}

extension Command {
    /// Whether the command stores an event, whose position is in its answer.
    fileprivate var isStored: Bool {
        switch self {
        case .send, .edit, .delete, .react, .create, .change, .setState, .answer, .invite(.open), .invite(.answerJoin):
            true
        default: false
        }
    }

    /// Whether its answer may be large.
    fileprivate var isRead: Bool {
        switch self {
        case .history, .get, .list, .members, .pins, .bans, .privacy, .getUsers, .findUsers, .getState, .receipts,
            .unread, .contact(.list), .contact(.prospects), .operator:
            true
        default: false
        }
    }
}
