/// Cuts bytes into lines, for input that isn't typed. Pure; a line longer than the limit is cut in pieces, so that a
/// file without line breaks takes no more memory than that.
package struct LineSplitter {
    private let bytesMax: Int
    private var partial: [UInt8] = []

    /// Lines of at most so many bytes.
    package init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// The lines that end in these bytes, without their line breaks; invalid UTF-8 is replaced.
    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == 0x0A {
                lines.append(take())
            } else {
                if partial.count >= bytesMax { lines.append(take()) }
                partial.append(byte)
            }
        }
        return lines
    }

    /// The rest at the end of the input.
    package mutating func finish() -> String? { partial.isEmpty ? nil : take() }

    private mutating func take() -> String {
        if partial.last == 0x0D { partial.removeLast() }
        defer { partial = [] }
        return String(decoding: partial, as: UTF8.self)
    }
}
