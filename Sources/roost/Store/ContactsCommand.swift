import ArgumentParser
import RoostServer

/// `roost contacts …`: an operator's commands for contacts.
struct ContactsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contacts",
        abstract: "Create contacts from existing conversations, before you turn the gate on.",
        subcommands: [ContactsInferCommand.self]
    )
}

/// `roost contacts infer`.
struct ContactsInferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "infer",
        abstract: "Create contacts from conversations between one trainer and one client.",
        discussion: """
            Each direct conversation of two users with these roles in their profiles makes a contact. With --groups \
            each trainer also gets each client of the groups they share. What doesn't fit is skipped and counted. It \
            can be run again at any time: what is there already stays as it is.

            --undo removes the contacts that earlier runs have made and that neither user has changed since.

            --dry-run works while the relay runs, and writes nothing. Otherwise the relay has to be stopped.
            """
    )

    @Flag(help: "Only print what would be done.") var dryRun = false
    @Flag(help: "Create the contacts.") var apply = false
    @Flag(help: "Undo earlier runs.") var undo = false
    @Flag(help: "Include users who share only a group.") var groups = false
    @Option(help: "The two roles, and the kind of the contact.") var kind = "trainer/client"
    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard !(dryRun && apply) else { throw ValidationError("Either --dry-run or --apply is possible, not both.") }
        guard dryRun || apply || undo else { throw ValidationError("Either --dry-run, --apply or --undo is needed.") }
        guard !(undo && groups) else { throw ValidationError("--undo takes back all, without --groups.") }
    }

    func run() throws {
        var inference = StoreTools.Inference(kind)
        (inference.hasGroups, inference.isUndo, inference.isTrial) = (groups, undo, dryRun)
        try options.run { [inference] in try $0.inferContacts(inference) }
    }
}
