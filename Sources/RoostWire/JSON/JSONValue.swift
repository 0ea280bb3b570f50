/// A value of a checked JSON object; clients and tests use it to read the server's events. It keeps the document alive.
/// The values of one document may be used by one thread at a time. Every accessor gives nil for a value of another
/// kind, so that a chain such as `event["limits"]?["frameBytes"]?.integer` checks everything in one expression.
public struct JSONValue {
    /// The kind of a JSON value.
    public enum Kind: Sendable {
        case null, bool, number, string, array, object
    }

    private let document: JSONDocument
    private let item: JSONItem

    /// Parses the object in these bytes, which are copied; nil if they aren't one valid JSON object in UTF-8, or if it
    /// is nested deeper than the server allows for bodies.
    public init?(parsing bytes: UnsafeRawBufferPointer) {
        guard let document = JSONDocument(bytes) else { return nil }
        self.init(document, document.root)
    }

    /// Parses the object in this text; nil as above.
    public init?(parsing text: String) {
        let bytes = Array(text.utf8)
        guard let document = bytes.withUnsafeBytes({ JSONDocument($0) }) else { return nil }
        self.init(document, document.root)
    }

    /// Whether these bytes are one JSON value of any kind, nested no deeper than the server allows for bodies.
    public static func isValid(_ json: [UInt8]) -> Bool {
        // The reader takes objects only. More than one member means that the bytes end the first one themselves.
        let object = Array("{\"body\":".utf8) + json + Array("}".utf8)
        return object.withUnsafeBytes { JSONValue(parsing: $0) }?.members?.count == 1
    }

    private init(_ document: JSONDocument, _ item: JSONItem) {
        self.document = document
        self.item = item
    }

    /// The kind of the value.
    public var kind: Kind {
        switch item.kind {
        case .null: .null
        case .false, .true: .bool
        case .integer, .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The unescaped text of a string.
    public var string: String? { item.kind == .string ? document.text(item).string : nil }

    /// The value of an integer that is written without fraction or exponent and fits.
    public var integer: Int64? { item.kind == .integer ? item.integer : nil }

    /// The value of `true` or `false`.
    public var bool: Bool? {
        switch item.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The value as it was written, without surrounding white space.
    public var raw: [UInt8] { document.raw(item).array }

    /// The elements of an array.
    public var elements: [JSONValue]? {
        guard item.kind == .array else { return nil }
        var elements: [JSONValue] = []
        document.forEachChild(of: item) { elements.append(JSONValue(document, $1)) }
        return elements
    }

    /// The members of an object in order, including repeated ones.
    public var members: [(name: String, value: JSONValue)]? {
        guard item.kind == .object else { return nil }
        var members: [(name: String, value: JSONValue)] = []
        document.forEachChild(of: item) { members.append(($0.string, JSONValue(document, $1))) }
        return members
    }

    /// The member of an object, the last one if it is repeated; nil also if it is null.
    public subscript(name: String) -> JSONValue? {
        guard item.kind == .object else { return nil }
        var found: JSONItem?
        document.forEachChild(of: item) { if $0.bytes.elementsEqual(name.utf8) { found = $1 } }
        return found.flatMap { $0.kind == .null ? nil : JSONValue(document, $0) }
    }
}
