/// Reads once more a document that was refused, to show its author the fault. Slower than `read`, and it may allocate.
extension JSONReader {
    /// A fault of a member that a strict reader refuses, although it is JSON by RFC 8259.
    public enum Fault: Sendable {
        /// It is nested deeper than the reader takes.
        case tooDeep
        /// A string has the escape of half a surrogate pair.
        case halfPair
    }

    /// Calls `body` with each member of the outermost object. The name is nil if it has a fault itself.
    /// - Returns: whether the document is one object. If it isn't, the calls of `body` mean nothing.
    public mutating func readLoosely(_ body: (_ name: Text?, _ value: JSONItem, _ fault: Fault?) -> Void) -> Bool {
        var scanner = JSONScanner(UnsafePointer(document))
        scanner.skipSpace()
        guard scanner.take(UInt8(ascii: "{")) else { return false }
        scanner.skipSpace()
        var isOpen = !scanner.take(UInt8(ascii: "}"))
        while isOpen {
            let begin = scanner.at
            guard let name = scanner.looseString(), scanner.takeColon() else { return false }
            var loose = LooseValue(scanner, at: offset(scanner.at), depthMax: depthMax)
            guard loose.skip() else { return false }
            scanner = loose.scanner
            let nameItem = JSONItem(
                .string, offset: offset(begin), count: name.count, hasEscapes: name.hasEscapes)
            body(name.isWhole ? text(nameItem) : nil, loose.item, name.isWhole ? loose.fault : .halfPair)
            scanner.skipSpace()
            isOpen = scanner.take(UInt8(ascii: ","))
            if isOpen { scanner.skipSpace() } else if !scanner.take(UInt8(ascii: "}")) { return false }
        }
        scanner.skipSpace()
        return scanner.at == UnsafePointer(document) + documentCount
    }
}

/// A string as it is written.
struct LooseString {
    /// Bytes with the quotation marks.
    var count: UInt32
    var hasEscapes: Bool
    /// No half of a surrogate pair is in it.
    var isWhole: Bool
}

/// Skips one value of any depth.
private struct LooseValue {
    var scanner: JSONScanner
    /// The value. Only what has no fault may be asked for its text.
    private(set) var item: JSONItem
    private(set) var fault: JSONReader.Fault?
    private let depthMax: Int
    /// The closing brackets still expected.
    private var open: [UInt8] = []

    init(_ scanner: JSONScanner, at offset: UInt32, depthMax: Int) {
        self.scanner = scanner
        self.depthMax = depthMax
        item = JSONItem(.null, offset: offset, count: 0)
    }

    /// Moves behind the value. Returns false if there is none.
    mutating func skip() -> Bool {
        let begin = scanner.at
        repeat {
            let byte = scanner.byte
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                if open.isEmpty { item.kind = byte == UInt8(ascii: "{") ? .object : .array }
                // ASCII: `{` and `}`, and `[` and `]`, are two apart.
                open.append(byte + 2)
                if open.count >= depthMax { fault = fault ?? .tooDeep }
                scanner.at += 1
                scanner.skipSpace()
                if scanner.byte != byte + 2 {
                    guard skipName() else { return false }
                    continue
                }
            } else {
                guard skipScalar() else { return false }
            }
            guard close() else { return false }
        } while !open.isEmpty
        item.count = UInt32(truncatingIfNeeded: scanner.at - begin)
        return true
    }

    // Closes what ends here. If something is still open, moves to its next value.
    private mutating func close() -> Bool {
        while let last = open.last {
            scanner.skipSpace()
            if scanner.take(last) {
                open.removeLast()
                continue
            }
            guard scanner.take(UInt8(ascii: ",")) else { return false }
            scanner.skipSpace()
            return skipName()
        }
        return true
    }

    // Inside an object, skips a name and its colon.
    private mutating func skipName() -> Bool {
        guard open.last == UInt8(ascii: "}") else { return true }
        guard let name = scanner.looseString() else { return false }
        if !name.isWhole { fault = .halfPair }
        return scanner.takeColon()
    }

    private mutating func skipScalar() -> Bool {
        switch scanner.byte {
        case UInt8(ascii: "\""):
            guard let string = scanner.looseString() else { return false }
            if !string.isWhole { fault = .halfPair }
            note(.string, hasEscapes: string.hasEscapes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            guard let number = scanner.number() else { return false }
            note(number == nil ? .number : .integer, integer: number ?? 0)
        default:
            guard let kind = scanner.literal() else { return false }
            note(kind)
        }
        return true
    }

    private mutating func note(_ kind: JSONItem.Kind, integer: Int64 = 0, hasEscapes: Bool = false) {
        guard open.isEmpty else { return }
        item.kind = kind
        item.integer = integer
        item.hasEscapes = hasEscapes
    }
}

extension JSONScanner {
    /// Moves from an opening quotation mark to after the closing one, over halves of surrogate pairs too; nil if it
    /// isn't a string.
    mutating func looseString() -> LooseString? {
        let begin = at
        guard take(0x22) else { return nil }
        var string = LooseString(count: 0, hasEscapes: false, isWhole: true)
        while byte != 0x22 {
            guard byte >= 0x20 else { return nil }
            guard byte == 0x5C else {
                at += 1
                continue
            }
            string.hasEscapes = true
            guard at[1] == UInt8(ascii: "u") else {
                guard JSONScanner.escaped(at[1]) != nil else { return nil }
                at += 2
                continue
            }
            let escape = at
            guard scalar() == nil else { continue }
            at = escape
            guard hex() != nil else { return nil }
            string.isWhole = false
        }
        guard UTF8Form.isValid(UnsafeRawBufferPointer(start: begin, count: at - begin)) else { return nil }
        at += 1
        string.count = UInt32(truncatingIfNeeded: at - begin)
        return string
    }

    /// Skips the colon after a name, and white space around it.
    fileprivate mutating func takeColon() -> Bool {
        skipSpace()
        guard take(UInt8(ascii: ":")) else { return false }
        skipSpace()
        return true
    }
}
