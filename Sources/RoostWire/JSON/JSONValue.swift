/// A value of a JSON object that was checked whole: what clients and tests read the server's events with. It keeps the
/// document alive; one thread at a time may use the values of one document. Every reader gives nil for a value of
/// another kind, so that a chain such as `event["limits"]?["frameBytes"]?.integer` asks in one go whether all is there.
public struct JSONValue {
    /// What kind of JSON value it is.
    public enum Kind: Sendable {
        case null, bool, number, string, array, object
    }

    private let document: JSONDocument
    private let item: JSONItem

    /// The object in these bytes, which are copied; nil if they aren't one valid JSON object in UTF-8, or if it is
    /// nested deeper than the server lets bodies be.
    public init?(parsing bytes: UnsafeRawBufferPointer) {
        guard let document = JSONDocument(bytes) else { return nil }
        self.init(document, document.root)
    }

    /// The object in this text; nil as above.
    public init?(parsing text: String) {
        let bytes = Array(text.utf8)
        guard let document = bytes.withUnsafeBytes({ JSONDocument($0) }) else { return nil }
        self.init(document, document.root)
    }

    private init(_ document: JSONDocument, _ item: JSONItem) {
        self.document = document
        self.item = item
    }

    /// What kind of JSON value it is.
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

    /// The value of a whole number that is written without fraction and exponent and fits.
    public var integer: Int64? { item.kind == .integer ? item.integer : nil }

    /// The value of `true` or `false`.
    public var bool: Bool? {
        switch item.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The value as it was written, without the white space around it.
    public var raw: [UInt8] { document.raw(item).array }

    /// The elements of an array.
    public var elements: [JSONValue]? {
        guard item.kind == .array else { return nil }
        var elements: [JSONValue] = []
        document.forEachChild(of: item) { elements.append(JSONValue(document, $1)) }
        return elements
    }

    /// The members of an object, in order and as often as they are given.
    public var members: [(name: String, value: JSONValue)]? {
        guard item.kind == .object else { return nil }
        var members: [(name: String, value: JSONValue)] = []
        document.forEachChild(of: item) { members.append(($0.string, JSONValue(document, $1))) }
        return members
    }

    /// The member of an object, the last if it is given twice; nil also if it is null.
    public subscript(name: String) -> JSONValue? {
        guard item.kind == .object else { return nil }
        var found: JSONItem?
        document.forEachChild(of: item) { if $0.bytes.elementsEqual(name.utf8) { found = $1 } }
        return found.flatMap { $0.kind == .null ? nil : JSONValue(document, $0) }
    }
}
