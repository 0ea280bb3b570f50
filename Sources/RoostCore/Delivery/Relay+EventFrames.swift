import RoostWire

/// Durable events as JSON: the same bytes live, on catch-up and in history.
extension Relay {
    /// Writes all of an event but the end of the object.
    /// - Parameter isOwn: for a device of the user who caused it.
    func begin(_ event: StoredEvent, in conversation: Conversation, isOwn: Bool) {
        builder.begin(word(of: event.kind))
        write(event, in: conversation, isOwn: isOwn)
    }

    private func word(of kind: EventKind) -> StaticString {
        switch kind {
        case .message: "message"
        case .edit: "edit"
        case .delete: "delete"
        case .react: "react"
        case .conversation: "conversation"
        }
    }

    /// The members of an event; the object is begun.
    func write(_ event: StoredEvent, in conversation: Conversation, isOwn: Bool) {
        let sender = directory.user(event.sender)?.name ?? ""
        builder.member("conversation", plain: conversation.id)
        switch event.kind {
        case .message:
            builder.member("sequence", event.sequence.value)
            builder.member("position", event.position)
            builder.member("from", plain: sender)
            if isOwn {
                builder.member("device", plain: event.device)
                builder.member("key", plain: event.key)
            }
            builder.member("time", event.time.milliseconds)
            if event.label != "text" { builder.member("kind", plain: event.label) }
            if event.reference != .none { builder.member("replyTo", event.reference.value) }
            if event.deletedAt != .never {
                builder.member("deletedAt", event.deletedAt.milliseconds)
            } else {
                if event.editedAt != .never { builder.member("editedAt", event.editedAt.milliseconds) }
                builder.member("body", raw: event.body)
            }
        case .edit:
            builder.member("sequence", event.sequence.value)
            builder.member("position", event.position)
            builder.member("from", plain: sender)
            builder.member("time", event.time.milliseconds)
            if event.label != "text" { builder.member("kind", plain: event.label) }
            // Erased since, if the message was deleted: the deletion follows.
            if event.body.isEmpty {
                builder.member("deletedAt", event.time.milliseconds)
            } else {
                builder.member("body", raw: event.body)
            }
        case .delete, .react:
            builder.member("sequence", event.sequence.value)
            builder.member("position", event.position)
            builder.member("from", plain: sender)
            builder.member("time", event.time.milliseconds)
            guard event.kind == .react else { return }
            builder.member("reaction", event.label)
            if event.flag { builder.member("removed", true) }
        case .conversation:
            builder.member("position", event.position)
            builder.member("by", plain: sender)
            builder.member("time", event.time.milliseconds)
            event.body.withUnsafeBytes { builder.members(raw: $0) }
        }
    }

    /// A message as an element of history or the last of a conversation.
    func writeMessage(_ event: StoredEvent, in conversation: Conversation, for reader: User?) {
        write(event, in: conversation, isOwn: event.sender == reader?.number)
        guard !event.reactions.isEmpty else { return }
        builder.beginArray("reactions")
        for reaction in event.reactions {
            builder.beginObject()
            builder.member("reaction", reaction.reaction)
            builder.member("count", Int64(reaction.count))
            builder.member("mine", reaction.isMine)
            builder.endObject()
        }
        builder.endArray()
    }
}
