import RoostCore
import RoostWire

/// An event on its way from a file into the log: what a line says, with the numbers of the store. A value.
struct ImportedEvent {
    var kind: EventKind
    var conversation: Int32
    /// A message's own; otherwise that of the last message before.
    var sequence: Int64
    var sender: Int32
    var time: Int64
    var device = ""
    var key = ""
    var label = ""
    /// A message: the one replied to. Edit, delete, react: the one meant.
    var reference: Int64 = 0
    var flag = false
    var body: [UInt8] = []
    var extras: Extras?
    /// Members mentioned in the extras.
    var mentioned: [UserNumber] = []
    var editedAt: Int64 = 0
    var deletedAt: Int64 = 0
    /// The line it came from, for messages.
    var line: Int64 = 0

    /// The event of a line. `sequence` is to be set for what isn't a message.
    init(_ event: ExportedEvent, conversation: Int32, sender: Int32) {
        kind =
            switch event.kind {
            case .message: .message
            case .edit: .edit
            case .delete: .delete
            case .react: .react
            case .change: .conversation
            }
        self.conversation = conversation
        sequence = event.sequence
        self.sender = sender
        time = event.time
        device = event.device
        key = event.key
        label = event.label
        reference =
            switch event.kind {
            case .message: event.replyTo
            case .edit, .delete, .react: event.sequence
            case .change: PinnedMessage.of(event.body)
            }
        flag = event.isRemoved || event.isUnreading
        body = event.body
        extras = event.extras.withUnsafeBytes { Extras(parsing: $0) }
        if event.isWithheld { extras = extras.withheld }
        editedAt = event.editedAt
        deletedAt = event.deletedAt
    }

    /// One message of a withheld stretch: it stands as deleted.
    init(withheld sequence: Int64, at time: Int64, conversation: Int32, sender: Int32) {
        kind = .message
        self.conversation = conversation
        self.sequence = sequence
        self.sender = sender
        self.time = time
        label = "text"
        deletedAt = time
    }

    /// A reaction that is taken back from a message. `last` is the last message of the conversation.
    init(
        takingBack reaction: String, from message: Int64, conversation: Int32, last: Int64, sender: Int32, time: Int64
    ) {
        kind = .react
        self.conversation = conversation
        sequence = last
        self.sender = sender
        self.time = time
        label = reaction
        reference = message
        flag = true
    }

    /// The event in the writer's form.
    var append: Append {
        var append = Append(
            kind, in: ConversationNumber(conversation), by: UserNumber(sender), device: device,
            at: Timestamp(milliseconds: time))
        append.key = key
        append.label = label
        append.reference = SequenceNumber(reference)
        append.flag = flag
        append.body = body
        append.extras = extras
        return append
    }
}

/// The message that a change of a conversation pins or unpins.
private enum PinnedMessage {
    /// 0 if the change is another.
    static func of(_ members: [UInt8]) -> Int64 {
        let json = [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")]
        return json.withUnsafeBytes { JSONValue(parsing: $0)?["pin"]?.integer ?? 0 }
    }
}
