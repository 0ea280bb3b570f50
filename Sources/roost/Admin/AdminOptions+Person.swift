import RoostChat
import RoostClient
import RoostWire

/// Finds the user that an operator means: commands accept a name, and the relay gets the id.
extension AdminOptions {
    /// The id of the user of this id, username (with or without `@`) or address.
    /// - Throws: `AdminFailure` if there is no such user, with the code `not_found`.
    func person(_ name: String) async throws -> String {
        if let at = name.firstIndex(of: "@"), at != name.startIndex { return try person(ofAddress: name) }
        let client = try await connect()
        let found: String?
        do throws(RoostFailure) {
            let reply = try await client.person(name.hasPrefix("@") ? String(name.dropFirst()) : name)
            found = reply.members.object("person")?.string("user")
        } catch {
            await client.close()
            guard case .refused(let refusal) = error, refusal.code == "not_found" else {
                throw AdminFailure(FailureLine.text(error))
            }
            throw AdminFailure("not_found: no user is called \(name)", code: "not_found")
        }
        await client.close()
        return found ?? name
    }

    /// The id of the account with this address.
    private func person(ofAddress address: String) throws -> String {
        let found = try servicesLine().ask("POST", "/v1/admin/users/find") { $0.member("email", address) }.members
        guard let user = found.objects("accounts")?.first?.string("user") else {
            throw AdminFailure("not_found: no account has this address", code: "not_found")
        }
        return user
    }

    /// The way to the services on this machine.
    func servicesLine() throws -> ServicesLine {
        ServicesLine(
            program: ServicesProgram.path,
            words: ["--as", name] + options.words(try servicesSettings().added), token: nil)
    }
}
