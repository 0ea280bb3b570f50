import ArgumentParser
import RoostClient
import RoostWire

/// `roost admin report …`: what users have reported.
struct AdminReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Work through users' reports.",
        subcommands: [
            AdminReportListCommand.self, AdminReportShowCommand.self, AdminReportRemoveCommand.self,
            AdminReportCloseCommand.self,
        ])
}

/// `roost admin report list`.
struct AdminReportListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the open reports, oldest first.")

    @OptionGroup var admin: AdminOptions
    @Flag(help: "Include closed reports.") var all = false

    func run() async throws {
        try await admin.run { client, after async throws(RoostFailure) in
            try await client.reports(after: after.flatMap { Int64($0) }, limit: 100, state: all ? nil : .open)
        } show: { members, isFirst in
            guard let page = ReportPage(reading: members) else { return nil }
            let names = ShownNames(page.people)
            return (
                (isFirst ? ["\(page.open) open"] : []) + page.reports.flatMap { AdminText.lines($0, names) },
                page.next.map { "\($0)" }
            )
        }
    }
}

/// `roost admin report show NUMBER`.
struct AdminReportShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a report with the message and those around it.",
        discussion: "This shows people's private messages, and the relay logs that you read them.")

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The number of the report, as roost admin report list prints it.") var number: Int64

    func run() async throws {
        try await admin.run { client, _ async throws(RoostFailure) in
            try await client.report(number)
        } show: { members, _ in
            ShownReport(reading: members).map { (AdminText.lines($0), nil) }
        }
    }
}

/// `roost admin report remove NUMBER`.
struct AdminReportRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Delete the reported message for everyone. The report stays open.",
        discussion: "The message is deleted as if by its author, and can't be restored.")

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The number of the report, as roost admin report list prints it.") var number: Int64

    func run() async throws {
        try await admin.run { client, _ async throws(RoostFailure) in
            try await client.removeReported(number)
        } show: { _, _ in
            (["removed"], nil)
        }
    }
}

/// `roost admin report close NUMBER`.
struct AdminReportCloseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "Close a report that needs no more work.")

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The number of the report.") var number: Int64
    @Option(help: "What was done about it, for other operators.") var note: String?

    func run() async throws {
        try await admin.run { client, _ async throws(RoostFailure) in
            try await client.closeReport(number, note: note)
        } show: { _, _ in
            (["closed"], nil)
        }
    }
}
