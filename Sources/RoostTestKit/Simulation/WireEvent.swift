import RoostProtocol

/// One frame as a client reads it: the members that the checker asks for again and again, taken out once, and the
/// whole object for the rest. A frame that many get is read once.
final class WireEvent {
    enum Kind: String {
        case welcome, ok, error, message, edit, delete, react, conversation, signal, receipt, typing, presence, gap
        case drain, pong
    }

    let kind: Kind
    let json: JSONValue?
    private(set) var re: Int64?
    private(set) var conversation: String?
    private(set) var position: Int64?
    private(set) var sequence: Int64?
    private(set) var code: String?
    private(set) var from: String?
    private(set) var key: String?
    private(set) var user: String?
    private(set) var body: [UInt8]?
    private(set) var isActive = false
    private(set) var isDuplicate = false

    /// nil if the payload isn't an object of a known type.
    init?(_ payload: UnsafeRawBufferPointer) {
        guard let json = JSONValue(parsing: payload), let members = json.members, let type = members.first,
            type.name == "type", let word = type.value.string, let kind = Kind(rawValue: word)
        else { return nil }
        self.kind = kind
        self.json = json
        for (name, value) in members.dropFirst() {
            switch name {
            case "re": re = value.integer
            case "conversation": conversation = value.string
            case "position": position = value.string.flatMap { Int64($0) }
            case "sequence": sequence = value.integer
            case "code": code = value.string
            case "from": from = value.string
            case "key": key = value.string
            case "user": user = value.string
            case "body": body = value.raw
            case "active": isActive = value.bool ?? false
            case "duplicate": isDuplicate = value.bool ?? false
            default: break
            }
        }
    }

    /// Whether it is an event of the log, in its place in the order of positions.
    var isDurable: Bool {
        switch kind {
        case .message, .edit, .delete, .react, .conversation: true
        default: false
        }
    }
}

/// Puts frames together again from bytes that come a few at a time (RFC 6455, section 5.2; server to client, so
/// without mask).
struct FrameReader {
    private var bytes: [UInt8] = []

    var isEmpty: Bool { bytes.isEmpty }

    mutating func append(_ part: UnsafeRawBufferPointer) { bytes.append(contentsOf: part) }

    /// The next whole frame, header and all, and how long the header is.
    mutating func next() -> (frame: [UInt8], header: Int)? {
        guard bytes.count >= 2 else { return nil }
        var header = 2
        var length = Int(bytes[1] & 0x7F)
        if length == 126 {
            guard bytes.count >= 4 else { return nil }
            header = 4
            length = Int(bytes[2]) << 8 | Int(bytes[3])
        } else if length == 127 {
            guard bytes.count >= 10 else { return nil }
            header = 10
            length = bytes[2..<10].reduce(0) { $0 << 8 | Int($1) }
        }
        guard bytes.count >= header + length else { return nil }
        let frame = Array(bytes[..<(header + length)])
        bytes.removeFirst(header + length)
        return (frame, header)
    }
}
