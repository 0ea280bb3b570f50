import RoostWire

/// Writes lines of an export into one buffer, which whoever owns it empties. Belongs to one thread.
struct ExportLineWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func write(_ line: ExportLine) {
        switch line {
        case .header(let header): write(header)
        case .user(let user):
            begin("user")
            member("user", user.name)
            member("lastSeen", unlessZero: user.lastSeen)
        case .conversation(let conversation):
            begin("conversation")
            member("conversation", conversation.id)
            member("kind", "\(conversation.kind.word)")
            if conversation.kind == .group { member("name", conversation.name) }
        case .member(let one): write(one)
        case .device(let device):
            begin("device")
            member("user", device.user)
            member("device", device.name)
            member("acked", unlessZero: device.acked)
        case .event(let event): write(event)
        case .withheld(let messages):
            begin("withheld")
            member("conversation", messages.conversation)
            member("first", messages.first)
            member("last", messages.last)
            member("position", messages.position)
            member("time", messages.time)
        case .end(let lines):
            begin("end")
            member("lines", lines)
        }
        bytes.append(UInt8(ascii: "}"))
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func write(_ header: ExportHeader) {
        begin("export")
        member("format", ExportLine.format)
        switch header.scope {
        case .all: member("scope", "all")
        case .user(let name):
            member("scope", "user")
            member("user", name)
        case .conversation(let id):
            member("scope", "conversation")
            member("conversation", id)
        }
        member("epoch", header.epoch)
        member("head", header.head)
        member("time", header.time)
    }

    private mutating func write(_ one: ExportedMember) {
        begin("member")
        member("conversation", one.conversation)
        member("user", one.user)
        if let role = one.role { member("role", "\(role.word)") }
        member("since", unlessZero: one.since)
        member("joined", unlessZero: one.joined)
        member("left", unlessZero: one.left)
        member("delivered", unlessZero: one.delivered)
        member("deliveredAt", unlessZero: one.deliveredAt)
        member("read", unlessZero: one.read)
        member("readAt", unlessZero: one.readAt)
    }

    private mutating func write(_ event: ExportedEvent) {
        begin(event.kind.rawValue)
        member("conversation", event.conversation)
        member("sequence", unlessZero: event.sequence)
        member("position", event.position)
        member("from", event.from)
        member("time", event.time)
        if !event.device.isEmpty { member("device", event.device) }
        if !event.key.isEmpty { member("key", event.key) }
        switch event.kind {
        case .message:
            if event.label != "text" { member("kind", event.label) }
            member("replyTo", unlessZero: event.replyTo)
            member("editedAt", unlessZero: event.editedAt)
            member("deletedAt", unlessZero: event.deletedAt)
            if event.deletedAt == 0 { writeBody(event.body) }
        case .react:
            member("reaction", event.label)
            if event.isRemoved {
                key("removed")
                bytes.append(contentsOf: "true".utf8)
            }
        case .change:
            key("change")
            bytes.append(UInt8(ascii: "{"))
            bytes.append(contentsOf: event.body)
            bytes.append(UInt8(ascii: "}"))
        case .edit, .delete: break
        }
    }

    /// A line break in a body would end the line. Inside a text JSON allows none; between values it does.
    private mutating func writeBody(_ body: [UInt8]) {
        guard body.contains(0x0A) || body.contains(0x0D) else {
            key("body")
            bytes.append(contentsOf: body)
            return
        }
        key("bodyText")
        write(escaping: body)
    }

    // MARK: JSON

    private mutating func begin(_ type: String) {
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        member("type", type)
    }

    private mutating func key(_ name: StaticString) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func member(_ name: StaticString, _ number: Int64) {
        key(name)
        bytes.append(contentsOf: number.description.utf8)
    }

    private mutating func member(_ name: StaticString, unlessZero number: Int64) {
        if number != 0 { member(name, number) }
    }

    private mutating func member(_ name: StaticString, _ text: String) {
        key(name)
        write(escaping: text.utf8)
    }

    /// A JSON text (RFC 8259, section 7): only quotation mark, backslash and what is below space must be escaped.
    private mutating func write(escaping text: some Sequence<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case 0x22, 0x5C:
                bytes.append(0x5C)
                bytes.append(byte)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
