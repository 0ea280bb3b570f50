import RoostCore
import RoostWire

/// The form of a key in the log once its sender has left for good: its hash, as the key index has it. A command with
/// the same key is still found, and the key itself can't be read. Clients' keys have no space.
enum ErasedKey {
    private static let mark = UInt8(ascii: " ")
    /// The mark and a digit for each four bits.
    private static let byteCount = 17

    /// The text in the log.
    static func text(_ hash: UInt64) -> String {
        let digits = String(hash, radix: 16)
        return " " + String(repeating: "0", count: byteCount - 1 - digits.utf8.count) + digits
    }

    static func isErased(_ key: String) -> Bool { key.utf8.first == mark }

    /// The hash of an erased key; nil of another one.
    static func hash(of key: UnsafeRawBufferPointer) -> UInt64? {
        guard key.count == byteCount, key.first == mark else { return nil }
        return UInt64(String(decoding: key.dropFirst(), as: UTF8.self), radix: 16)
    }
}

extension LogRow {
    /// Whether it has a key that can be read.
    var hasKeyInClear: Bool { !event.key.isEmpty && !ErasedKey.isErased(event.key) }

    /// The event as others may get it: its key stays here once it was erased.
    var shownEvent: StoredEvent {
        guard ErasedKey.isErased(event.key) else { return event }
        var shown = event
        shown.key = ""
        return shown
    }
}
