import ArgumentParser
import Foundation
import RoostChat
import RoostClient
import RoostServer
import RoostServicesConfiguration
import RoostWire

/// `roost admin revoke NAME`: at the services, if there are accounts on this machine, and then at the relay. The relay
/// only refuses what was issued; a sign-in at the services would have new tokens issued.
struct AdminRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a user's tokens, close the user's connections, and end the sign-ins.",
        discussion: """
            Tokens issued later work again (claim iat). Tokens without iat stay refused. With --session, the \
            tokens of one sign-in (claim sid) are refused for 61 minutes, whenever they were issued. If roost-services \
            keeps accounts on this machine, the user's sign-ins end there first. For a relay \
            elsewhere (--url) that isn't done: end the sign-ins with roost admin user revoke. A name that no user has \
            is an error; --unknown revokes the tokens of a user who has never connected, too.
            """
    )

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The user: the id, the username or the address.") var user: String?
    @Option(help: "Only for this device.") var device: String?
    @Option(help: "The sign-in (claim sid), instead of a user.") var session: String?
    @Flag(help: "Revoke an id that the relay doesn't know.") var unknown = false

    func validate() throws {
        guard (user == nil) != (session == nil) else { throw ValidationError("name either a user or a --session") }
        guard session == nil || device == nil && !unknown else {
            throw ValidationError("--device and --unknown need a user")
        }
    }

    func run() async throws {
        let user = try await meant()
        let signIns = endSignIns(of: user)
        try await admin.run { client, _ async throws(RoostFailure) in
            if let session { return try await client.revoke(signIn: session) }
            return try await client.revoke(user, device: device, isUnknown: unknown)
        } show: { members, _ in
            let lines = signIns == .ended ? ["the sign-in at roost-services has ended"] : []
            return (lines + AdminText.revoked(Answer(reading: members)), nil)
        }
        switch signIns {
        case .ended, .none: return
        case .unknown:
            RoostCommand.write(
                "roost: revoked at the relay only. If it has accounts, the user's sign-ins still work: `\(other)`",
                to: .standardError)
        case .failed(let reason):
            throw AdminFailure(
                "the user's sign-ins at roost-services still work (\(reason)). Repeat this, or `\(other)`")
        }
    }

    /// The id of the user. An unknown name is an error: otherwise it would look as if a user had been locked out.
    /// Without the relay an id has to do, so that the sign-ins end all the same.
    private func meant() async throws -> String {
        guard let user, !unknown else { return user ?? "" }
        do { return try await admin.person(user) } catch let failure as AdminFailure {
            guard failure.code != "not_found" else {
                throw AdminFailure("\(failure); if the id is right, and the user was never here, add --unknown")
            }
            guard failure.code == nil, !user.dropFirst().contains("@") else { throw failure }
            return user
        }
    }

    // MARK: Sign-ins

    private enum SignIns: Equatable {
        /// There were some, and they have ended.
        case ended
        /// There are none that could go on.
        case none
        /// Nothing here says whether there are accounts.
        case unknown
        case failed(String)
    }

    /// Ends the user's sign-ins. The relay gets the command all the same, so that open connections close at once.
    private func endSignIns(of user: String) -> SignIns {
        guard admin.url == nil else { return .unknown }
        do {
            let settings = try admin.servicesSettings().settings
            // The services' process may be stopped; what it keeps is there.
            guard FileManager.default.fileExists(atPath: settings.data + "/services.db") else {
                return try admin.options.configuration().listen.services.isEmpty ? .none : .unknown
            }
            let line = try admin.servicesLine()
            if let session {
                try line.endSession(session)
            } else if let device {
                return try line.endSessions(of: user, on: device) > 0 ? .ended : .none
            } else {
                try line.endSessions(of: user)
            }
            return .ended
        } catch let failure as AdminFailure {
            // A user or a sign-in of another issuer.
            return failure.code == "user_not_found" || failure.code == "not_found" ? .none : .failed("\(failure)")
        } catch {
            return .failed("\(error)")
        }
    }

    /// The command that ends it where the accounts are.
    private var other: String {
        let named = session.map { "--session \($0)" } ?? (user ?? "") + (device.map { " --device \($0)" } ?? "")
        return TerminalText.printable("roost admin user revoke \(named)")
    }
}
