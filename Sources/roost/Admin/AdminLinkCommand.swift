import ArgumentParser

/// `roost admin link`: prints a link that signs in the owner of a server that `roost up` runs, or one for a friend. It
/// prints only the link to standard output, and needs the data folder rather than a running server.
struct AdminLinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Print a link that signs in the owner or another user, or brings a friend.",
        discussion: """
            A friend's is good for a week, the others for half an hour, each once. Whoever has it is who it is for. \
            It takes the options of `roost up`.
            """)

    @OptionGroup var up: UpOptions
    @Flag(help: "One for somebody who gets an account by it.") var friend = false

    @Option(help: "One by which this user, named by the id, signs in again: who came by a link has no other way.")
    var user: String?

    func validate() throws {
        guard !friend || user == nil else { throw ValidationError("--friend is for somebody without an account") }
    }

    func run() throws {
        let words = (friend ? ["--friend"] : []) + (user.map { ["--user", $0] } ?? [])
        try ServicesProgram.become(["link"] + words, up)
    }
}
