import CSimdjson

/// A value of a JSON object that was checked whole: what clients and tests read the server's events with. It keeps the
/// document alive; one thread at a time may use the values of one document. Every reader gives nil for a value of
/// another kind, so that a chain such as `event["limits"]?["frameBytes"]?.integer` asks in one go whether all is there.
public struct JSONValue {
    /// What kind of JSON value it is.
    public enum Kind: Sendable {
        case null, bool, number, string, array, object
    }

    private let document: JSONDocument
    private let value: csj_value

    /// The object in these bytes, which are copied; nil if they aren't one valid JSON object in UTF-8, or if it is
    /// nested deeper than the server lets bodies be.
    public init?(parsing bytes: UnsafeRawBufferPointer) {
        guard let document = JSONDocument(bytes) else { return nil }
        self.init(document, csj_root(document.parser))
    }

    /// The object in this text; nil as above.
    public init?(parsing text: String) {
        let bytes = Array(text.utf8)
        guard let document = bytes.withUnsafeBytes({ JSONDocument($0) }) else { return nil }
        self.init(document, csj_root(document.parser))
    }

    private init(_ document: JSONDocument, _ value: csj_value) {
        self.document = document
        self.value = value
    }

    /// What kind of JSON value it is.
    public var kind: Kind {
        switch value.kind {
        case CSJ_NULL: .null
        case CSJ_FALSE, CSJ_TRUE: .bool
        case CSJ_INTEGER, CSJ_NUMBER: .number
        case CSJ_STRING: .string
        case CSJ_ARRAY: .array
        default: .object
        }
    }

    /// The unescaped text of a string.
    public var string: String? {
        guard value.kind == CSJ_STRING else { return nil }
        let bytes = UnsafeRawBufferPointer(start: value.text, count: Int(value.text_count))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value of a whole number that is written without fraction and exponent and fits.
    public var integer: Int64? { value.kind == CSJ_INTEGER ? value.integer : nil }

    /// The value of `true` or `false`.
    public var bool: Bool? {
        switch value.kind {
        case CSJ_TRUE: true
        case CSJ_FALSE: false
        default: nil
        }
    }

    /// The value as it was written, without the white space around it.
    public var raw: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: value.raw, count: Int(value.raw_count))) }

    /// The elements of an array.
    public var elements: [JSONValue]? { value.kind == CSJ_ARRAY ? children().map(\.value) : nil }

    /// The members of an object, in order and as often as they are given.
    public var members: [(name: String, value: JSONValue)]? { value.kind == CSJ_OBJECT ? children() : nil }

    /// The member of an object, the last if it is given twice; nil also if it is null.
    public subscript(name: String) -> JSONValue? {
        guard let found = members?.last(where: { $0.name == name })?.value, found.kind != .null else { return nil }
        return found
    }

    private func children() -> [(name: String, value: JSONValue)] {
        var children: [(name: String, value: JSONValue)] = []
        var value = value
        var cursor = csj_children(document.parser, &value)
        var child = csj_value()
        while csj_next(document.parser, &cursor, &child) {
            let name = UnsafeRawBufferPointer(start: child.key, count: Int(child.key_count))
            children.append((String(decoding: name, as: UTF8.self), JSONValue(document, child)))
        }
        return children
    }
}
