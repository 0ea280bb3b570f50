@testable import RoostFraming
@testable import RoostWire

/// libFuzzer's entry: any bytes as one message of a client. Beyond "no crash" it checks what holds for every input:
/// the same bytes give the same answer again, the client's reader agrees on what is JSON, and every text survives being
/// sent back.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // Copies the bytes to a block of exactly their size, so that AddressSanitizer notices a read of one byte too many.
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    bytes.withUnsafeBytes { input in
        let first = answer(input)
        let value = JSONValue(parsing: input)
        check(first.code != .badJSON || value == nil || isDeeperThanCommands(value), "the client's reader is stricter")
        check(value != nil || first.code != nil, "a command that isn't JSON")
        check(answer(input) == first, "the same bytes gave another answer")
        if let value { sendBack(value) }
    }
    return 0
}

nonisolated(unsafe) private let decoder = CommandDecoder(limits: Limits(), epoch: "e1")
nonisolated(unsafe) private let builder = FrameBuilder()

private struct Answer: Equatable {
    var id: CommandID?
    var code: ErrorCode?
    var reason = ""
    var body: [UInt8] = []
}

private func answer(_ input: UnsafeRawBufferPointer) -> Answer {
    do throws(Refusal) {
        let decoded = try decoder.decode(input)
        return Answer(id: decoded.id, body: touch(decoded.command))
    } catch {
        return Answer(id: error.id, code: error.code, reason: error.reason)
    }
}

// Reads every byte that a command lends, so that AddressSanitizer sees what it points to, and gives the body.
private func touch(_ command: Command) -> [UInt8] {
    switch command {
    case .hello(let hello): (hello.device?.array ?? []) + hello.token.array
    case .refresh(let token): token.array
    case .ping, .bye, .devices, .ack, .presence, .privacy: []
    case .contact(let command): touch(command)
    case .except(let users, _), .getUsers(let users), .block(let users), .unblock(let users):
        users.flatMap(\.array)
    case .setProfile(let change): touch(change)
    case .findUsers(let find): find.prefix.array + (find.after?.array ?? [])
    case .report(let report): touch(report.subject) + (report.text?.array ?? [])
    case .status(_, let text, _): text?.array ?? []
    case .send(let send):
        send.to.array + send.key.array + (send.kind?.array ?? []) + send.mentions.flatMap(\.array)
            + (send.forward?.conversation.array ?? valid(send.body))
    case .edit(let edit): edit.target.conversation.array + valid(edit.body) + edit.mentions.flatMap(\.array)
    case .delete(let target, _), .read(let target), .unread(let target): target.conversation.array
    case .setState(let set): set.key.array + (set.value.map(valid) ?? [])
    case .getState(let get): touch(get.selection) + (get.after?.array ?? [])
    case .receipts(let list): list.target.conversation.array + (list.after?.array ?? [])
    case .react(let react): react.target.conversation.array + react.reaction.array
    case .history(let history): history.conversation.array
    case .signal(let signal): signal.to.array + (signal.kind?.array ?? []) + valid(signal.body)
    case .typing(let to, _, _): to.array
    case .watch(let users, let counted), .unwatch(let users, let counted): (users + counted).flatMap(\.array)
    case .create(let create): (create.name?.array ?? []) + create.members.flatMap(\.array) + (create.key?.array ?? [])
    case .get(let conversation): conversation.array
    case .list(let before, _, _): before?.array ?? []
    case .answer(let request, _): request.array
    case .change(let change): change.conversation.array + (change.key?.array ?? []) + touch(change.kind)
    case .pins(let list): list.conversation.array + (list.before?.array ?? [])
    case .bans(let list): list.conversation.array + (list.after?.array ?? [])
    case .members(let list): list.conversation.array + (list.after?.array ?? [])
    case .invite(let command): touch(command)
    case .operator(let command): touch(command)
    }
}

private func touch(_ command: InviteCommand) -> [UInt8] {
    switch command {
    case .create(let conversation, let kind, _, _): (conversation?.array ?? []) + (kind?.array ?? [])
    case .list: []
    case .revoke(let id): id.array
    case .show(let code), .open(let code): code.array
    case .joins(let conversation): conversation?.array ?? []
    case .answerJoin(let conversation, let user, _): conversation.array + user.array
    }
}

