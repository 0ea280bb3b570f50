/// A pinned message.
public struct Pin: Sendable, Equatable {
    /// Its sequence.
    public var sequence: SequenceNumber
    /// The user who pinned it.
    public var by: String
    /// When it was pinned.
    public var time: Timestamp
    /// The message; nil if it can't be read.
    public var message: Message?
}

extension Pin {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let sequence = members.sequence("sequence"), let by = members.string("by"),
            let time = members.time("time")
        else { return nil }
        self.sequence = sequence
        self.by = by
        self.time = time
        message = members.object("message").flatMap(Message.init(reading:))
    }
}

/// The answer to `conversation.pins`: one page of pinned messages, the one that was pinned last first.
public struct PinPage: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The pinned messages.
    public var pins: [Pin]
    /// The value for `before` to get the next page; nil on the last page.
    public var next: String?
}

extension PinPage {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation"), let pins = members.objects("pins") else { return nil }
        self.conversation = conversation
        self.pins = pins.compactMap(Pin.init(reading:))
        next = members.string("next")
    }
}
