import CSimdjson
import RoostWire

/// The commands that have more than one or two members.
extension CommandDecoder {
    func readHello() throws(Refusal) -> Command {
        .hello(
            Command.Hello(
                token: try token(),
                device: try optional(.device, name),
                isBackground: try flag(.background) ?? false,
                resume: try optional(.resume, position)
            )
        )
    }

    func readSend() throws(Refusal) -> Command {
        let to = try conversation(.to)
        let key = try name(.key)
        let kind = try optional(.kind, kind)
        let isText = kind.map { $0 == "text" } ?? true
        let body = isText ? try textBody() : try anyBody()
        return .send(
            Command.Send(to: to, key: key, kind: kind, body: body, replyTo: try optional(.replyTo, sequence))
        )
    }

    func readSignal() throws(Refusal) -> Command {
        let to = try conversation(.to)
        let kind = try optional(.kind, kind)
        let isText = kind.map { $0 == "text" } ?? false
        return .signal(Command.Signal(to: to, kind: kind, body: isText ? try textBody() : try anyBody()))
    }

    func readTarget() throws(Refusal) -> Command.Target {
        Command.Target(conversation: try conversation(.conversation), sequence: try sequence(.sequence))
    }

    func readEdit() throws(Refusal) -> Command {
        let target = try readTarget()
        guard let value = valueOrNull(.body) else { throw refusal(.body, "is missing") }
        let isText = value.pointee.kind == CSJ_STRING && textFault(value) == nil
        // A text may be written longer than other bodies: its limit counts scalars, not escapes.
        return .edit(Command.Edit(target: target, body: isText ? Text(raw: value) : try anyBody(), isText: isText))
    }

    func readReact() throws(Refusal) -> Command {
        let target = try readTarget()
        let reaction = try string(.reaction)
        guard reaction.hasBytes(atMost: limits.reactionBytes) else {
            throw refusal(.reaction, "must be a string of 1 to \(limits.reactionBytes) bytes")
        }
        return .react(Command.React(target: target, reaction: reaction, isRemoval: try flag(.remove) ?? false))
    }

    func readHistory() throws(Refusal) -> Command {
        let conversation = try conversation(.conversation)
        let before = try optional(.before, sequence)
        let after = try optional(.after, sequenceOrNone)
        guard before == nil || after == nil else { throw refusal(.before, "and after must not be used together") }
        return .history(
            Command.History(conversation: conversation, before: before, after: after, limit: try limit())
        )
    }

    func readMembers() throws(Refusal) -> Command {
        .members(conversation: try conversation(.conversation), sequence: try optional(.sequence, sequence))
    }

    func readSetRole() throws(Refusal) -> Command {
        .setRole(conversation: try conversation(.conversation), user: try user(.user), role: try role())
    }

    func readCreate() throws(Refusal) -> Command {
        let kind = try conversationKind()
        let key = try optional(.key, name)
        switch kind {
        case .group:
            let name = try groupName()
            let members = value(.members) == nil ? [] : try names(.members, atLeast: 0)
            return .create(Command.Create(kind: kind, name: name, members: members, key: key))
        case .direct:
            guard value(.name) == nil else { throw refusal(.name, "is only allowed for a group") }
            let members = try names(.members, atLeast: 0)
            guard members.count == 1 else { throw refusal(.members, "must name exactly one user") }
            return .create(Command.Create(kind: kind, name: nil, members: members, key: key))
        }
    }
}
