import RoostWire

/// What is wrong with a text.
enum TextFault {
    case blank
    case long
}

/// Bodies, which are passed on exactly as they were written.
extension CommandMembers {
    /// The raw JSON of a body that must be a text.
    func textBody() throws(Refusal) -> Text {
        guard let value = valueOrNull(.body) else { throw refusal(.body, "is missing") }
        guard value.kind == .string else { throw refusal(.body, "must be a string when kind is text") }
        switch textFault(value) {
        case nil: return reader.raw(value)
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

    /// The raw JSON of an edited message's body, and whether it is valid for a text message. Only the message itself
    /// tells whether that is required.
    func editedBody() throws(Refusal) -> (body: Text, isText: Bool) {
        guard let value = valueOrNull(.body) else { throw refusal(.body, "is missing") }
        // A text may take more bytes than other bodies, because its limit counts scalars and not escapes.
        if value.kind == .string, textFault(value) == nil { return (reader.raw(value), true) }
        return (try anyBody(), false)
    }

    private func textFault(_ value: JSONItem) -> TextFault? {
        let text = text(value)
        if text.isBlank { return .blank }
        return text.hasScalars(moreThan: limits.textScalars) ? .long : nil
    }
}
