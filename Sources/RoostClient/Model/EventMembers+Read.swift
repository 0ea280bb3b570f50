import RoostWire

/// Converts JSON to the types of the API. Returns nil if a member is missing that Docs/Protocol.md promises.
extension EventMembers {
    func event(_ type: String) -> RoostEvent? {
        switch type {
        case "message": message().map { .message($0) }
        case "edit":
            target().map { .edited(MessageEdit(target: $0, kind: string("kind") ?? "text", body: body)) }
        case "delete": target().map { .deleted(MessageDeletion(target: $0)) }
        case "react": reaction().map { .reacted($0) }
        case "conversation": change().map { .conversation($0) }
        case "gap": string("conversation").flatMap { gap(in: $0) }.map { .gap($0) }
        case "receipt": string("conversation").flatMap { watermark(in: $0) }.map { .receipt($0) }
        case "typing": typing().map { .typing($0) }
        case "presence": .presence(presences())
        case "signal": signal().map { .signal($0) }
        case "drain": integer("after").map { .drain(.milliseconds(max(0, $0))) }
        default: nil
        }
    }

    func message() -> Message? {
        guard let conversation = string("conversation"), let sequence = sequence("sequence"),
            let position = string("position"), let from = string("from"), let time = time("time")
        else { return nil }
        return Message(
            conversation: conversation, sequence: sequence, position: position, from: from,
            device: string("device"), key: string("key"), time: time, kind: string("kind") ?? "text",
            body: body, replyTo: self.sequence("replyTo"), editedAt: self.time("editedAt"),
            deletedAt: self.time("deletedAt"), reactions: reactions())
    }

    private func reactions() -> [ReactionCount] {
        (self["reactions"]?.elements ?? []).map(EventMembers.init).compactMap { members in
            guard let reaction = members.string("reaction"), let count = members.count("count") else { return nil }
            return ReactionCount(reaction: reaction, count: count, isMine: members["mine"]?.bool ?? false)
        }
    }

    private func target() -> MessageTarget? {
        guard let conversation = string("conversation"), let sequence = sequence("sequence"),
            let position = string("position"), let from = string("from"), let time = time("time")
        else { return nil }
        return MessageTarget(
            conversation: conversation, sequence: sequence, position: position, from: from, time: time)
    }

    private func reaction() -> Reaction? {
        guard let target = target(), let reaction = string("reaction") else { return nil }
        return Reaction(target: target, reaction: reaction, isRemoved: self["removed"]?.bool ?? false)
    }

    private func change() -> ConversationChange? {
        guard let conversation = string("conversation"), let position = string("position"), let by = string("by"),
            let time = time("time"), let change = changeKind()
        else { return nil }
        return ConversationChange(conversation: conversation, position: position, by: by, time: time, change: change)
    }

    private func changeKind() -> ConversationChange.Kind? {
        switch string("event") {
        case "created":
            conversationKind("kind").map { .created(kind: $0, name: string("name"), members: strings("members")) }
        case "renamed": string("name").map { .renamed($0) }
        case "added":
            .added(
                strings("users"), kind: conversationKind("kind"), name: string("name"), members: strings("members"))
        case "removed": .removed(strings("users"))
        case "left": .left(owner: string("owner"))
        case "role": string("user").flatMap { user in role("role").map { .role(user: user, $0) } }
        default: nil
        }
    }

    func gap(in conversation: String) -> Gap? {
        guard let from = sequence("from"), let to = sequence("to") else { return nil }
        return Gap(conversation: conversation, from: from, to: to)
    }

    func watermark(in conversation: String) -> Watermark? {
        guard let user = string("user") else { return nil }
        return Watermark(
            conversation: conversation, user: user, delivered: sequence("delivered") ?? .none,
            deliveredAt: time("deliveredAt"), read: sequence("read") ?? .none, readAt: time("readAt"),
            unread: count("unread"))
    }

    private func typing() -> Typing? {
        guard let conversation = string("conversation"), let user = string("user"), let isActive = self["active"]?.bool
        else { return nil }
        return Typing(conversation: conversation, user: user, isActive: isActive)
    }

    func presences() -> [Presence] {
        (self["users"]?.elements ?? []).map(EventMembers.init).compactMap { members in
            guard let user = members.string("user"),
                let state = members.string("state").flatMap(Presence.State.init(rawValue:))
            else { return nil }
            return Presence(user: user, state: state, lastSeen: members.time("lastSeen"))
        }
    }

    private func signal() -> Signal? {
        guard let conversation = string("conversation"), let from = string("from"), let body else { return nil }
        return Signal(conversation: conversation, from: from, kind: string("kind") ?? "signal", body: body)
    }
}

extension Conversation {
    init?(_ members: EventMembers) {
        guard let id = members.string("conversation"), let kind = members.conversationKind("kind"),
            let role = members.role("role")
        else { return nil }
        self.init(
            id: id, kind: kind, name: members.string("name"), role: role, count: members.count("count") ?? 0,
            members: members.strings("members"), sequence: members.sequence("sequence") ?? .none,
            unread: members.count("unread") ?? 0, read: members.sequence("read") ?? .none,
            message: members["message"].flatMap { EventMembers($0).message() }, time: members.time("time") ?? .never)
    }
}

extension CreatedConversation {
    init?(_ members: EventMembers) {
        guard let conversation = members["conversation"].flatMap({ Conversation(EventMembers($0)) }) else { return nil }
        self.init(conversation: conversation, isDuplicate: members["duplicate"]?.bool ?? false)
    }
}

extension MemberList {
    init?(_ members: EventMembers) {
        guard let conversation = members.string("conversation"), let list = members["members"]?.elements else {
            return nil
        }
        self.members = list.map(EventMembers.init).compactMap { member in
            guard let role = member.role("role"), let watermark = member.watermark(in: conversation) else { return nil }
            return ConversationMember(role: role, watermark: watermark)
        }
        others = members.count("of")
        deliveredCount = members.count("deliveredCount")
        readCount = members.count("readCount")
    }
}

extension SendReceipt {
    init?(_ members: EventMembers) {
        guard let sequence = members.sequence("sequence"), let position = members.string("position"),
            let time = members.time("time")
        else { return nil }
        self.init(
            conversation: members.string("conversation") ?? "", sequence: sequence, position: position, time: time,
            isDuplicate: members["duplicate"]?.bool ?? false)
    }
}
