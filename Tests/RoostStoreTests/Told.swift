import RoostWire
import Testing

/// Events and answers of a relay, written as on the wire.
enum Told {
    static func members(_ json: String) -> JSONMembers {
        Array(json.utf8).withUnsafeBytes { JSONMembers(parsing: $0) } ?? JSONMembers()
    }

    static func event(_ json: String) throws -> Event { try #require(Event(reading: members(json))) }

    static func message(
        _ sequence: Int64, _ text: String = "x", from: String = "bob", in conversation: String = "c1",
        key: String? = nil
    ) throws -> Event {
        let key = key.map { #","key":"\#($0)""# } ?? ""
        return try event(
            """
            {"type":"message","conversation":"\(conversation)","sequence":\(sequence),"position":"e-\(sequence)",
             "from":"\(from)","time":\(1_000 + sequence),"body":"\(text)"\(key)}
            """)
    }

    static func change(_ event: String, _ members: String, sequence: Int64 = 0) throws -> Event {
        try self.event(
            """
            {"type":"conversation","event":"\(event)","conversation":"c1","sequence":\(sequence),"position":"e-900",
             "by":"bob","time":2000,\(members)}
            """)
    }

    static func welcome(
        user: String = "alice", epoch: String = "e", isNew: Bool = false, badge: Int? = nil
    ) throws -> Welcome {
        let new = (isNew ? #""new":true,"# : "") + (badge.map { #""badge":\#($0),"# } ?? "")
        return try #require(
            Welcome(
                reading: members(
                    """
                    {"type":"welcome","re":1,"user":"\(user)","device":"phone",\(new)"position":"\(epoch)-0",
                     "head":"\(epoch)-9","epoch":"\(epoch)","time":1}
                    """)))
    }

    static func page(_ sequences: ClosedRange<Int64>, hasMore: Bool, _ members: String = "") throws -> HistoryPage {
        let messages = sequences.map {
            """
            {"conversation":"c1","sequence":\($0),"position":"e-\($0)","from":"bob","time":\(1_000 + $0),
             "body":"old \($0)"}
            """
        }
        return try #require(
            HistoryPage(
                reading: self.members(
                    """
                    {"type":"ok","re":1,"conversation":"c1","messages":[\(messages.joined(separator: ","))],
                     "more":\(hasMore)\(members)}
                    """)))
    }

    static func summary(_ members: String) throws -> ConversationSummary {
        try #require(
            ConversationSummary(
                reading: self.members(
                    """
                    {"conversation":"c1","kind":"group","name":"Crew","role":"owner","count":3,
                     "members":["alice","bob","carol"],\(members)}
                    """)))
    }
}
