/// The table of single values, on one connection.
struct Meta {
    private let get: Statement
    private let set: Statement
    private let renew: Statement

    init(_ database: Database) throws {
        get = try database.prepare("SELECT value FROM meta WHERE name = ?1")
        set = try database.prepare("UPDATE meta SET value = ?2 WHERE name = ?1")
        renew = try database.prepare(Schema.renewEpoch)
    }

    /// Throws `inconsistent` if there is none.
    func number(_ name: String) throws -> Int64 {
        try get.bind(1, copying: name)
        guard let value = try get.first({ $0.int64(0) }) else {
            throw StorageFailure.inconsistent("\(name) is missing")
        }
        return value
    }

    /// Throws `inconsistent` if there is none.
    func text(_ name: String) throws -> String {
        try get.bind(1, copying: name)
        guard let value = try get.first({ $0.text(0) }) else { throw StorageFailure.inconsistent("\(name) is missing") }
        return value
    }

    /// Gives the log a new epoch, because positions up to this one may mean something else now.
    func renewEpoch(upTo head: Int64) throws {
        try renew.run()
        try set("head_floor", to: head)
        try set("renewed_to", to: head)
    }

    func set(_ name: String, to value: Int64) throws {
        try set.bind(1, copying: name)
        set.bind(2, value)
        try set.run()
    }
}
