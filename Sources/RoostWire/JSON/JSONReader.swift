/// A strict reader of JSON objects (RFC 8259) that allocates only when it is created.
///
/// It copies a document, checks all of it, and lists the members of the outermost object in raw form, so that a body
/// can be passed on byte for byte. Texts are unescaped on request. Everything it returns points into its memory and is
/// valid until the next document. One owner, one thread.
///
/// It refuses some input that other readers accept: anything around the one object, bytes that aren't UTF-8, and the
/// escape of half a surrogate pair, which UTF-8 can't hold. It accepts numbers of any size and repeated names.
public struct JSONReader: ~Copyable {
    /// The result of reading a document.
    public enum Outcome: Sendable {
        /// It is one valid object.
        case valid
        /// It isn't JSON, not one object, or not UTF-8.
        case invalid
        /// It has more bytes than the reader takes.
        case tooLong
        /// It is nested deeper than the reader takes.
        case tooDeep
        /// It is valid, and the outermost object has more members than the reader takes.
        case tooManyMembers
    }

    /// Bytes that may be read from the start of any text of the reader, so that words can be compared eight bytes at a
    /// time.
    public static let readableBytes = 16
    // Zeros after the document: enough for one wide read, and for an empty text at its end.
    private static let padding = 32

    private let bytesMax: Int
    let depthMax: Int
    private let membersMax: Int
    // The document, and the same size again for unescaped strings. Each string is unescaped at its own offset: it never
    // gets longer, so strings don't overlap, and unescaping one twice gives the same bytes.
    @usableFromInline let document: UnsafeMutablePointer<UInt8>
    @usableFromInline let texts: UnsafeMutablePointer<UInt8>
    // The closing brackets still expected.
    private let open: UnsafeMutablePointer<UInt8>
    private let list: UnsafeMutablePointer<JSONMember>
    private var memberCount = 0
    /// Bytes of the document.
    private(set) var documentCount = 0
    /// The outermost object of the last valid document.
    public private(set) var root = JSONItem(.object, offset: 0, count: 0)

    /// - Parameters:
    ///   - bytesMax: the most bytes of a document, below 2^31; a reader takes twice as many.
    ///   - depthMax: the most levels of nesting; the outermost object is the first.
    ///   - membersMax: the most members of the outermost object.
    public init(bytesMax: Int, depthMax: Int, membersMax: Int) {
        self.bytesMax = min(max(bytesMax, 0), Int(Int32.max))
        self.depthMax = max(depthMax, 1)
        self.membersMax = max(membersMax, 0)
        let room = self.bytesMax + JSONReader.padding
        document = .allocate(capacity: room)
        document.initialize(repeating: 0, count: room)
        texts = .allocate(capacity: room)
        open = .allocate(capacity: self.depthMax)
        list = .allocate(capacity: max(self.membersMax, 1))
    }

    deinit {
        document.deallocate()
        texts.deallocate()
        open.deallocate()
        list.deallocate()
    }

    // MARK: Reading

    /// Reads one document.
    public mutating func read(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        memberCount = 0
        documentCount = 0
        guard bytes.count <= bytesMax else { return .tooLong }
        if let source = bytes.baseAddress {
            UnsafeMutableRawPointer(document).copyMemory(from: source, byteCount: bytes.count)
        }
        documentCount = bytes.count
        let end = document + bytes.count
        UnsafeMutableRawPointer(end).initializeMemory(as: UInt8.self, repeating: 0, count: JSONReader.padding)
        var scanner = JSONScanner(document)
        scanner.skipSpace()
        let begin = scanner.at
        guard scanner.take(UInt8(ascii: "{")) else { return .invalid }
        let outcome = readMembers(&scanner)
        root = JSONItem(.object, offset: offset(begin), count: UInt32(truncatingIfNeeded: scanner.at - begin))
        scanner.skipSpace()
        guard outcome == .valid || outcome == .tooManyMembers else { return outcome }
        return scanner.at == UnsafePointer(end) ? outcome : .invalid
    }

    // Reads the members of the outermost object. Members beyond the limit are checked too, so that bad JSON is reported
    // rather than too many members.
    private mutating func readMembers(_ scanner: inout JSONScanner) -> Outcome {
        scanner.skipSpace()
        if scanner.take(UInt8(ascii: "}")) { return .valid }
        var count = 0
        while true {
            guard let name = readName(&scanner) else { return .invalid }
            var value = JSONItem(.null, offset: 0, count: 0)
            let outcome = readValue(&scanner, &value)
            guard outcome == .valid else { return outcome }
            if count < membersMax { (list + count).initialize(to: JSONMember(name: name, value: value)) }
            count += 1
            scanner.skipSpace()
            if scanner.take(UInt8(ascii: ",")) {
                scanner.skipSpace()
                continue
            }
            guard scanner.take(UInt8(ascii: "}")) else { return .invalid }
            guard count <= membersMax else { return .tooManyMembers }
            memberCount = count
            return .valid
        }
    }

    // Reads a name and its colon; nil if there is none.
    @inline(__always)
    private func readName(_ scanner: inout JSONScanner) -> JSONItem? {
        guard let name = readString(&scanner) else { return nil }
        scanner.skipSpace()
        guard scanner.take(UInt8(ascii: ":")) else { return nil }
        scanner.skipSpace()
        return name
    }

    @inline(__always)
    private func readString(_ scanner: inout JSONScanner) -> JSONItem? {
        let begin = scanner.at
        guard scanner.byte == 0x22, let form = scanner.string() else { return nil }
        return JSONItem(
            .string, offset: offset(begin), count: UInt32(truncatingIfNeeded: scanner.at - begin),
            hasEscapes: form == .escaped)
    }

