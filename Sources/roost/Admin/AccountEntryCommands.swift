import ArgumentParser
import Foundation
import RoostWire

/// `roost admin user link USER`: a new link to sign in to an existing account. It prints only the link to standard
/// output, and the user on standard error.
struct AccountLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Print a link that signs a user in again, once, within half an hour.",
        discussion: """
            For a user who signed up by a link and is signed out everywhere, and for an operator who must sign in \
            again. Anyone who has the link can sign in as that user: send it where only the user can read it. The \
            audit log and the user's export record it, and the user's address gets a mail. With two-step \
            verification, the user still needs a code.
            """)

    @OptionGroup var accounts: AccountOptions
    @Argument(help: "The user: the id, the username, the display name or the address.") var user: String

    func run() async throws {
        let found = try await accounts.person(user)
        try accounts.run("POST", "/v1/admin/users/\(ServicesLine.encoded(found))/link") { answer in
            RoostCommand.write(AccountText.whose(found, answer), to: .standardError)
            return [answer.string("link") ?? ""]
        }
    }
}

/// `roost admin user reset-factor USER`.
struct AccountResetFactorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-factor", abstract: "Turn a user's two-step verification off.",
        discussion: """
            For a user who has lost the device and the recovery codes. Make sure that it is the user who asks: from \
            now on the password is enough. An operator is also signed out everywhere.
            """)

    @OptionGroup var accounts: AccountOptions
    @Argument(help: "The user: the id, the username, the display name or the address.") var user: String

    func run() async throws {
        let found = try await accounts.person(user)
        try accounts.run("DELETE", "/v1/admin/users/\(ServicesLine.encoded(found))/factor") { _ in
            ["two-step verification is off for \(found)"]
        }
    }
}
