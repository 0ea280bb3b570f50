import RoostWire

/// The record of a run, twice: as one number over every byte sent and read, by which two runs are compared, and as the
/// last few events, for debugging. Texts are made only on demand.
struct Trace {
    private struct Event {
        var time: Int64
        var who: String
        var what: StaticString
        var bytes: [UInt8]
    }

    private static let kept = 60
    private var events: [Event] = []
    private var next = 0
    /// FNV-1a over words of eight bytes.
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var count = 0

    mutating func note(_ time: Int64, _ who: String, _ what: StaticString, _ bytes: UnsafeRawBufferPointer) {
        mix(UInt64(bitPattern: time))
        mix(bytes)
        keep(Event(time: time, who: who, what: what, bytes: [UInt8](bytes)))
    }

    mutating func note(_ time: Int64, _ who: String, _ what: StaticString, _ text: String) {
        var text = text
        text.withUTF8 { note(time, who, what, UnsafeRawBufferPointer($0)) }
    }

    /// The last events, oldest first.
    func lines(_ most: Int = kept) -> [String] {
        let ordered = events.count < Trace.kept ? events[...] : events[next...] + events[..<next]
        return ordered.suffix(most).map {
            "\($0.time) \($0.who) \($0.what) \(String(decoding: $0.bytes.prefix(300), as: UTF8.self))"
        }
    }

    private mutating func keep(_ event: Event) {
        count += 1
        if events.count < Trace.kept {
            events.append(event)
        } else {
            events[next] = event
            next = (next + 1) % Trace.kept
        }
    }

    private mutating func mix(_ word: UInt64) {
        hash = (hash ^ word) &* 0x0000_0100_0000_01B3
        hash ^= hash >> 29
    }

    private mutating func mix(_ bytes: UnsafeRawBufferPointer) {
        var at = 0
        while at + 8 <= bytes.count {
            mix(bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            at += 8
        }
        while at < bytes.count {
            mix(UInt64(bytes[at]))
            at += 1
        }
    }
}
