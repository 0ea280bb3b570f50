import RoostWire

/// Commands with more than one or two members.
extension CommandDecoder {
    func readHello() throws(Refusal) -> Command {
        .hello(
            Command.Hello(
                token: try members.token(),
                device: try members.optional(.device, members.name),
                isBackground: try members.flag(.background) ?? false,
                resume: try members.optional(.resume, members.position)
            )
        )
    }

    func readSend() throws(Refusal) -> Command {
        let to = try members.conversation(.to)
        let key = try members.name(.key)
        let kind = try members.optional(.kind, members.kind)
        let isText = kind.map { $0 == "text" } ?? true
        let body = isText ? try members.textBody() : try members.anyBody()
        return .send(
            Command.Send(
                to: to, key: key, kind: kind, body: body, replyTo: try members.optional(.replyTo, members.sequence))
        )
    }

    func readSignal() throws(Refusal) -> Command {
        let to = try members.conversation(.to)
        let kind = try members.optional(.kind, members.kind)
        let isText = kind.map { $0 == "text" } ?? false
        return .signal(
            Command.Signal(to: to, kind: kind, body: isText ? try members.textBody() : try members.anyBody()))
    }

    func readTarget() throws(Refusal) -> Command.Target {
        Command.Target(conversation: try members.conversation(.conversation), sequence: try members.sequence(.sequence))
    }

    func readEdit() throws(Refusal) -> Command {
        let target = try readTarget()
        let (body, isText) = try members.editedBody()
        return .edit(Command.Edit(target: target, body: body, isText: isText))
    }

    func readReact() throws(Refusal) -> Command {
        let target = try readTarget()
        let reaction = try members.reaction()
        return .react(Command.React(target: target, reaction: reaction, isRemoval: try members.flag(.remove) ?? false))
    }

    func readHistory() throws(Refusal) -> Command {
        let conversation = try members.conversation(.conversation)
        let before = try members.optional(.before, members.sequence)
        let after = try members.optional(.after, members.sequenceOrNone)
        guard before == nil || after == nil else {
            throw members.refusal(.before, "and after must not be used together")
        }
        return .history(
            Command.History(conversation: conversation, before: before, after: after, limit: try members.limit())
        )
    }

    func readMembers() throws(Refusal) -> Command {
        .members(
            conversation: try members.conversation(.conversation),
            sequence: try members.optional(.sequence, members.sequence))
    }

    func readSetRole() throws(Refusal) -> Command {
        .setRole(
            conversation: try members.conversation(.conversation), user: try members.user(.user),
            role: try members.role())
    }

    func readCreate() throws(Refusal) -> Command {
        let kind = try members.conversationKind()
        let key = try members.optional(.key, members.name)
        switch kind {
        case .group:
            let name = try members.groupName()
            let users = members.value(.members) == nil ? [] : try members.names(.members, atLeast: 0)
            return .create(Command.Create(kind: kind, name: name, members: users, key: key))
        case .direct:
            guard members.value(.name) == nil else { throw members.refusal(.name, "is only allowed for a group") }
            let users = try members.names(.members, atLeast: 0)
            guard users.count == 1 else { throw members.refusal(.members, "must name exactly one user") }
            return .create(Command.Create(kind: kind, name: nil, members: users, key: key))
        }
    }
}
