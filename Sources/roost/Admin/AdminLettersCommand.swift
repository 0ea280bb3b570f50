import ArgumentParser
import RoostWire

/// `roost admin letters`: what `mail.mode: off` keeps for the operator.
struct AdminLettersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "letters",
        abstract: "List the letters with links that wait because there is no mail, to hand them over yourself.",
        discussion: "Each link is good once, for half an hour, and for whoever has it.")

    @OptionGroup var accounts: AccountOptions

    func run() throws {
        try accounts.run("GET", "/v1/admin/letters") { page in
            (page.objects("letters") ?? []).map(AccountText.letter)
        }
    }
}
