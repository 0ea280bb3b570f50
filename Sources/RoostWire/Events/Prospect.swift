/// A person who isn't a user yet, as one user has written them down. Other users never see it.
public struct Prospect: Sendable, Equatable {
    /// The relay's name for it.
    public var id: String
    /// The person's name.
    public var name: String
    /// A note; empty if there is none.
    public var note: String
}

extension Prospect {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let id = members.string("prospect"), let name = members.string("name") else { return nil }
        self.init(id: id, name: name, note: members.string("note") ?? "")
    }
}

/// A page of prospects.
public struct ProspectPage: Sendable, Equatable {
    /// The prospects.
    public var prospects: [Prospect]
    /// Where the next page begins; nil if this is the last.
    public var next: String?
}

extension ProspectPage {
    /// Reads the answer to `prospect.list`; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let prospects = members.objects("prospects") else { return nil }
        self.init(prospects: prospects.compactMap(Prospect.init(reading:)), next: members.string("next"))
    }
}
