import ArgumentParser
import RoostWire

/// Finds the user that an operator means, by anything known of the account.
extension AccountOptions {
    /// The id of the user of this id, username (with or without `@`), address, or display name, if only one has it.
    func person(_ name: String) async throws -> String {
        if let at = name.firstIndex(of: "@"), at != name.startIndex { return try user(name) }
        // The relay knows the usernames. Without it an id and a display name still lead somewhere.
        if let admin = try? relay(), let found = try? await admin.person(name) { return found }
        let called = try namesakes(of: name)
        guard called.count < 2 else {
            throw AdminFailure(
                "several users are called \(name); name one by the id: \(called.joined(separator: ", "))")
        }
        return called.first ?? name
    }

    /// The relay of the same configuration.
    private func relay() throws -> AdminOptions {
        let own = UpOptions.flags([
            ("--host", "listen.host", up.host), ("--port", "listen.port", up.port), ("--store", "store.path", up.store),
        ])
        return try AdminOptions.parse(["--as", self.name] + up.words(own))
    }

    /// The ids of all whose display name is exactly this one. A name may have many; some are enough to refuse it.
    private func namesakes(of name: String) throws -> [String] {
        let page = try ask("POST", "/v1/admin/users/find") { writer in
            writer.member("prefix", name)
            writer.member("limit", Int64(100))
        }
        var found = (page.members.objects("accounts") ?? []).filter { $0.string("displayName") == name }
        if let next = page.members.string("next") {
            // Those by the address come first, and those by the name with the next page.
            let more = try ask("POST", "/v1/admin/users/find") { writer in
                writer.member("prefix", name)
                writer.member("after", next)
                writer.member("limit", Int64(100))
            }
            found += (more.members.objects("accounts") ?? []).filter { $0.string("displayName") == name }
        }
        return found.compactMap { $0.string("user") }
    }
}
