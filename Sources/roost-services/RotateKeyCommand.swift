import ArgumentParser
import RoostServices
import RoostServicesConfiguration

/// `roost-services rotate-key`: the next key for access tokens, without signing anybody out.
struct RotateKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-key",
        abstract: "Create a new signing key for access tokens. The old key stays valid until its last token expires.")

    @OptionGroup var options: ServicesOptions

    func run() throws {
        try Services.rotateKey(try options.configuration())
    }
}
