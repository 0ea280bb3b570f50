import RoostFraming
import RoostWire

/// Writes durable events as JSON into the shared builder. The bytes are the same live, in catch-up and in history.
struct EventFrames {
    let builder: FrameBuilder

    /// Writes an event except for the end of the object.
    /// - Parameters:
    ///   - sender: name of the user who caused it.
    ///   - isOwn: whether it is for a device of that user.
    ///   - isForOutsiders: whether it is for users who are no longer in the conversation.
    func begin(
        _ event: borrowing StoredEvent, in conversation: Conversation, from sender: String, isOwn: Bool,
        isForOutsiders: Bool = false
    ) {
        builder.begin(word(of: event.kind))
        write(event, in: conversation, from: sender, isOwn: isOwn, isForOutsiders: isForOutsiders)
    }

    /// Writes the `ok` that stands for an event, except for the end of the object.
    func beginAnswer(to id: CommandID?, _ event: borrowing StoredEvent, in conversation: Conversation) {
        builder.begin("ok")
        builder.reply(to: id)
        if event.kind == .message {
            builder.member("conversation", plain: conversation.id)
            builder.member("sequence", event.sequence.value)
        }
        builder.member("position", event.position)
        builder.member("time", event.time.milliseconds)
        if event.kind == .state { builder.member("version", event.position.value) }
        if event.kind == .edit, let extras = event.extras { builder.member("version", extras.version) }
        guard event.kind == .message, let extras = event.extras else { return }
        if extras.expires != .never { builder.member("expires", extras.expires.milliseconds) }
        guard extras.origin != nil else { return }
        writeContent(event.label, event.body, extras)
    }

    /// Writes what the sender of a repeated message can't know from its command.
    func writeAnswer(_ message: RepeatedMessage) {
        if message.expires != .never { builder.member("expires", message.expires.milliseconds) }
        if message.deletedAt != .never { builder.member("deletedAt", message.deletedAt.milliseconds) }
        guard let content = message.content else { return }
        writeContent(content.kind, content.body, Extras(origin: content.origin))
    }

    /// Writes what a message forwards.
    private func writeContent(_ kind: String, _ body: [UInt8], _ extras: Extras?) {
        if kind != "text" { builder.member("kind", plain: kind) }
        builder.member("body", raw: body)
        extras?.members.withUnsafeBytes { builder.members(raw: $0) }
    }

    /// Writes an event as an element of the feed, with the sender's device and key. An edit of a message that was
    /// deleted since has no body.
    func writeFed(_ event: borrowing StoredEvent, in conversation: Conversation, from sender: String) {
        builder.member("type", word: word(of: event.kind))
        if event.kind == .edit, event.body.isEmpty {
            builder.member("conversation", plain: conversation.id)
            writeReference(event, from: sender)
        } else {
            write(event, in: conversation, from: sender, isOwn: true)
        }
        if event.extras.isWithheld { builder.member("withheld", true) }
        guard event.kind != .message else { return }
        if !event.device.isEmpty { builder.member("device", plain: event.device) }
        if !event.key.isEmpty { builder.member("key", plain: event.key) }
    }

    /// Writes an event that isn't about a message, as an element of history.
    func writeElement(_ event: borrowing StoredEvent, in conversation: Conversation, from sender: String) {
        write(event, in: conversation, from: sender, isOwn: false)
    }

