import ArgumentParser
import Foundation
import RoostServices

/// `roost-services admin METHOD PATH`: what `roost admin user` runs.
struct AdminRequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Send a request to the operators' routes, and print status and answer.",
        discussion: """
            The body comes from standard input. The token is made anew, or the one in ROOST_ADMIN_TOKEN.
            """)

    @OptionGroup var options: ServicesOptions
    @Argument(help: "GET, POST and so on.") var method: String
    @Argument(help: "What follows the address, such as /v1/admin/audit.") var path: String
    @Option(name: .customLong("as"), help: "The operator's name, for the audit log.") var name = "operator"
    @Option(help: "The services' address. By default, as configured.") var url: String?
    @Option(help: "File of trusted certificates for https://; otherwise the system's.")
    var caFile: String?

    func validate() throws {
        guard path.hasPrefix("/") else { throw ValidationError("the path must begin with a slash") }
    }

    func run() async throws {
        let sender = AdminRequest(try options.configuration(), as: name)
        let body = try FileHandle.standardInput.read(upToCount: ServicesLimits().bodyBytes) ?? Data()
        let token = ProcessInfo.processInfo.environment["ROOST_ADMIN_TOKEN"]
        let answer = try await sender.send(
            method, path, body: [UInt8](body), token: token, url: url, caFile: caFile)
        // A closed output isn't a failure.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(answer.status)\n".utf8) + Data(answer.body))
    }
}
