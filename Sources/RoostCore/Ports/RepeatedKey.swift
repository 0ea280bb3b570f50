import RoostWire

/// What becomes of a command whose key its sender has used before. Every store decides by these rules.
extension Append {
    /// The outcome for this command.
    /// - Parameters:
    ///   - first: what was stored under the key.
    ///   - isErased: whether its conversation was erased since.
    public func outcome(repeating first: StoredEvent, isErased: Bool) -> Outcome {
        guard isErased else {
            guard repeats(first) else { return .refused(.conflict) }
            return .duplicate(first.position, first.sequence, first.conversation, first.time)
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
            // Nothing tells later from where it was forwarded.
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
        // A repeated creation has a new number, or none in a probe, and all that it creates is in the body.
        if word == ConversationWord.created { return body == first.body }
        guard conversation == first.conversation else { return false }
        // Who is new when users are added, and who becomes owner when one leaves, depends on the moment.
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

extension StoredEvent {
    /// All that a store keeps of the body of a member's leaving once the conversation is erased.
    public static let leavingBody = Array("\"event\":\"left\"".utf8)

    /// Whether it is a member's leaving.
    public var isLeaving: Bool { kind == .conversation && ConversationWord.of(body) == ConversationWord.left }
}

/// The value of `event` in the body of a conversation event, which begins with this member.
enum ConversationWord {
    static let added = ArraySlice("added".utf8)
    static let created = ArraySlice("created".utf8)
    static let left = ArraySlice("left".utf8)
    private static let head = Array("\"event\":\"".utf8)

    static func of(_ body: [UInt8]) -> ArraySlice<UInt8> {
        guard body.starts(with: head) else { return [] }
        return body.dropFirst(head.count).prefix { $0 != UInt8(ascii: "\"") }
    }
}