    // Reads any value of the outermost object.
    @inline(__always)
    private func readValue(_ scanner: inout JSONScanner, _ value: inout JSONItem) -> Outcome {
        let begin = scanner.at
        switch scanner.byte {
        case UInt8(ascii: "\""):
            guard let string = readString(&scanner) else { return .invalid }
            value = string
            return .valid
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let outcome = skipContainer(&scanner)
            guard outcome == .valid else { return outcome }
            value.kind = begin.pointee == UInt8(ascii: "{") ? .object : .array
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            guard let number = scanner.number() else { return .invalid }
            value.kind = number == nil ? .number : .integer
            value.integer = number ?? 0
        default:
            guard let kind = scanner.literal() else { return .invalid }
            value.kind = kind
        }
        value.offset = offset(begin)
        value.count = UInt32(truncatingIfNeeded: scanner.at - begin)
        return .valid
    }

    // Skips an array or object inside the outermost object.
    @inline(never)
    private func skipContainer(_ scanner: inout JSONScanner) -> Outcome {
        var depth = 1
        while true {
            // A value begins here.
            let byte = scanner.byte
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                guard depth < depthMax else { return .tooDeep }
                // ASCII: `{` and `}`, and `[` and `]`, are two apart.
                open[depth] = byte + 2
                depth += 1
                scanner.at += 1
                scanner.skipSpace()
                if scanner.byte != byte + 2 {
                    if byte == UInt8(ascii: "{"), readName(&scanner) == nil { return .invalid }
                    continue
                }
            } else {
                guard skipScalar(&scanner) else { return .invalid }
                scanner.skipSpace()
            }
            while scanner.take(open[depth - 1]) {
                depth -= 1
                if depth == 1 { return .valid }
                scanner.skipSpace()
            }
            guard scanner.take(UInt8(ascii: ",")) else { return .invalid }
            scanner.skipSpace()
            if open[depth - 1] == UInt8(ascii: "}"), readName(&scanner) == nil { return .invalid }
        }
    }

    // Skips a value that is neither array nor object.
    @inline(__always)
    private func skipScalar(_ scanner: inout JSONScanner) -> Bool {
        switch scanner.byte {
        case UInt8(ascii: "\""): scanner.string() != nil
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): scanner.number() != nil
        default: scanner.literal() != nil
        }
    }

    @inline(__always)
    func offset(_ place: UnsafePointer<UInt8>) -> UInt32 {
        UInt32(truncatingIfNeeded: place - UnsafePointer(document))
    }

    // MARK: Results

    /// The members of the outermost object in order; empty if the last document wasn't valid.
    public var members: UnsafeBufferPointer<JSONMember> { UnsafeBufferPointer(start: list, count: memberCount) }

    /// The value as it was written, without surrounding white space.
    @inlinable
    public func raw(_ item: JSONItem) -> Text {
        Text(UnsafeRawBufferPointer(start: document + Int(item.offset), count: Int(item.count)))
    }

    /// The unescaped text of a string; empty for other kinds.
    @inlinable
    public func text(_ item: JSONItem) -> Text {
        guard item.kind == .string else { return Text(UnsafeRawBufferPointer(start: document, count: 0)) }
        if item.hasEscapes { return unescape(item) }
        return Text(
            UnsafeRawBufferPointer(start: document + (Int(item.offset) + 1), count: Int(item.count) - 2))
    }

    /// The unescaped name of a member; empty for an element of an array.
    @inlinable
    public func name(_ member: JSONMember) -> Text { text(member.name) }

    @usableFromInline
    func unescape(_ item: JSONItem) -> Text {
        var scanner = JSONScanner(document + (Int(item.offset) + 1))
        let start = texts + Int(item.offset)
        var to = start
        while scanner.byte != 0x22 {
            if scanner.byte != 0x5C {
                to.initialize(to: scanner.byte)
                to += 1
                scanner.at += 1
            } else if let byte = JSONScanner.escaped(scanner.at[1]) {
                to.initialize(to: byte)
                to += 1
                scanner.at += 2
            } else if let scalar = scanner.scalar() {
                for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                    to.initialize(to: byte)
                    to += 1
                }
            }
        }
        return Text(UnsafeRawBufferPointer(start: start, count: to - start))
    }

    /// Starts before the first child of an array or object; other kinds have no children.
    public func children(of item: JSONItem) -> JSONChildren {
        guard item.kind == .array || item.kind == .object else { return JSONChildren(next: nil, isObject: false) }
        var scanner = JSONScanner(document + Int(item.offset))
        scanner.at += 1
        scanner.skipSpace()
        let isEmpty = scanner.byte == UInt8(ascii: "]") || scanner.byte == UInt8(ascii: "}")
        return JSONChildren(next: isEmpty ? nil : offset(scanner.at), isObject: item.kind == .object)
    }

    /// The next child; nil after the last.
    public func next(_ children: inout JSONChildren) -> JSONMember? {
        guard let begin = children.next else { return nil }
        children.next = nil
        var scanner = JSONScanner(document + Int(begin))
        var name = JSONItem(.null, offset: begin, count: 0)
        if children.isObject {
            guard let found = readName(&scanner) else { return nil }
            name = found
        }
        var value = JSONItem(.null, offset: begin, count: 0)
        guard readValue(&scanner, &value) == .valid else { return nil }
        scanner.skipSpace()
        if scanner.take(UInt8(ascii: ",")) {
            scanner.skipSpace()
            children.next = offset(scanner.at)
        }
        return JSONMember(name: name, value: value)
    }
}
