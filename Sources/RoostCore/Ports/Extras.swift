import RoostWire

/// What few messages have beside their body: whom they mention. All copies of an event share it; most have none.
public final class Extras: Sendable, Equatable {
    /// The word that stands for all members among the names of users.
    public static let everybody = "@all"

    /// Names of the users whom the message mentions, each once, in the order of the command.
    public let mentions: [String]
    /// The members of the message as on the wire: raw JSON without braces. They follow the body, because an edit
    /// replaces both.
    public let members: [UInt8]

    /// Creates extras; nil if there is nothing to say.
    public init?(mentions: [String]) {
        guard !mentions.isEmpty else { return nil }
        self.mentions = mentions
        let writer = JSONWriter()
        writer.beginBare()
        writer.beginArray("mentions")
        for name in mentions { writer.element(name) }
        writer.endArray()
        members = [UInt8](writer.written)
    }

    /// Reads them as they are stored; nil if that is nothing, or not what `json` returns.
    public convenience init?(parsing json: UnsafeRawBufferPointer) {
        guard !json.isEmpty, let value = JSONValue(parsing: json) else { return nil }
        self.init(mentions: value["mentions"]?.elements?.compactMap(\.string) ?? [])
        guard self.json.elementsEqual(json) else { return nil }
    }

    /// As they are stored: a JSON object, so that SQL can look into it.
    public var json: [UInt8] { [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")] }

    /// Whether both say the same.
    public static func == (one: Extras, other: Extras) -> Bool { one.members == other.members }
}
