import RoostFraming
import RoostWire

/// One frame as a client reads it: the members that the checker asks for again and again, taken out once, and the
/// whole object for the rest. A frame that many get is read once.
final class WireEvent {
    let kind: EventType
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

    /// nil if the payload isn't an object of a known type. Positions of another epoch count as missing.
    init?(_ payload: UnsafeRawBufferPointer, epoch: String) {
        guard let json = JSONValue(parsing: payload), let members = json.members, let type = members.first,
            type.name == "type", let word = type.value.string, let kind = EventType(rawValue: word)
        else { return nil }
        self.kind = kind
        self.json = json
        for (name, value) in members.dropFirst() {
            switch name {
            case "re": re = value.integer
            case "conversation": conversation = value.string
            case "position": position = value.string.flatMap { Position($0, epoch: epoch)?.value }
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
    var isDurable: Bool { kind.isDurable }
}
