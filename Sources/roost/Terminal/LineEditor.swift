/// A line that is being typed, one byte at a time: what a terminal does itself until it is told not to. Pure: it
/// neither reads nor prints. Text is only added and taken away at the end; keys that move are ignored.
struct LineEditor {
    /// What came of some input.
    enum Action: Equatable {
        /// The line is another one.
        case changed
        /// Return; the line is empty again.
        case submitted(String)
        /// Ctrl-C.
        case interrupted
        /// Ctrl-D on an empty line.
        case ended
        /// The line is as long as it may be.
        case full
    }

    private enum Escape {
        case none, begun, sequence, single
    }

    /// The line so far.
    private(set) var text = ""
    private let scalarsMax: Int
    private var partial: [UInt8] = []
    private var escape = Escape.none
    private var lastWasReturn = false

    /// Takes at most as many Unicode scalars as a message may have.
    init(scalarsMax: Int) { self.scalarsMax = scalarsMax }

    /// Takes what was typed.
    mutating func feed(_ bytes: some Sequence<UInt8>) -> [Action] {
        var actions: [Action] = []
        for byte in bytes {
            guard let action = feed(byte) else { continue }
            // Of several changes in a row the last is enough.
            if action == .changed, actions.last == .changed { continue }
            actions.append(action)
        }
        return actions
    }

    private mutating func feed(_ byte: UInt8) -> Action? {
        if escape != .none { return skip(byte) }
        let followsReturn = lastWasReturn
        lastWasReturn = byte == 0x0D
        if byte < 0x20 || byte == 0x7F { partial = [] }
        switch byte {
        case 0x0A where followsReturn: return nil
        case 0x0A, 0x0D:
            defer { text = "" }
            return .submitted(text)
        case 0x03: return .interrupted
        case 0x04: return text.isEmpty ? .ended : nil
        case 0x08, 0x7F: return text.popLast().map { _ in .changed }
        case 0x15: return erase { $0 = "" }
        case 0x17: return erase(lastWord)
        case 0x1B:
            escape = .begun
            return nil
        case 0x09: return add(" ")
        case 0..<0x20: return nil
        default: return feedText(byte)
        }
    }

    // ECMA-48, section 5.4: parameters, then one byte from 0x40 to 0x7E.
    private mutating func skip(_ byte: UInt8) -> Action? {
        switch escape {
        case .begun where byte == UInt8(ascii: "["): escape = .sequence
        case .begun where byte == UInt8(ascii: "O"): escape = .single
        case .sequence where !(0x40...0x7E).contains(byte): break
        default: escape = .none
        }
        return nil
    }

    // RFC 3629: how many bytes follow is in the first one.
    private mutating func feedText(_ byte: UInt8) -> Action? {
        if byte & 0xC0 != 0x80 { partial = [] }
        partial.append(byte)
        guard let first = partial.first else { return nil }
        let count =
            switch first {
            case 0..<0x80: 1
            case 0xC2..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0..<0xF5: 4
            default: 0
            }
        guard count > 0 else {
            partial = []
            return nil
        }
        guard partial.count == count else { return nil }
        defer { partial = [] }
        guard let scalar = String(validating: partial, as: UTF8.self)?.unicodeScalars.first,
            scalar.properties.generalCategory != .control
        else { return nil }
        return add(scalar)
    }

    private mutating func add(_ scalar: Unicode.Scalar) -> Action {
        guard text.unicodeScalars.count < scalarsMax else { return .full }
        text.unicodeScalars.append(scalar)
        return .changed
    }

    private mutating func erase(_ change: (inout String) -> Void) -> Action? {
        guard !text.isEmpty else { return nil }
        change(&text)
        return .changed
    }

    private func lastWord(_ text: inout String) {
        while text.last?.isWhitespace == true { text.removeLast() }
        while let last = text.last, !last.isWhitespace { text.removeLast() }
    }
}
