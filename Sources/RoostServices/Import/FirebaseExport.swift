/// Cuts the output of `firebase auth:export` into users, piece by piece as the file is read. It looks at brackets and
/// strings only; whether a user is valid JSON is seen when it is read. Pure.
struct FirebaseExport {
    /// The text of one user.
    struct Entry: Sendable {
        /// Where it begins, from 1.
        var line: Int
        /// Nil if there are more bytes than a user may have.
        var bytes: [UInt8]?
    }

    /// Brackets inside brackets. Firebase's own nest four.
    private static let depthMax = 64
    private static let (object, list) = (UInt8(ascii: "{"), UInt8(ascii: "["))

    private let entryBytesMax: Int
    private var open: [UInt8] = []
    private var isInText = false
    private var isEscaped = false
    private var line = 1
    private var hasList = false
    private var isOver = false
    // The user that is being read, and how many brackets are open around it.
    private var entry: Entry?
    private var entryDepth = 0

    init(entryBytesMax: Int) { self.entryBytesMax = entryBytesMax }

    /// Hands over the users that end in this piece.
    mutating func read(_ piece: some Sequence<UInt8>, _ each: (Entry) -> Void) throws(ImportFailure) {
        for byte in piece {
            try look(at: byte)
            keep(byte)
            if entry != nil, open.count == entryDepth {
                entry.map(each)
                entry = nil
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
        }
    }

    /// There is no further piece.
    func finish() throws(ImportFailure) {
        guard isOver else { throw ImportFailure("the file ends in line \(line), within the list of users") }
        guard hasList else { throw ImportFailure("the file has no list of users") }
    }

    private mutating func look(at byte: UInt8) throws(ImportFailure) {
        guard !isInText else {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInText = false
            }
            return
        }
        switch byte {
        case FirebaseExport.object, FirebaseExport.list: try begin(byte)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            // ASCII: `{` and `}`, and `[` and `]`, are two apart.
            guard open.popLast() == byte - 2 else { throw broken }
            isOver = open.isEmpty
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
        default:
            // Only brackets stand at the top.
            guard !open.isEmpty else { throw broken }
            isInText = byte == UInt8(ascii: "\"")
        }
    }

    private mutating func begin(_ bracket: UInt8) throws(ImportFailure) {
        guard open.count < FirebaseExport.depthMax, !isOver else { throw broken }
        let isInList = open == [FirebaseExport.object, FirebaseExport.list] || open == [FirebaseExport.list]
        if isInList, bracket == FirebaseExport.object {
            entry = Entry(line: line, bytes: [])
            entryDepth = open.count
        }
        open.append(bracket)
        if bracket == FirebaseExport.list, open.count <= 2 { hasList = true }
    }

    private mutating func keep(_ byte: UInt8) {
        guard let count = entry?.bytes?.count else { return }
        if count < entryBytesMax { entry?.bytes?.append(byte) } else { entry?.bytes = nil }
    }

    private var broken: ImportFailure {
        ImportFailure("line \(line): this isn't what firebase auth:export writes as JSON")
    }
}

/// Why a file can't be read to its end.
package struct ImportFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
