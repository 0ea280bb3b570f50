import RoostWire

@testable import RoostFraming

/// Decodes text. Returns what stays valid after the decoder is gone: a description of the command, or the refusal.
struct Decoding {
    let decoder: CommandDecoder

    /// The epoch of the log whose positions are accepted.
    static let epoch = "e1"

    init(_ limits: Limits = Limits()) { decoder = CommandDecoder(limits: limits, epoch: Decoding.epoch) }

    enum Outcome: Equatable {
        case command(CommandID?, String)
        case refused(CommandID?, ErrorCode, String)
    }

    func callAsFunction(_ json: String) -> Outcome { self(Array(json.utf8)) }

    func callAsFunction(_ bytes: [UInt8]) -> Outcome {
        bytes.withUnsafeBytes { buffer in
            do throws(Refusal) {
                let decoded = try decoder.decode(buffer)
                return .command(decoded.id, describe(decoded.command))
            } catch {
                return .refused(error.id, error.code, error.reason)
            }
        }
    }
}

extension Decoding.Outcome {
    var code: ErrorCode? {
        guard case .refused(_, let code, _) = self else { return nil }
        return code
    }

    var id: CommandID? {
        switch self {
        case .command(let id, _), .refused(let id, _, _): id
        }
    }

    var description: String? {
        guard case .command(_, let description) = self else { return nil }
        return description
    }

    var reason: String {
        guard case .refused(_, _, let reason) = self else { return "" }
        return reason
    }
}

/// One line that shows every member of a command.
func describe(_ command: Command) -> String {
    switch command {
    case .hello(let hello):
        words("hello", text(hello.token), text(hello.device), "\(hello.isBackground)", number(hello.resume?.value))
    case .refresh(let token): words("refresh", text(token))
    case .ping: "ping"
    case .bye: "bye"
    case .devices: "devices"
    case .send(let send):
        words("send", text(send.to), text(send.key), text(send.kind), text(send.body), number(send.replyTo?.value))
            + (send.thread.map { " | thread \($0.value)" } ?? "") + mentions(send.mentions)
            + (send.forward.map { " | forward \(target($0))" } ?? "") + (send.isReading ? "" : " | unreading")
    case .edit(let edit):
        words("edit", target(edit.target), text(edit.body), edit.textFault.map { "\($0)" } ?? "text")
            + mentions(edit.mentions)
    case .unread(let value): words("unread", target(value))
    case .delete(let value, let reason): words("delete", target(value)) + (reason.map { " | \($0.word)" } ?? "")
    case .react(let react): words("react", target(react.target), text(react.reaction), "\(react.isRemoval)")
    case .history(let history):
        words(
            "history", text(history.conversation), number(history.before?.value), number(history.after?.value),
            number(history.limit)) + (history.thread.map { " | thread \($0.value)" } ?? "")
    case .signal(let signal): words("signal", text(signal.to), text(signal.kind), text(signal.body))
    case .setState(let set): words("setState", text(set.key), text(set.value), number(set.ifVersion))
    case .getState(let get):
        words("getState", describe(get.selection), text(get.after), number(get.limit))
    case .receipts(let list): words("receipts", target(list.target), text(list.after), number(list.limit))
    case .ack(let position): words("ack", number(position.value))
    case .read(let value): words("read", target(value))
    case .typing(let to, let replyTo, let isActive): words("typing", text(to), number(replyTo?.value), "\(isActive)")
    case .presence(let activity): words("presence", "\(activity)")
    case .status(let choice, let said, let time):
        words("status", choice.map { "\($0)" } ?? "-", text(said), time.map { "\($0)" } ?? "-")
    case .privacy(let change):
        words(
            "privacy", change.presence.map { "\($0)" } ?? "-", change.lastSeen.map { "\($0)" } ?? "-",
            change.read.map { "\($0)" } ?? "-")
    case .contact(let command): describe(command)
    case .invite(let command): describe(command)
    case .except(let users, let exception): words("except", list(users), exception.map { "\($0)" } ?? "none")
    case .setProfile(let change): words("setProfile", describe(change))
    case .getUsers(let users): words("getUsers", list(users))
    case .findUsers(let find): words("findUsers", text(find.prefix), text(find.after), number(find.limit))
    case .block(let users): words("block", list(users))
    case .unblock(let users): words("unblock", list(users))
    case .report(let report): describe(report)
    case .watch(let users, let counted): words(["watch", list(users)] + counted.map(text))
    case .unwatch(let users, let counted): words(["unwatch", list(users)] + counted.map(text))
    case .create(let create):
        words("create", "\(create.kind.word)", text(create.name), list(create.members), text(create.key))
    case .get(let conversation): words("get", text(conversation))
    case .list(let before, let limit, let requests):
        words(["list", text(before), number(limit)] + (requests ? ["requests"] : []))
    case .answer(let request, let isAccepted): words(isAccepted ? "accept" : "drop", text(request))
    case .change(let change): describe(change)
    case .pins(let list): words("pins", text(list.conversation), text(list.before), number(list.limit))
    case .bans(let list): words("bans", text(list.conversation), text(list.after), number(list.limit))
    case .members(let list):
        words(
            ["members", text(list.conversation), number(list.sequence?.value), text(list.after), number(list.limit)]
                + (list.hasPresence ? ["presence"] : []))
    case .operator(let command): describe(command)
    }
}

