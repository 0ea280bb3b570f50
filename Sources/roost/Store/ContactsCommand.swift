import ArgumentParser
import RoostServer

/// `roost contacts …`: what an operator does about who knows whom.
struct ContactsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contacts",
        abstract: "Make contacts of conversations, before the gate asks for them.",
        subcommands: [ContactsInferCommand.self]
    )
}

/// `roost contacts infer`.
struct ContactsInferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "infer",
        abstract: "Make a contact of each direct conversation of one trainer and one client.",
        discussion: """
            Both have to be in it, and their roles to be in their profiles. What doesn't fit is skipped and counted. \
            --dry-run works while the relay runs, and writes nothing. For --apply the relay has to be stopped. It can \
            be run again at any time: what is there already stays as it is.
            """
    )

    @Flag(help: "Only say what would be made.") var dryRun = false
    @Flag(help: "Make the contacts.") var apply = false
    @Option(help: "The two roles, and what the contacts are to each other.") var kind = "trainer/client"
    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard dryRun != apply else { throw ValidationError("Either --dry-run or --apply is needed.") }
    }

    func run() throws {
        try options.run { try $0.inferContacts(kind, isTrial: dryRun) }
    }
}
