import Glibc
import RoostWire

/// Checks every frame of the relay and finds the members that the harness looks at, without allocating. One for each
/// engine, on its thread.
final class EventReader {
    // Members of an event. None has more than twenty.
    private static let membersMax = 64
    // Levels around a body.
    private static let envelopeDepth = 8

    private var reader = JSONReader(
        bytesMax: HarnessLimits.messageBytesMax, depthMax: Limits().jsonDepth + EventReader.envelopeDepth,
        membersMax: EventReader.membersMax)

    /// The event in this frame, valid until the next one is read; nil if the frame isn't one valid JSON object.
    func read(_ frame: UnsafeRawBufferPointer) -> EventView? {
        guard reader.read(frame) == .valid else { return nil }
        var event = EventView()
        for member in reader.members {
            let item = member.value
            let value = item.kind == .string ? reader.text(item) : reader.raw(item)
            event.keep(value.bytes, as: reader.name(member).bytes)
        }
        return event
    }
}

/// The members of one event that the harness looks at, borrowed from its reader: texts without quotation marks and
/// escapes, everything else as it was written; empty if missing.
struct EventView {
    typealias Span = UnsafeRawBufferPointer

    private(set) var type = Span(start: nil, count: 0)
    private(set) var conversation = Span(start: nil, count: 0)
    private(set) var sequence = Span(start: nil, count: 0)
    private(set) var position = Span(start: nil, count: 0)
    private(set) var from = Span(start: nil, count: 0)
    private(set) var user = Span(start: nil, count: 0)
    private(set) var body = Span(start: nil, count: 0)
    private(set) var reply = Span(start: nil, count: 0)
    private(set) var code = Span(start: nil, count: 0)
    private(set) var active = Span(start: nil, count: 0)
    private(set) var read = Span(start: nil, count: 0)
    private(set) var unread = Span(start: nil, count: 0)
    private(set) var duplicate = Span(start: nil, count: 0)
    private(set) var retry = Span(start: nil, count: 0)
    private(set) var retryAfter = Span(start: nil, count: 0)
    private(set) var after = Span(start: nil, count: 0)

    fileprivate mutating func keep(_ value: Span, as name: Span) {
        switch name.count {
        case 2 where name.equals("re"): reply = value
        case 4 where name.equals("type"): type = value
        case 4 where name.equals("from"): from = value
        case 4 where name.equals("body"): body = value
        case 4 where name.equals("user"): user = value
        case 4 where name.equals("code"): code = value
        case 4 where name.equals("read"): read = value
        case 5 where name.equals("retry"): retry = value
        case 5 where name.equals("after"): after = value
        case 6 where name.equals("active"): active = value
        case 6 where name.equals("unread"): unread = value
        case 8 where name.equals("sequence"): sequence = value
        case 8 where name.equals("position"): position = value
        case 9 where name.equals("duplicate"): duplicate = value
        case 10 where name.equals("retryAfter"): retryAfter = value
        case 12 where name.equals("conversation"): conversation = value
        default: break
        }
    }
}

extension UnsafeRawBufferPointer {
    func equals(_ literal: StaticString) -> Bool {
        guard count == literal.utf8CodeUnitCount, let baseAddress else { return count == literal.utf8CodeUnitCount }
        return memcmp(baseAddress, literal.utf8Start, count) == 0
    }

    /// The digits as a number; nil if they aren't one of at most 18 digits.
    var wholeNumber: Int? {
        guard count > 0, count <= 18 else { return nil }
        var number = 0
        for byte in self {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }
}