private func describe(_ command: OperatorCommand) -> String {
    switch command {
    case .people(let after, let limit): words("people", text(after), number(limit))
    case .person(let user): words("person", text(user))
    case .whereabouts(let asked):
        switch asked.event {
        case .position(let position):
            words("whereabouts", number(position.value), text(asked.after), number(asked.limit))
        case .message(let conversation, let sequence):
            words(
                "whereabouts", text(conversation), number(sequence.value), text(asked.after), number(asked.limit))
        }
    case .disconnect(let user, let device): words("disconnect", text(user), text(device))
    case .revoke(let user, let device, let isUnknown):
        words("revoke", text(user), text(device)) + (isUnknown ? " | unknown" : "")
    case .feed(let feed):
        words(
            "feed", text(feed.consumer), feed.after.map { "\($0.value)" } ?? "-", feed.limit.map { "\($0)" } ?? "-",
            "\(feed.waits)")
    case .ackFeed(let consumer, let position): words("ackFeed", text(consumer), "\(position.value)")
    case .forgetFeed(let consumer): words("forgetFeed", text(consumer))
    case .endSignIn(let name, let until): words("endSignIn", text(name), until.map { "\($0.milliseconds)" } ?? "-")
    case .states(let users): words("states", list(users))
    case .eraseMessages(let user, let after, let until):
        words(
            "eraseMessages", text(user), after.map { "\($0.value)" } ?? "-",
            until.map { "\($0.milliseconds)" } ?? "-")
    case .eraseConversation(let conversation): words("eraseConversation", text(conversation))
    case .profile(let user, let change, let isDeleted):
        words("profile", text(user), describe(change), isDeleted.map { "\($0)" } ?? "-")
    case .drain: "drain"
    case .reports(let after, let limit, let state):
        words("reports", number(after), number(limit), state.map { "\($0)" } ?? "-")
    case .showInvitation(let code): words("showInvitation", text(code))
    case .introduce(let user, let inviter): words("introduce", text(user), text(inviter))
    case .find(let prefix, let after, let limit): words("find", text(prefix), text(after), number(limit))
    case .showReport(let report): words("showReport", number(report))
    case .removeReported(let report): words("removeReported", number(report))
    case .closeReport(let report, let note, let by):
        words("closeReport", number(report), text(note), text(by))
    case .statistics(let isActive, let limit): words("statistics", "\(isActive)", number(limit))
    }
}

