import ArgumentParser
import RoostServices
import RoostServicesConfiguration

/// `roost-services import-firebase`: brings the users of a Firebase project. It may be run again.
struct ImportFirebaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-firebase",
        abstract: "Import the users that `firebase auth:export` wrote, with their passwords.")

    @OptionGroup var options: ServicesOptions
    @Argument(help: ArgumentHelp("What `firebase auth:export users.json` wrote.", valueName: "users.json"))
    var users: String
    @Option(help: ArgumentHelp("What Firebase's console shows as password hash parameters.", valueName: "file"))
    var hashConfig: String
    @Option(help: "The role (accounts.roles) for users without one in their custom claims.") var defaultRole: String?
    @Flag(help: "Print what would be done, and write nothing.") var dryRun = false

    func run() throws {
        let configuration = try options.configuration()
        var firebase = try FirebaseImport(
            data: configuration.data, hashParameters: hashConfig, isDryRun: dryRun,
            rules: Accounts.Settings(configuration).rules, defaultRole: defaultRole, openID: configuration.openID,
            limits: ServicesLimits(),
            clock: .system
        ) { ServicesCommand.write($0) }
        let (report, failure) = firebase.run(file: users)
        ServicesCommand.write(
            (dryRun ? "Nothing was written. It would be:\n" : "") + report.text)
        if let failure { throw failure }
    }
}