private func touch(_ command: OperatorCommand) -> [UInt8] {
    switch command {
    case .people(let after, _): after?.array ?? []
    case .person(let user): user.array
    case .find(let prefix, let after, _): prefix.array + (after?.array ?? [])
    case .endSignIn(let name, _): name.array
    case .feed(let feed): feed.consumer.array
    case .ackFeed(let consumer, _), .forgetFeed(let consumer): consumer.array
    case .disconnect(let user, let device), .revoke(let user, let device, _): user.array + (device?.array ?? [])
    case .states(let users): users.flatMap(\.array)
    case .eraseMessages(let user, _, _): user.array
    case .eraseConversation(let conversation): conversation.array
    case .profile(let user, let change, _): user.array + touch(change)
    case .showInvitation(let code): code.array
    case .introduce(let user, let inviter): user.array + inviter.array
    case .drain, .statistics, .reports, .showReport, .removeReported: []
    case .closeReport(_, let note, let by): (note?.array ?? []) + (by?.array ?? [])
    case .whereabouts(let asked):
        switch asked.event {
        case .position: asked.after?.array ?? []
        case .message(let conversation, _): conversation.array + (asked.after?.array ?? [])
        }
    }
}

private func touch(_ change: ProfileChange) -> [UInt8] {
    [change.name, change.username, change.photo, change.bio, change.role, change.tier].compactMap { $0?.array }
        .flatMap { $0 }
}

private func touch(_ selection: Command.GetState.Selection) -> [UInt8] {
    switch selection {
    case .all: []
    case .keys(let keys): keys.flatMap(\.array)
    case .prefix(let prefix): prefix.array
    }
}

private func touch(_ command: ContactCommand) -> [UInt8] {
    switch command {
    case .invite(let user, let kind, let label): user.array + (kind?.array ?? []) + (label?.array ?? [])
    case .accept(let user, let label): user.array + (label?.array ?? [])
    case .decline(let user), .remove(let user): user.array
    case .list(let after, _, _), .prospects(let after, _): after?.array ?? []
    case .setProspect(let id, let name, let note): (id?.array ?? []) + name.array + (note?.array ?? [])
    case .removeProspect(let id): id.array
    }
}

private func touch(_ subject: Command.Report.Subject) -> [UInt8] {
    switch subject {
    case .user(let user): user.array
    case .message(let message): message.conversation.array
    }
}

private func touch(_ change: Command.Change.Kind) -> [UInt8] {
    switch change {
    case .rename(let name), .role(_, let name): name.array
    case .describe(let photo, let description): (photo?.array ?? []) + (description?.array ?? [])
    case .add(let users), .remove(let users): users.flatMap(\.array)
    case .ban(let user, _), .unban(let user), .timeout(let user, _, _): user.array
    case .expiry, .pin, .unpin, .posting, .slow, .joining, .leave: []
    }
}

// A body is put into the frames of other clients, where it must not change.
private func valid(_ body: Text) -> [UInt8] {
    builder.begin("message")
    builder.member("body", raw: body.bytes)
    builder.member("after", 1)
    let frame = builder.finish()
    let event = withExtendedLifetime(frame) { JSONValue(parsing: frame.payload) }
    check(event?["after"]?.integer == 1 && event?.members?.count == 3, "a body broke its frame")
    check(event?.members?[1].value.raw == body.array, "a body changed on its way")
    return body.array
}

private func sendBack(_ value: JSONValue) {
    var open = [value]
    while let next = open.popLast() {
        open += next.elements ?? []
        open += (next.members ?? []).map(\.value)
        guard let text = next.string else { continue }
        builder.begin("x")
        builder.member("text", text)
        let frame = builder.finish()
        let back = withExtendedLifetime(frame) { JSONValue(parsing: frame.payload)?["text"]?.string }
        check(back.map { $0.utf8.elementsEqual(text.utf8) } == true, "a text changed on its way")
    }
}

// The client's reader allows more levels, for the objects that the server puts around a body.
private func isDeeperThanCommands(_ value: JSONValue?) -> Bool {
    func depth(_ value: JSONValue) -> Int {
        1 + max((value.elements ?? []).map(depth).max() ?? 0, (value.members ?? []).map { depth($0.value) }.max() ?? 0)
    }
    return value.map { depth($0) > Limits().jsonDepth + 1 } ?? false
}

private func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
