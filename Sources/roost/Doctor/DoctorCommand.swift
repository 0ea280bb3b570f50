import ArgumentParser
import Foundation
import RoostServer
import RoostServicesConfiguration

/// `roost doctor`: looks at the machine, the configuration and what is between people and the relay, and says how to
/// mend what it finds.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check disk, clock, names, certificates and proxies, and suggest repairs.",
        discussion: """
            Run it as the user that Roost runs as. `ok` is fine, `look` may be, `bad` needs repair; the command fails \
            if anything is bad. It writes one small file beside the store, and removes it. With --url it also opens a \
            connection the way people do, through your proxy, and keeps it quiet for --quiet seconds.
            """)

    @OptionGroup var admin: AdminOptions
    @Option(help: "Seconds that a silent connection must stay open; 0 skips this check.") var quiet = 70

    func run() async throws {
        let configuration = try admin.options.configuration()
        var found = Self.local(configuration)
        let services = try admin.options.servicesConfiguration()
        if services.mail.mode == .smtp { found += mail(of: services) }
        if admin.url != nil {
            let address = try admin.address()
            found += await NetworkExamination.relay(
                at: address, token: try await admin.newToken(), quiet: quiet, by: try admin.trust.connector())
        }
        for diagnosis in found { for line in diagnosis.lines { RoostCommand.write(line, to: .standardOutput) } }
        let bad = found.count { $0.state == .ill }
        guard bad == 0 else {
            RoostCommand.write("\(bad) bad", to: .standardError)
            throw ExitCode(1)
        }
    }

    /// Whether the mail server has a name, and lets us in: the services' program asks it.
    private func mail(of services: ServicesConfiguration) -> [Diagnosis] {
        let name = NetworkExamination.name(services.mail.host, key: "mail.host")
        guard name.state == .well else { return [name] }
        let file = admin.options.config.map { ["--config", $0] } ?? []
        let words = ["check-mail"] + file + admin.options.settings.flatMap { ["--set", $0] }
        do {
            let line = String(decoding: try ServicesProgram.output(of: words), as: UTF8.self)
            return [.well("mail", line.split(separator: "\n").first.map(String.init) ?? "")]
        } catch {
            return [
                .ill(
                    "mail", "\(error)",
                    mend: "mail.port and mail.security belong together: 587 with starttls, 465 with tls; then look at "
                        + "mail.user, mail.password and mail.ca_file")
            ]
        }
    }

    private static func local(_ configuration: Configuration) -> [Diagnosis] {
        var folder = URL(fileURLWithPath: configuration.store.path).deletingLastPathComponent().path
        // Before the first start.
        if !FileManager.default.fileExists(atPath: folder) {
            folder = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        }
        var found = [
            MachineExamination.fileSystem(of: folder), MachineExamination.sync(in: folder), MachineExamination.clock(),
        ]
        if let services = URL(string: configuration.listen.services)?.host {
            found.append(NetworkExamination.name(services, key: "listen.services"))
        }
        let looked = configuration.look()
        for line in looked.errors { found.append(.ill("configuration", line, mend: mend(line))) }
        for line in looked.warnings { found.append(.doubtful("configuration", line, mend: mend(line))) }
        if looked.errors.isEmpty, looked.warnings.isEmpty {
            found.append(.well("configuration", "`roost serve` would start"))
        }
        return found
    }

    // The part of the documentation that helps; the line itself names the key.
    private static func mend(_ line: String) -> String {
        switch line.prefix(while: { $0 != "." && $0 != ":" }) {
        case "tls": "renew it, then send SIGHUP: Docs/Operations.md, TLS"
        case "limits": "LimitNOFILE= in the unit, or ulimit -n: Docs/Operations.md"
        case "listen" where line.contains("in use"):
            "fine if that is your running relay; otherwise choose another listen.port"
        case "listen": "put a proxy with TLS in front, or name a certificate"
        case "store": "free some room, or give the folder to the user that Roost runs as"
        default: "see Config/roost.yaml"
        }
    }
}
