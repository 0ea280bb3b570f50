import ArgumentParser
import Foundation
import RoostChat
import RoostWire

/// How the commands about accounts reach the services: by their program, which may read the keys on this machine, and
/// has the one HTTP client. This program doesn't link it.
struct AccountOptions: ParsableArguments {
    @OptionGroup var up: UpOptions
    @Option(help: "The services' address. If not given, the address under services in the configuration.")
    var url: String?
    @Option(help: "An operator's token to use instead of creating one.") var token: String?
    @Option(help: "File of the certificates that may sign the services', for https://; otherwise the system's.")
    var caFile: String?
    @Option(name: .customLong("as"), help: "The operator's name, for the audit log.") var name = "operator"
    @Option(help: "The program of the services. If not given, roost-services beside this one.") var services: String?
    @Flag(help: "Print the services' answer as it came.") var json = false

    /// Sends a request, and returns what came back. A refusal is thrown in its own words.
    func ask(
        _ method: String, _ path: String, _ members: ((JSONWriter) -> Void)? = nil
    ) throws -> (members: JSONMembers, text: [UInt8]) {
        let (status, body) = try send(method, path, members.map { JSONWriter.object($0) } ?? [])
        let read = body.withUnsafeBytes { JSONMembers(parsing: $0) } ?? JSONMembers()
        guard status < 400 else {
            throw AdminFailure("\(read.string("code") ?? "status \(status)"): \(read.string("reason") ?? "")")
        }
        return (read, body)
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

    /// The id of a user whom somebody names by the id or by the address.
    func user(_ name: String) throws -> String {
        guard name.contains("@") else {
            guard !name.isEmpty else { throw AdminFailure("user_not_found: there is no such user") }
            return Self.encoded(name)
        }
        let found = try ask("POST", "/v1/admin/users/find") { $0.member("email", name) }.members
        guard let user = found.objects("accounts")?.first?.string("user") else {
            throw AdminFailure("user_not_found: nobody has this address")
        }
        return user
    }

    /// What somebody typed, as a part of a path: ids have letters and digits only.
    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    private func send(_ method: String, _ path: String, _ body: [UInt8]) throws -> (status: Int, body: [UInt8]) {
        var words = ["admin", method, path, "--as", name]
        if let url { words += ["--url", url] }
        if let caFile { words += ["--ca-file", caFile] }
        // Not on its command line, which every user of the machine can see.
        let text = try ServicesProgram.output(
            of: words + up.words(try up.services().added), input: body,
            environment: token.map { ["ROOST_ADMIN_TOKEN": $0] } ?? [:], program: program)
        // The status, and the body behind a line break.
        let parts = text.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let status = Int(String(decoding: parts[0], as: UTF8.self)) else {
            throw AdminFailure("\(program): not understood; is it of the same version?")
        }
        return (status, Array(parts[1]))
    }

    private var program: String { services ?? ServicesProgram.path }
}
