import RoostWire

/// A user's setting for a conversation under the key `mute/<conversation>`.
struct Mute {
    private static let prefix = "mute/"

    /// When it ends; nil if it doesn't.
    let until: Timestamp?

    /// Reads the value of such a setting; nil if it says that the conversation isn't muted, or if it says nothing that
    /// is known.
    init?(_ value: [UInt8]) {
        let json = Array("{\"value\":".utf8) + value + Array("}".utf8)
        guard let value = json.withUnsafeBytes({ JSONValue(parsing: $0)?["value"] }) else { return nil }
        if let until = value["until"]?.integer {
            self.until = Timestamp(milliseconds: until)
        } else if value.bool == true {
            until = nil
        } else {
            return nil
        }
    }

    /// The id of the conversation that a setting with this key is about; nil if it is about something else.
    static func conversation(of key: String) -> String? {
        key.hasPrefix(prefix) ? String(key.dropFirst(prefix.count)) : nil
    }
}

/// The conversations that a user has muted: as many as the user may have settings.
struct Mutes {
    private static let forever = Timestamp(milliseconds: .max)

    private var ends: [ConversationNumber: Timestamp] = [:]

    @inline(__always)
    func contains(_ conversation: ConversationNumber) -> Bool { !ends.isEmpty && ends[conversation] != nil }

    /// Mutes a conversation, or no longer.
    mutating func set(_ conversation: ConversationNumber, to mute: Mute?) {
        ends[conversation] = mute.map { $0.until ?? Mutes.forever }
    }

    /// When the next one ends; nil if none will.
    var nextEnd: Timestamp? {
        guard let next = ends.values.min(), next != Mutes.forever else { return nil }
        return next
    }

    /// Forgets those that have ended, and returns them.
    mutating func takeEnded(at now: Timestamp) -> [ConversationNumber] {
        guard let next = nextEnd, next <= now else { return [] }
        let ended = ends.filter { $0.value <= now }.map(\.key)
        for conversation in ended { ends[conversation] = nil }
        return ended
    }
}
