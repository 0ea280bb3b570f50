import ArgumentParser
import Foundation
import RoostConfiguration
import RoostServer

/// `roost store …`: what an operator does with a store besides serving it. Each subcommand does its work on the main
/// thread; results go to standard output, progress to the terminal.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Look through, copy, restore, export and import the store, and erase users from it.",
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
        abstract: "Read all of the store and name what is damaged.",
        discussion: """
            Works while the relay runs. Exits with 0 if all is sound, with 1 if something is damaged. With --erased: \
            with 1 if bytes are left in the file that belong to no row, and may be of erased texts.
            """
    )

    @Flag(help: "Look for what is left of erased texts instead of damage.") var erased = false
    @OptionGroup var options: StoreOptions

    func run() throws {
        try options.run { try erased ? $0.verifyErased() : $0.verify() }
    }
}

/// `roost store reindex`.
struct StoreReindexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reindex",
        abstract: "Make anew what is derived from the log.",
        discussion: "The relay has to be stopped."
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
        discussion: "Works while the relay runs. The copy is one file for its owner only; nothing is overwritten."
    )

    @Argument(help: "The file to make.") var target: String
    @OptionGroup var options: StoreOptions

    func run() throws {
        try options.run { try $0.backUp(to: target) }
    }
}

/// `roost store restore`.
struct StoreRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Check a backup and put it in the place of the store.",
        discussion: "The relay has to be stopped. The store that was there is kept under another name."
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
        abstract: "Write the store, or a part of it, as lines of JSON.",
        discussion: "Works while the relay runs. Docs/Export.md describes the lines."
    )

    @Option(help: "Only what this user wrote, and where.") var user: String?
    @Option(help: "Only this conversation, by its id.") var conversation: String?
    @Option(help: "The file to make; without it the lines go to standard output.") var to: String?
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
        abstract: "Put lines of JSON into the store.",
        usage: "roost store import FILE [--store PATH]\nroost store import --give-up [--store PATH]",
        discussion: """
            The relay has to be stopped. Importing a file twice is importing it once. No relay starts on a store in \
            which an import was cut short, until the file is imported again or the import is given up.
            """
    )

    @Argument(help: "The file with the lines.") var source: String?
    @Flag(help: "Leave imports that were cut short as they are.") var giveUp = false
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
            The relay has to be stopped. Others see the messages as deleted. The name stays, and the user's tokens are \
            revoked. Backups and exports are left as they are.
            """
    )

    @Option(help: "The user's name.") var user: String
    @OptionGroup var options: StoreOptions

    func run() throws {
        try options.run { try $0.erase(user: user) }
    }
}
