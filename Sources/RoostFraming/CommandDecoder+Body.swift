import CSimdjson
import RoostWire

/// What is wrong with a text.
enum TextFault {
    case blank
    case long
}

/// Bodies, which are passed on as they were written.
extension CommandDecoder {
    /// The raw JSON of a body that has to be a text.
    func textBody() throws(Refusal) -> Text {
        guard let value = valueOrNull(.body) else { throw refusal(.body, "is missing") }
        guard value.pointee.kind == CSJ_STRING else { throw refusal(.body, "must be a string when kind is text") }
        switch textFault(value) {
        case nil: return Text(raw: value)
        case .blank: throw refusal(.body, "must not be empty or all white space")
        case .long: throw refusal(.body, "must be at most \(limits.textScalars) Unicode scalars", .tooLarge)
        }
    }

    /// The raw JSON of a body that may be anything, null too.
    func anyBody() throws(Refusal) -> Text {
        guard let value = valueOrNull(.body) else { throw refusal(.body, "is missing") }
        guard Int(value.pointee.raw_count) <= limits.bodyBytes else {
            throw refusal(.body, "must be at most \(limits.bodyBytes) bytes", .tooLarge)
        }
        return Text(raw: value)
    }

    func textFault(_ value: UnsafePointer<csj_value>) -> TextFault? {
        let text = Text(value)
        if text.isBlank { return .blank }
        return text.hasScalars(moreThan: limits.textScalars) ? .long : nil
    }
}
