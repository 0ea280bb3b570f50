import RoostWire

/// The members of one JSON object, found in one pass. Readers return nil if a member is missing or of another type, so
/// that a newer or faulty server never stops the client. Confined to the client.
struct EventMembers {
    private let members: [(name: String, value: JSONValue)]

    init(_ value: JSONValue) { members = value.members ?? [] }

    subscript(name: String) -> JSONValue? {
        guard let found = members.last(where: { $0.name == name })?.value, found.kind != .null else { return nil }
        return found
    }

    /// The body, which may be null.
    var body: Body? { members.last { $0.name == "body" }.map { Body($0.value) } }

    func string(_ name: String) -> String? { self[name]?.string }

    func integer(_ name: String) -> Int64? { self[name]?.integer }

    func count(_ name: String) -> Int? { integer(name).map { Int(clamping: $0) } }

    func sequence(_ name: String) -> SequenceNumber? { integer(name).map { SequenceNumber($0) } }

    func time(_ name: String) -> Timestamp? { integer(name).map { Timestamp(milliseconds: $0) } }

    func strings(_ name: String) -> [String] { self[name]?.elements?.compactMap(\.string) ?? [] }

    func role(_ name: String) -> Role? {
        string(name).flatMap { word in [Role.member, .admin, .owner].first { "\($0.word)" == word } }
    }

    func conversationKind(_ name: String) -> ConversationKind? {
        string(name).flatMap { word in [ConversationKind.direct, .group].first { "\($0.word)" == word } }
    }
}