    /// Writes a message as an element of history, or as the last of a conversation.
    func writeMessage(
        _ event: borrowing StoredEvent, in conversation: Conversation, from sender: String, for reader: User?
    ) {
        write(event, in: conversation, from: sender, isOwn: event.sender == reader?.number)
        if let replies = event.replies {
            builder.beginObject("replies")
            builder.member("count", Int64(replies.count))
            builder.member("last", replies.last.value)
            builder.member("time", replies.time.milliseconds)
            builder.endObject()
        }
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

    /// Writes a placeholder of a withheld event, except for the end of the object: sequences have no holes, and nothing
    /// shows what it is or whose.
    func beginHidden(
        _ kind: EventKind, of sequence: SequenceNumber, at position: Position, _ time: Timestamp,
        in conversation: Conversation
    ) {
        builder.begin(word(of: kind))
        writeHidden(sequence, at: position, time, in: conversation)
    }

    /// Writes the place of a message that is withheld, as an element of history, or as the last of a conversation.
    func writeHidden(_ event: borrowing StoredEvent, in conversation: Conversation) {
        writeHidden(event.sequence, at: event.position, event.time, in: conversation)
    }

    private func writeHidden(
        _ sequence: SequenceNumber, at position: Position, _ time: Timestamp, in conversation: Conversation
    ) {
        builder.member("conversation", plain: conversation.id)
        builder.member("sequence", sequence.value)
        builder.member("position", position)
        builder.member("time", time.milliseconds)
        builder.member("hidden", true)
    }

    /// Begins the event of left-out messages.
    func begin(_ gap: Gap, in conversation: Conversation) {
        builder.begin("gap")
        builder.member("conversation", plain: conversation.id)
        builder.member("from", gap.from.value)
        builder.member("to", gap.to.value)
        if gap.isReset { builder.member("reset", true) }
    }

    private func word(of kind: EventKind) -> StaticString {
        switch kind {
        case .message: "message"
        case .edit: "edit"
        case .delete: "delete"
        case .react: "react"
        case .conversation: "conversation"
        case .state: "state"
        }
    }

    /// Writes the members of an event into an object that has been begun.
    private func write(
        _ event: borrowing StoredEvent, in conversation: Conversation, from sender: String, isOwn: Bool,
        isForOutsiders: Bool = false
    ) {
        guard event.kind != .state else { return writeSetting(event) }
        builder.member("conversation", plain: conversation.id)
        switch event.kind {
        case .message: writeMessage(event, from: sender, isOwn: isOwn)
        case .edit: writeEdit(event, from: sender)
        case .delete:
            writeReference(event, from: sender)
            if !event.label.isEmpty { builder.member("reason", plain: event.label) }
        case .react:
            writeReference(event, from: sender)
            builder.member("reaction", event.label)
            if event.flag { builder.member("removed", true) }
        case .conversation:
            builder.member("sequence", event.sequence.value)
            builder.member("position", event.position)
            builder.member("by", plain: sender)
            builder.member("time", event.time.milliseconds)
            event.body.withUnsafeBytes { builder.members(raw: $0) }
            if !isForOutsiders { writeAppearance(of: conversation, shownBy: event) }
        case .state: preconditionFailure("a setting has no conversation to tell")
        }
    }

    /// Writes the group's title, photo and description in an event. The log doesn't have them, so that no former name
    /// stays there: an event from before the last change contains the present ones.
    private func writeAppearance(of conversation: Conversation, shownBy event: borrowing StoredEvent) {
        guard conversation.kind == .group else { return }
        let appearance = conversation.appearance
        switch ConversationWord.of(event.body) {
        case ConversationWord.created, ConversationWord.added:
            builder.member("name", appearance.name)
            builder.details(of: appearance)
        case ConversationWord.renamed: builder.member("name", appearance.name)
        case ConversationWord.described:
            builder.member("photo", appearance.photo)
            builder.member("description", appearance.description)
        default: break
        }
    }

    /// Writes a setting, which only goes to the devices of its own user.
    private func writeSetting(_ event: borrowing StoredEvent) {
        builder.member("position", event.position)
        guard !event.label.isEmpty else { return builder.member("reset", true) }
        builder.member("key", plain: event.label)
        if !event.body.isEmpty { builder.member("value", raw: event.body) }
        builder.member("version", event.position.value)
        builder.member("device", plain: event.device)
        builder.member("time", event.time.milliseconds)
    }

    private func writeMessage(_ event: borrowing StoredEvent, from sender: String, isOwn: Bool) {
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
        if event.extras.thread != .none { builder.member("thread", event.extras.thread.value) }
        if event.flag { builder.member("read", false) }
        if let expires = event.extras?.expires, expires != .never { builder.member("expires", expires.milliseconds) }
        if event.deletedAt != .never {
            builder.member("deletedAt", event.deletedAt.milliseconds)
        } else {
            if event.editedAt != .never { builder.member("editedAt", event.editedAt.milliseconds) }
            writeBody(event)
        }
    }

    private func writeEdit(_ event: borrowing StoredEvent, from sender: String) {
        writeReference(event, from: sender)
        if event.label != "text" { builder.member("kind", plain: event.label) }
        writeBody(event)
    }

    /// Writes the body, and what the message has beside it. Nothing else may follow: `EventWindow` replaces everything
    /// from the body on.
    private func writeBody(_ event: borrowing StoredEvent) {
        builder.member("body", raw: event.body)
        event.extras?.members.withUnsafeBytes { builder.members(raw: $0) }
    }

    /// Writes which message it is about, who acted, and when.
    private func writeReference(_ event: borrowing StoredEvent, from sender: String) {
        builder.member("sequence", event.sequence.value)
        builder.member("position", event.position)
        builder.member("from", plain: sender)
        builder.member("time", event.time.milliseconds)
    }
}
