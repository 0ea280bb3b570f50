import ArgumentParser
import RoostServices
import RoostServicesConfiguration

/// `roost-services rotate-key`: the next key for access tokens, without signing anybody out.
struct RotateKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-key",
        abstract: "Make a new key for access tokens. The old one is good until its last token has ended.")

    @OptionGroup var options: ServicesOptions

    func run() throws {
        try Services.rotateKey(try options.configuration())
    }
}
