/// A key, or what a terminal sends like one.
enum Key: Equatable, Sendable {
    case text(String)
    case paste(String)
    case enter
    /// A line break in what is written: Alt-Enter, Ctrl-J.
    case newline
    case tab, backTab, escape
    case backspace, delete
    case up, down, left, right
    case home, end
    case pageUp, pageDown
    case wordLeft, wordRight
    case alternate(Key.Arrow)
    /// Ctrl with a letter, in lower case.
    case control(Character)
    /// Alt with a letter.
    case meta(Character)

    enum Arrow: Sendable { case up, down }
}

/// Makes keys of the bytes that a terminal sends (ECMA-48, and xterm's for modified keys and bracketed paste). Pure.
struct KeyParser {
    // A paste is text for one message; what is longer couldn't be sent anyway.
    private let pasteMax: Int
    private var pending: [UInt8] = []
    private var pasted: [UInt8]?

    init(pasteMax: Int) { self.pasteMax = pasteMax }

    /// Whether more bytes may belong to what has come: a lone escape is a key if nothing follows soon.
    var isWaiting: Bool { !pending.isEmpty && pasted == nil }

    mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
        pending.append(contentsOf: bytes)
        return take(isEnd: false)
    }

    /// Nothing more has come.
    mutating func flush() -> [Key] { take(isEnd: true) }

    private mutating func take(isEnd: Bool) -> [Key] {
        var keys: [Key] = []
        while !pending.isEmpty {
            if pasted != nil {
                guard let key = takePaste() else { break }
                keys.append(key)
                continue
            }
            guard let (key, count) = next(isEnd) else { break }
            pending.removeFirst(count)
            guard let key else { continue }
            // Text that comes together is one key, so that pasting without brackets is not slow.
            if case .text(let text) = key, case .text(let before)? = keys.last {
                keys[keys.count - 1] = .text(before + text)
            } else {
                keys.append(key)
            }
        }
        return keys
    }

    // MARK: Paste

    private static let pasteBegin = Array("\u{1B}[200~".utf8)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private mutating func takePaste() -> Key? {
        let end = pending.firstRange(of: KeyParser.pasteEnd)
        // The end may come in two pieces.
        let count = end?.lowerBound ?? max(0, pending.count - KeyParser.pasteEnd.count)
        let room = max(0, pasteMax - (pasted?.count ?? 0))
        pasted?.append(contentsOf: pending[..<count].prefix(room))
        pending.removeFirst(end?.upperBound ?? count)
        guard end != nil, let text = pasted else { return nil }
        pasted = nil
        return .paste(String(decoding: text, as: UTF8.self))
    }

    // MARK: Keys

    // The next key and how many bytes it takes; nil if more must come.
    private mutating func next(_ isEnd: Bool) -> (Key?, Int)? {
        guard let first = pending.first else { return nil }
        switch first {
        case 0x1B: return escape(isEnd)
        case 0x0D: return (.enter, 1)
        case 0x0A: return (.newline, 1)
        case 0x09: return (.tab, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x01...0x1A: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
        case 0..<0x20: return (nil, 1)
        default: return text(isEnd)
        }
    }

    // RFC 3629: how many bytes follow is in the first one.
    private func text(_ isEnd: Bool) -> (Key?, Int)? {
        let length =
            switch pending[0] {
            case 0..<0x80: 1
            case 0xC2..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0..<0xF5: 4
            default: 0
            }
        guard length > 0 else { return (nil, 1) }
        guard pending.count >= length else {
            // Half a character is none.
            if isEnd || pending.dropFirst().contains(where: { $0 & 0xC0 != 0x80 }) { return (nil, 1) }
            return nil
        }
        guard let text = String(validating: pending[..<length], as: UTF8.self) else { return (nil, 1) }
        let isText = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return (isText ? .text(text) : nil, length)
    }

    private mutating func escape(_ isEnd: Bool) -> (Key?, Int)? {
        guard pending.count > 1 else { return isEnd ? (.escape, 1) : nil }
        switch pending[1] {
        case UInt8(ascii: "["): return sequence(isEnd)
        case UInt8(ascii: "O"):
            guard pending.count > 2 else { return isEnd ? (.meta("O"), 2) : nil }
            return (KeyParser.final(pending[2], ""), 3)
        case 0x1B: return (.escape, 1)
        case 0x0D, 0x0A: return (.newline, 2)
        case 0x08, 0x7F: return (.control("w"), 2)
        case 0x21..<0x7F: return (.meta(Character(Unicode.Scalar(pending[1]))), 2)
        default: return (nil, 2)
        }
    }

    // ECMA-48, section 5.4: parameters, then one byte from 0x40 to 0x7E.
    private mutating func sequence(_ isEnd: Bool) -> (Key?, Int)? {
        guard let last = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
            // No sequence is that long.
            return isEnd || pending.count > 32 ? (nil, pending.count) : nil
        }
        let words = String(decoding: pending[2..<last], as: UTF8.self)
        if pending[last] == UInt8(ascii: "~"), words == "200" {
            pasted = []
            return (nil, last + 1)
        }
        return (KeyParser.final(pending[last], words), last + 1)
    }

    private static func final(_ byte: UInt8, _ words: String) -> Key? {
        let parts = words.split(separator: ";").map(String.init)
        let modifier = parts.count > 1 ? (Int(parts[1]) ?? 1) - 1 : 0
        let (isAlternate, isControl) = (modifier & 2 != 0, modifier & 4 != 0)
        switch byte {
        case UInt8(ascii: "A"): return isAlternate || isControl ? .alternate(.up) : .up
        case UInt8(ascii: "B"): return isAlternate || isControl ? .alternate(.down) : .down
        case UInt8(ascii: "C"): return isAlternate || isControl ? .wordRight : .right
        case UInt8(ascii: "D"): return isAlternate || isControl ? .wordLeft : .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "Z"): return .backTab
        case UInt8(ascii: "M"): return .enter
        case UInt8(ascii: "~"):
            switch parts.first {
            case "1", "7": return .home
            case "4", "8": return .end
            case "3": return .delete
            case "5": return .pageUp
            case "6": return .pageDown
            default: return nil
            }
        default: return nil
        }
    }
}