private func describe(_ change: ProfileChange) -> String {
    let texts = [change.name, change.username, change.photo, change.bio, change.role, change.tier].map(text)
    return words(texts + [number(change.ifVersion)])
}

private func describe(_ selection: Command.GetState.Selection) -> String {
    switch selection {
    case .all: "all"
    case .keys(let keys): list(keys)
    case .prefix(let prefix): text(prefix) + "…"
    }
}

private func describe(_ change: Command.Change) -> String {
    let (of, key) = (text(change.conversation), text(change.key))
    return switch change.kind {
    case .rename(let name): words("rename", of, text(name), key)
    case .describe(let photo, let description): words("describe", of, text(photo), text(description), key)
    case .add(let users): words("add", of, list(users), key)
    case .remove(let users): words("remove", of, list(users), key)
    case .role(let role, let user): words("role", of, text(user), "\(role.word)", key)
    case .expiry(let time): words("expiry", of, "\(time)", key)
    case .pin(let sequence): words("pin", of, "\(sequence.value)", key)
    case .unpin(let sequence): words("unpin", of, "\(sequence.value)", key)
    case .ban(let user, let reason): words("ban", of, text(user), reason.map { "\($0.word)" } ?? "-")
    case .unban(let user): words("unban", of, text(user))
    case .timeout(let user, let time, let reason):
        words("timeout", of, text(user), "\(time)", reason.map { "\($0.word)" } ?? "-")
    case .posting(let rule): words("posting", of, "\(rule.word)")
    case .slow(let time): words("slow", of, "\(time)")
    case .joining(let rule): words("joining", of, "\(rule.word)")
    case .leave(let keeps): words(keeps ? "leave and keep" : "leave", of, key)
    }
}

private func describe(_ report: Command.Report) -> String {
    switch report.subject {
    case .user(let user): words("report", text(user), "\(report.reason)", text(report.text))
    case .message(let message): words("report", target(message), "\(report.reason)", text(report.text))
    }
}

private func describe(_ command: InviteCommand) -> String {
    switch command {
    case .create(let conversation, let kind, let uses, let milliseconds):
        words("createInvite", text(conversation), text(kind), number(uses), number(milliseconds))
    case .list: "invites"
    case .revoke(let id): words("revokeInvite", text(id))
    case .show(let code): words("showInvite", text(code))
    case .open(let code): words("openInvite", text(code))
    case .joins(let conversation): words("joins", text(conversation))
    case .answerJoin(let conversation, let user, let isAccepted):
        words(isAccepted ? "accept" : "refuse", text(conversation), text(user))
    }
}

private func words(_ words: String...) -> String { words.joined(separator: " | ") }
private func words(_ words: [String]) -> String { words.joined(separator: " | ") }
private func text(_ text: Text?) -> String { text?.string ?? "-" }
private func list(_ texts: [Text]) -> String { texts.map(\.string).joined(separator: ",") }
private func number(_ number: (some BinaryInteger)?) -> String { number.map { "\($0)" } ?? "-" }
private func target(_ target: Command.Target) -> String { "\(target.conversation.string) \(target.sequence.value)" }

private func mentions(_ names: [Text]) -> String {
    names.isEmpty ? "" : " | " + names.map(\.string).joined(separator: " ")
}

func describe(_ command: ContactCommand) -> String {
    switch command {
    case .invite(let user, let kind, let label): words("contact.invite", text(user), text(kind), text(label))
    case .accept(let user, let label): words("contact.accept", text(user), text(label))
    case .decline(let user): words("contact.decline", text(user))
    case .remove(let user): words("contact.remove", text(user))
    case .list(let after, let limit, let state):
        words("contact.list", text(after), number(limit), state.map { "\($0)" } ?? "all")
    case .setProspect(let id, let name, let note): words("prospect.set", text(id), text(name), text(note))
    case .removeProspect(let id): words("prospect.remove", text(id))
    case .prospects(let after, let limit): words("prospect.list", text(after), number(limit))
    }
}
