import RoostStore

/// The API keys of backends. They are made and revoked on the command line, while the process runs or not: each request
/// looks at the table.
package struct APIKeys: Sendable {
    /// Most keys. A deployment has one for each program that speaks to it.
    package static let most = 1_000

    private let database: ServicesDatabase
    private let clock: WallClock

    /// The keys in this database.
    package init(database: ServicesDatabase, clock: WallClock) {
        self.database = database
        self.clock = clock
    }

    /// Makes a key. Its text is returned this once, and can't be had again.
    package func create(_ name: String, words: Set<APIKey.Word>) async throws(ServiceFault) -> String {
        let text = APIKey.newText()
        guard let hash = APIKey.hash(of: text) else { throw ServiceFault(.internalError, "no key could be made") }
        let key = APIKey(name, words: words, created: clock.now())
        let made = try await database.write { database throws(LocalFailure) -> Bool? in
            guard try !APIKeyTable.has(name, database) else { return false }
            guard try APIKeyTable.all(database).count < APIKeys.most else { return nil }
            try APIKeyTable.insert(key, hash: hash, database)
            return true
        }
        guard let made else { throw ServiceFault(.tooLarge, "there are \(APIKeys.most) keys already") }
        guard made else { throw ServiceFault(.conflict, "there is a key of this name already") }
        return text
    }

    /// All keys, by name.
    package func all() async throws(ServiceFault) -> [APIKey] {
        try await database.read { database throws(LocalFailure) in try APIKeyTable.all(database) }
    }

    /// Takes a key away. Returns whether there was one.
    package func remove(_ name: String) async throws(ServiceFault) -> Bool {
        try await database.write { database throws(LocalFailure) in try APIKeyTable.delete(name, database) }
    }

    /// The key of a request.
    /// - Throws: `unauthorized` without a known one, `forbidden` if it lacks the right.
    @discardableResult
    func check(_ text: String?, for word: APIKey.Word) async throws(ServiceFault) -> APIKey {
        guard let hash = text.flatMap(APIKey.hash) else { throw APIKeys.unauthorized }
        let key = try await database.read { database throws(LocalFailure) in try APIKeyTable.find(hash, database) }
        guard let key else { throw APIKeys.unauthorized }
        try key.check(word)
        return key
    }

    /// Checks whose sessions a key would end. An operator could otherwise be kept from taking the key away.
    /// - Throws: `forbidden` for an operator's.
    func checkMayEnd(user: String?, sid: String?) async throws(ServiceFault) {
        let isOperators = try await database.read { database throws(LocalFailure) in
            var user = user
            if user == nil, let sid { user = try SessionTable.find(sid, database)?.user }
            guard let user else { return false }
            return try AccountTable.find(user: user, database)?.isOperator == true
        }
        guard !isOperators else {
            throw ServiceFault(.forbidden, "no key ends the sessions of an operator; operators do")
        }
    }

    private static let unauthorized = ServiceFault(.unauthorized, "a valid API key is required")
}
