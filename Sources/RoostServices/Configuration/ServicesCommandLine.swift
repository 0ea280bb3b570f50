import RoostConfiguration
import RoostServicesConfiguration

/// The command line of `roost-services`.
package struct ServicesCommandLine: Sendable {
    /// What is to be done.
    package enum Command: String, Sendable {
        case serve
        case rotateKey = "rotate-key"
        case importFirebase = "import-firebase"
        case link
        case adminToken = "admin-token"
        case admin
        case version
        case help
    }

    package var command = Command.serve
    package var file: String?
    package var flags: [ConfigurationFlag] = []
    /// The file with users, and the one with the parameters of their hashes.
    package var importFile = ""
    package var hashConfig = ""
    /// Whether nothing is to be written.
    package var isDryRun = false
    /// Whether to end with standard input, whose other end `roost up` holds.
    package var isSupervised = false
    /// Whether the link is for somebody else than the owner.
    package var isForFriend = false
    /// Who an operator's token is for.
    package var name = "operator"
    /// Whether that token is for the operators' page, which stays open for a while.
    package var isForPage = false
    /// Where the services are, if not where the configuration says.
    package var url: String?
    /// The certificates that theirs is checked by; nil for the system's.
    package var caFile: String?
    /// A method and a path, for `admin`.
    package var request: (method: String, path: String)?

    /// What `help` prints.
    package static let help = """
        usage: roost-services [serve | rotate-key | link | version | help] [--config FILE] [--set section.key=value]...
                              [--supervised] [--friend]
               roost-services import-firebase USERS.json --hash-config FILE [--dry-run] [--config FILE]
                              [--set section.key=value]...
               roost-services admin-token [--as NAME] [--page]
               roost-services admin METHOD PATH [--as NAME] [--url URL] [--ca-file FILE]

        serve       Sign people up and in, and issue their tokens.
        rotate-key  Make a new key for access tokens. The old one is good until its last token has ended.
        link        Print a link that signs in the owner, for half an hour.
        import-firebase
                    Make accounts of the users that `firebase auth:export users.json` wrote. They keep their passwords.
        admin-token
                    Print a token for the routes of operators, good for five minutes; with --page for an hour.
        admin       Send a request to these routes, with the body from standard input, and print the status and the
                    answer. The token is made anew, or the one in ROOST_ADMIN_TOKEN. `roost admin user` uses it.
        version     Print the version and the commit.

        --friend      With link: one by which somebody gets an account, for a week.
        --hash-config FILE
                      What the console of Firebase shows as password hash parameters.
        --dry-run     Write nothing, and say what would be done.
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
            if command == .admin {
                guard let method = rest.popFirst(), let path = rest.popFirst(), path.hasPrefix("/") else {
                    throw ConfigurationFailure("admin: a method and a path are missing")
                }
                request = (method, path)
            }
        }
        while let word = rest.popFirst() {
            switch word {
            case "--config", "--set", "--hash-config", "--as", "--url", "--ca-file":
                guard let value = rest.popFirst() else { throw ConfigurationFailure("\(word): a value is missing") }
                try take(value, for: word)
            case "--dry-run": isDryRun = true
            case "--supervised": isSupervised = true
            case "--friend": isForFriend = true
            case "--page": isForPage = true
            case "--help", "-h": command = .help
            case "--version": command = .version
            default:
                guard command == .importFirebase, importFile.isEmpty, !word.hasPrefix("-") else {
                    throw ConfigurationFailure("\(word): unknown option; see roost-services help")
                }
                importFile = word
            }
        }
        let isImport = command == .importFirebase
        guard isImport || hashConfig.isEmpty && !isDryRun else {
            throw ConfigurationFailure("--hash-config and --dry-run are for import-firebase")
        }
        guard !isImport || !importFile.isEmpty && !hashConfig.isEmpty else {
            throw ConfigurationFailure("import-firebase needs a file with users, and --hash-config with another")
        }
    }

    private mutating func take(_ value: String, for word: String) throws(ConfigurationFailure) {
        switch word {
        case "--config": file = value
        case "--as": name = value
        case "--url": url = value
        case "--ca-file": caFile = value
        case "--hash-config": hashConfig = value
        default: flags.append(try ConfigurationFlag(set: value))
        }
    }

    /// Loads the configuration. Without `--config` it is the file in `ROOST_CONFIG`, or none.
    package func configuration(_ environment: [String: String]) throws(ConfigurationFailure) -> ServicesConfiguration {
        let named = environment["ROOST_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        return try ServicesConfiguration.load(file: file ?? named, environment: environment, flags: flags)
    }
}
