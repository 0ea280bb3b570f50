import ArgumentParser

/// `roost admin link`: prints a link that signs in the owner of a server that `roost up` runs, or one for a friend. It
/// prints only the link to standard output, and needs the data folder rather than a running server.
struct AdminLinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Print a link that signs in the owner, or invites a friend.",
        discussion: """
            A friend's link works for a week, the owner's for half an hour, and each works once, for anyone who has \
            it. Takes the options of `roost up`. For another user who has an account: `roost admin user link`.
            """)

    @OptionGroup var up: UpOptions
    @Flag(help: "A link for a person who gets a new account.") var friend = false

    func run() throws { try ServicesProgram.become(["link"] + (friend ? ["--friend"] : []), up) }
}
