import RoostWire

/// Bodies, which are passed on exactly as they were written.
extension CommandMembers {
    /// The raw JSON of a body that must be a text.
    func textBody() throws(Refusal) -> Text {
        guard let value = valueOrNull(.body) else { throw refusal(.body, "is missing") }
        switch textFault(value) {
        case nil: return reader.raw(value)
        case .notString: throw refusal(.body, "must be a string when kind is text")
        case .blank: throw refusal(.body, "must not be empty or all white space")
        case .long: throw refusal(.body, "must be at most \(limits.textScalars) Unicode scalars", .tooLarge)
        }
    }

    /// The raw JSON of a body that may be any value, including null.
    func anyBody() throws(Refusal) -> Text {
        guard let value = valueOrNull(.body) else { throw refusal(.body, "is missing") }
        let raw = reader.raw(value)
        guard raw.count <= limits.bodyBytes else {
            throw refusal(.body, "must be at most \(limits.bodyBytes) bytes", .tooLarge)
        }
        return raw
    }

    /// The raw JSON of an edited message's body, and why it can't be that of a text message. Whether it must be one
    /// depends on the message itself.
    func editedBody() throws(Refusal) -> (body: Text, fault: Command.TextFault?) {
        guard let value = valueOrNull(.body) else { throw refusal(.body, "is missing") }
        // A text may take more bytes than other bodies, because its limit counts scalars and not escapes.
        guard let fault = textFault(value) else { return (reader.raw(value), nil) }
        return (try anyBody(), fault)
    }

    private func textFault(_ value: JSONItem) -> Command.TextFault? {
        guard value.kind == .string else { return .notString }
        let text = text(value)
        if text.isBlank { return .blank }
        return text.hasScalars(moreThan: limits.textScalars) ? .long : nil
    }
}
