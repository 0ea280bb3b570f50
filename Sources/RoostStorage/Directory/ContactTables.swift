import RoostCore
import RoostWire

/// The tables `contact` and `prospect`. Confined to the writer's thread, or that of the connection's owner.
struct ContactTables {
    private let setContact: Statement
    private let deleteContact: Statement
    private let markInferred: Statement
    private let setProspect: Statement
    private let deleteProspect: Statement

    init(_ database: Database) throws {
        setContact = try database.prepare(
            """
            REPLACE INTO contact (low, high, inviter, since, low_kind, high_kind, low_label, high_label, withheld)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """)
        deleteContact = try database.prepare("DELETE FROM contact WHERE low = ?1 AND high = ?2")
        markInferred = try database.prepare("UPDATE contact SET inferred = 1 WHERE low = ?1 AND high = ?2")
        setProspect = try database.prepare("REPLACE INTO prospect (user, id, name, note) VALUES (?1, ?2, ?3, ?4)")
        deleteProspect = try database.prepare("DELETE FROM prospect WHERE user = ?1 AND id = ?2")
    }

    func set(_ pair: UserPair, to contact: StoredContact?) throws {
        let statement = contact == nil ? deleteContact : setContact
        statement.bind(1, pair.low.value)
        statement.bind(2, pair.high.value)
        if let contact {
            if let inviter = contact.inviter { statement.bind(3, inviter.value) } else { statement.bindNull(3) }
            statement.bind(4, contact.since.milliseconds)
            try statement.bind(5, copying: contact.low.kind)
            try statement.bind(6, copying: contact.high.kind)
            try statement.bind(7, copying: contact.low.label)
            try statement.bind(8, copying: contact.high.label)
            statement.bind(9, Int32((contact.isWithheld ? 1 : 0) + (contact.isByLink ? 2 : 0)))
        }
        try statement.run()
    }

    /// Stores a contact that was inferred. Whatever else is stored in its place isn't marked so.
    func infer(_ pair: UserPair, _ contact: StoredContact) throws {
        try set(pair, to: contact)
        markInferred.bind(1, pair.low.value)
        markInferred.bind(2, pair.high.value)
        try markInferred.run()
    }

    func setProspect(_ id: String, of user: UserNumber, to prospect: StoredProspect?) throws {
        let statement = prospect == nil ? deleteProspect : setProspect
        statement.bind(1, user.value)
        try statement.bind(2, copying: id)
        if let prospect {
            try statement.bind(3, copying: prospect.name)
            try statement.bind(4, copying: prospect.note)
        }
        try statement.run()
    }

    // MARK: Reading

    /// All contacts, in the order of the users with the lower numbers and the others.
    static func contacts(_ database: Database) throws -> [Snapshot.Contact] {
        let query = try database.prepare(
            """
            SELECT low, high, inviter, since, low_kind, high_kind, low_label, high_label, withheld
            FROM contact ORDER BY low, high
            """)
        var contacts: [Snapshot.Contact] = []
        while try query.step() {
            contacts.append(
                Snapshot.Contact(
                    UserPair(UserNumber(query.int32(0)), UserNumber(query.int32(1))),
                    StoredContact(
                        inviter: query.isNull(2) ? nil : UserNumber(query.int32(2)),
                        low: .init(kind: query.text(4), label: query.text(6)),
                        high: .init(kind: query.text(5), label: query.text(7)),
                        since: Timestamp(milliseconds: query.int64(3)), isWithheld: query.int32(8) & 1 != 0,
                        isByLink: query.int32(8) & 2 != 0)))
        }
        return contacts
    }

    /// The pairs whose contact was inferred, with these kinds, and wasn't changed since, in order.
    static func inferred(_ database: Database, _ kind: ContactKind) throws -> [UserPair] {
        let query = try database.prepare(
            """
            SELECT low, high FROM contact
            WHERE inferred = 1 AND (low_kind, high_kind) IN (VALUES (?1, ?2), (?2, ?1)) ORDER BY low, high
            """)
        try query.bind(1, copying: kind.one)
        try query.bind(2, copying: kind.other)
        var pairs: [UserPair] = []
        while try query.step() { pairs.append(UserPair(UserNumber(query.int32(0)), UserNumber(query.int32(1)))) }
        return pairs
    }

    /// All prospects, in the order of their owners and ids.
    static func prospects(_ database: Database) throws -> [Snapshot.Prospect] {
        let query = try database.prepare("SELECT user, id, name, note FROM prospect ORDER BY user, id")
        var prospects: [Snapshot.Prospect] = []
        while try query.step() {
            prospects.append(
                Snapshot.Prospect(
                    UserNumber(query.int32(0)), id: query.text(1),
                    StoredProspect(name: query.text(2), note: query.text(3))))
        }
        return prospects
    }
}
