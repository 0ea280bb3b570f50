/// The members of one JSON object, found in one pass. Accessors return nil if a member is missing or of another kind,
/// so that a newer or faulty server never stops a client. If a member is repeated, the last one counts. Used by one
/// thread at a time.
public struct JSONMembers {
    private let members: [(name: String, value: JSONValue)]

    /// No members.
    public init() { members = [] }

    /// The members of this value; none if it isn't an object.
    public init(_ value: JSONValue) { members = value.members ?? [] }

    /// Parses the object in these bytes; nil if they aren't one valid object.
    public init?(parsing bytes: UnsafeRawBufferPointer) {
        guard let value = JSONValue(parsing: bytes) else { return nil }
        self.init(value)
    }

    /// The member of this name, unless it is null.
    public subscript(name: String) -> JSONValue? {
        guard let found = members.last(where: { $0.name == name })?.value, found.kind != .null else { return nil }
        return found
    }

    /// The member of this name, even if it is null.
    public func value(_ name: String) -> JSONValue? { members.last { $0.name == name }?.value }

    /// All members, in order.
    public var all: [(name: String, value: JSONValue)] { members }

    /// The type of the object, if it is an event that this version knows.
    public var type: EventType? { string("type").flatMap(EventType.init(rawValue:)) }

    /// The member `body`, which may be null.
    public var body: MessageBody? { members.last { $0.name == "body" }.map { MessageBody($0.value) } }

    /// A text.
    public func string(_ name: String) -> String? { self[name]?.string }

    /// The value of `true` or `false`.
    public func flag(_ name: String) -> Bool? { self[name]?.bool }

    /// A whole number.
    public func integer(_ name: String) -> Int64? { self[name]?.integer }

    /// A number of things.
    public func count(_ name: String) -> Int? { integer(name).map { Int(clamping: $0) } }

    /// The number of a message.
    public func sequence(_ name: String) -> SequenceNumber? { integer(name).map { SequenceNumber($0) } }

    /// A point in time, in milliseconds since 1970.
    public func time(_ name: String) -> Timestamp? { integer(name).map { Timestamp(milliseconds: $0) } }

    /// The texts of an array.
    public func strings(_ name: String) -> [String] { self[name]?.elements?.compactMap(\.string) ?? [] }

    /// The numbers of messages in an array.
    public func sequences(_ name: String) -> [SequenceNumber] {
        self[name]?.elements?.compactMap(\.integer).map { SequenceNumber($0) } ?? []
    }

    /// The objects of an array; nil if there is no array.
    public func objects(_ name: String) -> [JSONMembers]? { self[name]?.elements?.map(JSONMembers.init) }

    /// The whole numbers in an object, by name.
    public func integers(_ name: String) -> [String: Int64] { object(name)?.integers ?? [:] }

    /// The members that are whole numbers, by name.
    public var integers: [String: Int64] {
        var found: [String: Int64] = [:]
        for (name, value) in members { found[name] = value.integer }
        return found
    }

    /// The members of an object.
    public func object(_ name: String) -> JSONMembers? {
        self[name].flatMap { $0.kind == .object ? JSONMembers($0) : nil }
    }

    /// The word of a fixed set.
    public func word<Word: WireWord>(_ name: String) -> Word? { string(name).flatMap(Word.init(word:)) }

    /// The id of the command that is answered.
    public var reply: CommandID? {
        guard let id = self["re"] else { return nil }
        if let text = id.string { return .text(text) }
        return id.integer.flatMap { UInt64(exactly: $0) }.map { .number($0) }
    }
}
