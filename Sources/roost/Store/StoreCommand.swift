import ArgumentParser
import Foundation
import RoostConfiguration
import RoostServer

/// `roost store …`: what an operator does with a store besides serving it. Each subcommand does its work on the main
/// thread; results go to standard output, progress to the terminal.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Verify, back up, restore, export and import the store, and erase users.",
        subcommands: [
            StoreVerifyCommand.self, StoreReindexCommand.self, StoreBackupCommand.self, StoreRestoreCommand.self,
            StoreExportCommand.self, StoreImportCommand.self, StoreEraseCommand.self,
        ]
    )
}

/// The options by which every subcommand finds its store.
struct StoreOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions
    @Option(help: "The SQLite file (store.path).") var store: String?

    /// Does the work, prints what came of it, and exits with 1 if something is damaged.
    func run(
        summaryTo handle: FileHandle = .standardOutput, _ work: (StoreTools) throws -> StoreTools.Outcome
    ) throws {
        let flags = store.map { [ConfigurationFlag("--store", key: "store.path", value: $0)] } ?? []
        let progress = ProgressLine()
        let tools = try StoreTools(options.configuration(flags: flags)) { progress.show($0, share: $1) }
        let begin = Date()
        let outcome: StoreTools.Outcome
        do {
            outcome = try work(tools)
        } catch {
            progress.clear()
            throw error
        }
        progress.clear()
        for line in outcome.lines { RoostCommand.write(line, to: handle) }
        let seconds = String(format: "%.1f", locale: Locale(identifier: "en_US_POSIX"), Date().timeIntervalSince(begin))
        RoostCommand.write("\(outcome.summary) (\(seconds) s)", to: handle)
        if !outcome.isSound { throw ExitCode(1) }
    }
}

/// `roost store verify`.
struct StoreVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read the whole store and report damage.",
        discussion: """
            The relay may keep running. Exits with 0 if all is sound, with 1 if something is damaged. With --erased: \
            with 1 if bytes are left in the file that belong to no row, and may be of erased texts.
            """
    )

    @Flag(help: "Search for remains of erased texts instead of damage.") var erased = false
    @OptionGroup var options: StoreOptions

    func run() throws {
        try options.run { try erased ? $0.verifyErased() : $0.verify() }
    }
}

/// `roost store reindex`.
struct StoreReindexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reindex",
        abstract: "Rebuild everything that is derived from the log.",
        discussion: "Stop the relay first."
    )

    @OptionGroup var options: StoreOptions

    func run() throws {
        try options.run { try $0.reindex() }
    }
}

/// `roost store backup`.
struct StoreBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the store to a new file.",
        discussion: """
            The relay may keep running. The backup is one file that only its owner can read; existing files are never \
            overwritten.
            """
    )

    @Argument(help: "The file to create.") var target: String
    @OptionGroup var options: StoreOptions

    func run() throws {
        try options.run { try $0.backUp(to: target) }
    }
}

/// `roost store restore`.
struct StoreRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Check a backup and replace the store with it.",
        discussion: "Stop the relay first. The present store is kept under another name."
    )

    @Argument(help: "The backup.") var backup: String
    @OptionGroup var options: StoreOptions

    func run() throws {
        try options.run { try $0.restore(from: backup) }
    }
}

/// `roost store export`.
struct StoreExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export the store, or part of it, as lines of JSON.",
        discussion: "The relay may keep running. Docs/Export.md describes the lines."
    )

    @Option(help: "Only this user's messages and their conversations.") var user: String?
    @Option(help: "Only this conversation, by its id.") var conversation: String?
    @Option(help: "The file to create; otherwise standard output.") var to: String?
    @OptionGroup var options: StoreOptions

    func validate() throws {
        if user != nil, conversation != nil {
            throw ValidationError("--user and --conversation can't be given together.")
        }
    }

    func run() throws {
        let scope: StoreTools.Scope = user.map { .user($0) } ?? conversation.map { .conversation($0) } ?? .all
        try options.run(summaryTo: to == nil ? .standardError : .standardOutput) { try $0.export(scope, to: to) }
    }
}

/// `roost store import`.
struct StoreImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import lines of JSON into the store.",
        usage: "roost store import FILE [--store PATH]\nroost store import --give-up [--store PATH]",
        discussion: """
            Stop the relay first. Importing a file twice is importing it once. No relay starts on a store in \
            which an import was cut short, until the file is imported again or the import is given up.
            """
    )

    @Argument(help: "The file with the lines.") var source: String?
    @Flag(help: "Keep what interrupted imports have written, and finish none of them.") var giveUp = false
    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard giveUp == (source == nil) else {
            throw ValidationError("Name a file, or give up the imports that were cut short with --give-up.")
        }
    }

    func run() throws {
        try options.run {
            guard let source else { return try $0.giveUpImports() }
            return try $0.importLines(of: source)
        }
    }
}

/// `roost store erase`.
struct StoreEraseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase a user and everything the user wrote.",
        discussion: """
            Stop the relay first. Others see the messages as deleted. The name stays, and the user's tokens are \
            revoked. Backups and exports are left as they are.
            """
    )

    @Option(help: "The user's name.") var user: String
    @OptionGroup var options: StoreOptions

    func run() throws {
        try options.run { try $0.erase(user: user) }
    }
}
