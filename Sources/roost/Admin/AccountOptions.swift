import ArgumentParser
import Foundation
import RoostChat
import RoostWire

/// The connection of the account commands to the services (`ServicesLine`).
struct AccountOptions: ParsableArguments {
    @OptionGroup var up: UpOptions
    @Option(help: "The services' address. By default, services in the configuration.")
    var url: String?
    @Option(help: "An operator's token, instead of a new one.") var token: String?
    @Option(help: "File of trusted certificates for https://; otherwise the system's.")
    var caFile: String?
    @Option(name: .customLong("as"), help: "The operator's name, for the audit log.") var name = "operator"
    @Option(help: "Path of roost-services. By default, next to this program.") var services: String?
    @Flag(help: "Print the services' answer as JSON.") var json = false

    /// Sends a request, and returns what came back. A refusal is thrown in its own words.
    func ask(
        _ method: String, _ path: String, _ members: ((JSONWriter) -> Void)? = nil
    ) throws -> (members: JSONMembers, text: [UInt8]) {
        try line().ask(method, path, members)
    }

    /// Asks, and prints the answer as it came, or these lines.
    func run(
        _ method: String, _ path: String, _ members: ((JSONWriter) -> Void)? = nil, show: (JSONMembers) -> [String]
    ) throws {
        let (read, text) = try ask(method, path, members)
        if json {
            let words = text.isEmpty ? "{}" : TerminalText.escaped(json: String(decoding: text, as: UTF8.self))
            RoostCommand.write(words, to: .standardOutput)
        } else {
            for line in show(read) { RoostCommand.write(line, to: .standardOutput) }
        }
    }

    /// A user's path.
    func path(of user: String) throws -> String { "/v1/admin/users/\(ServicesLine.encoded(try self.user(user)))" }

    /// The id of a user given by the id or by the address.
    func user(_ name: String) throws -> String {
        guard name.contains("@") else {
            guard !name.isEmpty else { throw AdminFailure("user_not_found: there is no such user") }
            return name
        }
        let found = try ask("POST", "/v1/admin/users/find") { $0.member("email", name) }.members
        guard let user = found.objects("accounts")?.first?.string("user") else {
            throw AdminFailure("user_not_found: no account has this address")
        }
        return user
    }

    /// The way there.
    func line() throws -> ServicesLine {
        var words = ["--as", name]
        if let url { words += ["--url", url] }
        if let caFile { words += ["--ca-file", caFile] }
        return ServicesLine(
            program: services ?? ServicesProgram.path, words: words + up.words(try up.services().added), token: token)
    }
}
