import ArgumentParser

/// `roost admin link`: prints a link that signs in the owner of a server that `roost up` runs, or one for a friend. It
/// prints only the link to standard output, and needs the data folder rather than a running server.
struct AdminLinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Print a link that signs in the owner, or brings a friend.",
        discussion: """
            A friend's is good for a week, the owner's for half an hour, each once. Whoever has it is who it is for. \
            It takes the options of `roost up`. For somebody else who has an account: `roost admin user link`.
            """)

    @OptionGroup var up: UpOptions
    @Flag(help: "One for somebody who gets an account by it.") var friend = false

    func run() throws { try ServicesProgram.become(["link"] + (friend ? ["--friend"] : []), up) }
}
