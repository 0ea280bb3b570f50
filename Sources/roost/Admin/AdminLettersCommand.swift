import ArgumentParser
import RoostWire

/// `roost admin letters`: the mails that `mail.mode: off` keeps for the operator.
struct AdminLettersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "letters",
        abstract: "List mails with links that can't be sent because no mail server is set.",
        discussion: "Each link works once, within half an hour, for anyone who has it.")

    @OptionGroup var accounts: AccountOptions

    func run() throws {
        try accounts.run("GET", "/v1/admin/letters") { page in
            (page.objects("letters") ?? []).map(AccountText.letter)
        }
    }
}
