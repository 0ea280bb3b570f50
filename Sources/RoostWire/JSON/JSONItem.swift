/// The place and kind of a value in the document of a `JSONReader`. It needs its reader, and is valid until the
/// reader's next document.
public struct JSONItem: Sendable {
    /// The kind of a JSON value.
    public enum Kind: UInt8, Sendable {
        case null, `false`, `true`
        /// A number without fraction or exponent that fits an `Int64`.
        case integer
        /// Any other number, of any size; only its raw form is known.
        case number
        case string, array, object
    }

    /// The kind of the value.
    public internal(set) var kind: Kind
    /// Whether the string contains an escape, so that its text differs from what is between the quotation marks.
    @usableFromInline var hasEscapes: Bool
    /// Where it begins in the document.
    @usableFromInline var offset: UInt32
    /// Its length there in bytes, including quotation marks or brackets.
    @usableFromInline var count: UInt32
    /// The value of an `integer`, else 0.
    public internal(set) var integer: Int64

    @inline(__always)
    init(_ kind: Kind, offset: UInt32, count: UInt32, integer: Int64 = 0, hasEscapes: Bool = false) {
        self.kind = kind
        self.hasEscapes = hasEscapes
        self.offset = offset
        self.count = count
        self.integer = integer
    }
}

/// A member of an object, or an element of an array, which has an empty name.
public struct JSONMember: Sendable {
    /// The name, a string.
    @usableFromInline var name: JSONItem
    /// The value.
    public internal(set) var value: JSONItem

    @inline(__always)
    init(name: JSONItem, value: JSONItem) {
        self.name = name
        self.value = value
    }
}

/// A place among the children of an array or object.
public struct JSONChildren: Sendable {
    // Where the next child begins; nil after the last.
    var next: UInt32?
    let isObject: Bool
}
