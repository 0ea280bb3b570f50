import RoostWire

/// Reader for `forward` of a `send` (Docs/Protocol.md, section 5). It keeps nothing.
struct ForwardForm {
    let members: CommandMembers

    /// The message to forward; nil if there is none.
    func target() throws(Refusal) -> Command.Target? {
        guard let object = members.value(.forward) else { return nil }
        for other in [Member.kind, .body, .mentions] where members.valueOrNull(other) != nil {
            throw members.refusal(other, "must not be used together with forward")
        }
        var conversation: Text?
        var sequence: SequenceNumber?
        // The elements of an array have no names.
        var children = members.reader.children(of: object)
        while let child = members.reader.next(&children) {
            switch members.reader.name(child).find(in: Member.vocabulary) {
            case .conversation: conversation = id(child.value)
            case .sequence: sequence = number(child.value)
            default: continue
            }
        }
        guard let conversation, let sequence else {
            throw members.refusal(.forward, "must be an object that has a conversation or @ and a user, and a sequence")
        }
        return Command.Target(conversation: conversation, sequence: sequence)
    }

    private func id(_ value: JSONItem) -> Text? {
        guard value.kind == .string else { return nil }
        let text = members.text(value)
        return text.isConversation(nameBytes: members.limits.nameBytes) ? text : nil
    }

    private func number(_ value: JSONItem) -> SequenceNumber? {
        value.kind == .integer && value.integer >= 1 ? SequenceNumber(value.integer) : nil
    }
}
