import RoostConfiguration
import RoostServicesConfiguration

/// The command line of `roost-services`.
package struct ServicesCommandLine: Sendable {
    /// What is to be done.
    package enum Command: String, Sendable {
        case serve
        case rotateKey = "rotate-key"
        case version
        case help
    }

    package var command = Command.serve
    package var file: String?
    package var flags: [ConfigurationFlag] = []
    /// Whether to end with standard input, whose other end `roost up` holds.
    package var isSupervised = false

    /// What `help` prints.
    package static let help = """
        usage: roost-services [serve | rotate-key | version | help] [--config FILE] [--set section.key=value]...
                              [--supervised]

        serve       Sign people up and in, and issue their tokens.
        rotate-key  Make a new key for access tokens. The old one is good until its last token has ended.
        version     Print the version and the commit.

        --supervised  Stop when standard input ends, as `roost up` has it.
        """

    /// Reads the words behind the program's name.
    package init(_ words: [String]) throws(ConfigurationFailure) {
        var rest = words[...]
        if let word = rest.first, !word.hasPrefix("-") {
            guard let command = Command(rawValue: word) else {
                throw ConfigurationFailure("\(word): unknown command; see roost-services help")
            }
            self.command = command
            rest.removeFirst()
        }
        while let word = rest.popFirst() {
            switch word {
            case "--config", "--set":
                guard let value = rest.popFirst() else { throw ConfigurationFailure("\(word): a value is missing") }
                if word == "--set" { flags.append(try ConfigurationFlag(set: value)) } else { file = value }
            case "--supervised": isSupervised = true
            case "--help", "-h": command = .help
            case "--version": command = .version
            default: throw ConfigurationFailure("\(word): unknown option; see roost-services help")
            }
        }
    }

    /// Loads the configuration. Without `--config` it is the file in `ROOST_CONFIG`, or none.
    package func configuration(_ environment: [String: String]) throws(ConfigurationFailure) -> ServicesConfiguration {
        let named = environment["ROOST_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        return try ServicesConfiguration.load(file: file ?? named, environment: environment, flags: flags)
    }
}
