import RoostWire

/// The outcome of a command whose key its sender has used before. Every store decides by these rules.
extension Append {
    /// The outcome for this command.
    /// - Parameters:
    ///   - first: what was stored under the key.
    ///   - isErased: whether its conversation was erased since.
    public func outcome(repeating first: StoredEvent, isErased: Bool) -> Outcome {
        guard isErased else {
            guard repeats(first) else { return .refused(.conflict) }
            return .duplicate(
                first.position, first.sequence, first.conversation, first.time, RepeatedMessage(first))
        }
        // The last member's leaving erases a conversation, so a retry of it can't name the conversation any more.
        guard isLeaving, first.isLeaving else { return .refused(.gone) }
        guard conversation == .none else { return .refused(.conflict) }
        return .duplicate(first.position, first.sequence, .none, first.time)
    }

    /// Whether it leaves a conversation.
    public var isLeaving: Bool { kind == .conversation && ConversationWord.of(body) == ConversationWord.left }

    private func repeats(_ first: StoredEvent) -> Bool {
        guard kind == first.kind else { return false }
        switch kind {
        case .conversation: return repeatsChange(first)
        case .message:
            guard conversation == first.conversation, reference == first.reference,
                extras.thread == first.extras.thread
            else { return false }
            // It isn't stored from where it was forwarded.
            guard source == nil else { return first.extras?.origin != nil || first.deletedAt != .never }
            return label == first.label && repeatsText(first)
        case .edit, .delete, .react: return conversation == first.conversation && reference == first.reference
        // It has no key.
        case .state: return false
        }
    }

    private func repeatsChange(_ first: StoredEvent) -> Bool {
        let word = ConversationWord.of(body)
        guard word == ConversationWord.of(first.body) else { return false }
        // A repeated creation has a new number, or none in a probe, and who is in it is in the body. How a group shows
        // itself isn't: of a former name, nothing is left to compare.
        if word == ConversationWord.created { return body == first.body }
        guard conversation == first.conversation else { return false }
        // The added users that are new, and the next owner after a leaving, depend on the moment.
        return word == ConversationWord.added || word == ConversationWord.left || body == first.body
    }

    // A client may write the same text with other escapes. JSON of other kinds has many forms, and isn't compared. Nor
    // are a text and mentions that were edited or deleted since.
    private func repeatsText(_ first: StoredEvent) -> Bool {
        guard first.editedAt != .never || first.deletedAt != .never || extras.says(theSameAs: first.extras) else {
            return false
        }
        guard label == "text", first.editedAt == .never, first.deletedAt == .never, body != first.body else {
            return true
        }
        return Append.text(body) == Append.text(first.body)
    }

    private static func text(_ body: [UInt8]) -> String? {
        let object = Array("{\"body\":".utf8) + body + Array("}".utf8)
        return object.withUnsafeBytes { JSONValue(parsing: $0) }?["body"]?.string
    }
}

/// A message that is there under a repeated key, as far as its sender can't know it from the command.
public struct RepeatedMessage: Sendable, Equatable {
    /// When it disappears; `.never` if it stays.
    public var expires: Timestamp
    /// When it was deleted; `.never` if it wasn't.
    public var deletedAt: Timestamp
    /// The forwarded content; nil if there is none, or if it was deleted.
    public var content: MessageContent?

    /// Creates one.
    public init(expires: Timestamp = .never, deletedAt: Timestamp = .never, content: MessageContent? = nil) {
        self.expires = expires
        self.deletedAt = deletedAt
        self.content = content
    }

    /// The facts to add about an event; nil if there are none.
    public init?(_ first: StoredEvent) {
        guard first.kind == .message else { return nil }
        expires = first.extras?.expires ?? .never
        deletedAt = first.deletedAt
        if let origin = first.extras?.origin, deletedAt == .never {
            content = MessageContent(kind: first.label, body: first.body, origin: origin)
        }
        guard expires != .never || deletedAt != .never || content != nil else { return nil }
    }

    /// The message as it may be shown at a time: one that has disappeared by then is deleted, even if the store hasn't
    /// erased it yet.
    public func shown(at time: Timestamp) -> RepeatedMessage {
        guard deletedAt == .never, expires != .never, expires <= time else { return self }
        var message = self
        message.deletedAt = expires
        message.content = nil
        return message
    }
}

extension StoredEvent {
    /// Whether it says nothing but how its conversation shows itself.
    var isOfAppearance: Bool {
        guard kind == .conversation else { return false }
        let word = ConversationWord.of(body)
        return word == ConversationWord.renamed || word == ConversationWord.described
    }

    /// All that a store keeps of the body of a member's leaving once the conversation is erased.
    public static let leavingBody = Array("\"event\":\"left\"".utf8)

    /// Whether it is a member's leaving.
    public var isLeaving: Bool { kind == .conversation && ConversationWord.of(body) == ConversationWord.left }
}

/// The value of `event` in the body of a conversation event, which begins with this member.
enum ConversationWord {
    static let added = ArraySlice("added".utf8)
    static let created = ArraySlice("created".utf8)
    static let described = ArraySlice("described".utf8)
    static let left = ArraySlice("left".utf8)
    static let renamed = ArraySlice("renamed".utf8)
    private static let head = Array("\"event\":\"".utf8)

    static func of(_ body: [UInt8]) -> ArraySlice<UInt8> {
        guard body.starts(with: head) else { return [] }
        return body.dropFirst(head.count).prefix { $0 != UInt8(ascii: "\"") }
    }
}
