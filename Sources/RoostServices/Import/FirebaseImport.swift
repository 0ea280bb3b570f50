import Foundation
import Glibc
import RoostConfiguration
import RoostServicesConfiguration
import RoostStore

/// Imports the users of a Firebase project, from the file that `firebase auth:export` writes. The file is read in
/// pieces, and each batch of users is one commit, so an import that was killed continues when it is run again. It may
/// run beside the services. One thread.
package struct FirebaseImport {
    private let rules: PersonRules
    private let defaultRole: String?
    private let openID: OpenIDSettings
    private let limits: ServicesLimits
    private let clock: WallClock
    private let parameters: FirebaseHashParameters
    private let database: LocalDatabase
    // The accounts that a dry run would write, in memory: 1 KiB for each user.
    private let rehearsal: LocalDatabase?
    private let tell: (String) -> Void
    private var report = FirebaseReport()

    /// - Parameters:
    ///   - data: the folder of the services, which must have been started once.
    ///   - hashParameters: the file with the project's hash parameters.
    ///   - isDryRun: whether nothing is to be written.
    ///   - defaultRole: of users whose claims have none, or one that isn't among the rules.
    ///   - openID: names the issuers of identities.
    ///   - tell: gets a line for each user that is refused or has another id.
    package init(
        data: String, hashParameters: String, isDryRun: Bool, rules: PersonRules, defaultRole: String? = nil,
        openID: OpenIDSettings, limits: ServicesLimits, clock: WallClock, tell: @escaping (String) -> Void
    ) throws {
        if let defaultRole, !rules.roles.contains(defaultRole) {
            throw ConfigurationFailure("--default-role: \(defaultRole) isn't among accounts.roles")
        }
        self.rules = rules
        self.defaultRole = defaultRole
        self.openID = openID
        self.limits = limits
        self.clock = clock
        self.tell = tell
        parameters = try FirebaseHashParameters(reading: FirebaseImport.text(hashParameters, limits))
        try DataFolder.checkNotLost(data)
        try FirebaseImport.checkOwner(data)
        // Whatever SQLite makes is its owner's.
        umask(0o077)
        database = try LocalDatabase(path: data + "/services.db", migrations: nil, mayCreate: false)
        // The services bring the tables to another form, and make a copy before that.
        guard try Set(database.applied()) == Set(ServicesDatabase.migrations.map(\.name)) else {
            throw ConfigurationFailure("\(data): is of another version; start the services of this one once")
        }
        rehearsal =
            isDryRun ? try LocalDatabase(path: ":memory:", migrations: ServicesDatabase.migrations) : nil
    }

    private static func text(_ path: String, _ limits: ServicesLimits) throws(ConfigurationFailure) -> String {
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: limits.importConfigBytes),
            let text = String(data: data, encoding: .utf8)
        else { throw ConfigurationFailure("--hash-config: \(path) can't be read") }
        return text
    }

    // As another user it would leave files that the services can't open.
    private static func checkOwner(_ data: String) throws(ConfigurationFailure) {
        var about = stat()
        guard stat(data + "/services.db", &about) == 0, about.st_size > 0 else {
            throw ConfigurationFailure(
                "\(data): no data of the services is here; start them once, or name the folder by services.data")
        }
        guard about.st_uid == geteuid() else {
            throw ConfigurationFailure("\(data): belongs to the user \(about.st_uid); import as that user")
        }
    }

    /// Reads the file to its end.
    /// - Returns: what became of the users, also of a file that is damaged further down.
    package mutating func run(file path: String) -> (report: FirebaseReport, failure: (any Error)?) {
        do { try read(path) } catch { return (report, error) }
        return (report, nil)
    }

    private mutating func read(_ path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw ConfigurationFailure("\(path): can't be read: \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var export = FirebaseExport(entryBytesMax: limits.importUserBytes)
        var waiting: [FirebaseExport.Entry] = []
        var room = [UInt8](repeating: 0, count: limits.importPieceBytes)
        while true {
            let count = Glibc.read(file, &room, room.count)
            guard count >= 0 else {
                throw ConfigurationFailure("\(path): can't be read: \(String(cString: strerror(errno)))")
            }
            guard count > 0 else { break }
            let piece = room[..<count]
            // Users before the damaged line are taken.
            let outcome = Result { () throws(ImportFailure) in try export.read(piece) { waiting.append($0) } }
            while waiting.count >= limits.importBatch {
                try take(waiting.prefix(limits.importBatch))
                waiting.removeFirst(limits.importBatch)
            }
            if case .failure(let failure) = outcome {
                try take(waiting[...])
                throw failure
            }
        }
        try take(waiting[...])
        try export.finish()
    }

    // One commit. The report and the lines say what is on disk.
    private mutating func take(_ entries: ArraySlice<FirebaseExport.Entry>) throws(LocalFailure) {
        guard !entries.isEmpty else { return }
        var (next, lines) = (report, [String]())
        try (rehearsal ?? database).transaction { () throws(LocalFailure) in
            for entry in entries { try take(entry, &next, &lines) }
        }
        report = next
        lines.forEach(tell)
    }

    private func take(
        _ entry: FirebaseExport.Entry, _ report: inout FirebaseReport, _ lines: inout [String]
    ) throws(LocalFailure) {
        let user: FirebaseUser
        let account: Account
        do throws(FirebaseUser.Refusal) {
            user = try FirebaseUser(entry.bytes ?? [])
            account = try user.account(parameters, rules: rules, defaultRole: defaultRole, now: clock.now())
        } catch {
            report.refused += 1
            lines.append("line \(entry.line): refused: \(error.rawValue)")
            return
        }
        let outcome = try take(account, user.identities)
        report.count(outcome, user, account)
        switch outcome {
        case .refused(let refusal): lines.append("line \(entry.line), \(account.user): refused: \(refusal.rawValue)")
        case .new where !user.keepsID:
            lines.append("line \(entry.line), \(account.user): has this id in place of its localId")
        default: break
        }
    }

    private func take(
        _ account: Account, _ identities: [FirebaseUser.Identity]
    ) throws(LocalFailure) -> FirebaseReport.Outcome {
        var wasHere = false
        for place in places where try ImportedTable.has(account.user, place) { wasHere = true }
        for place in places {
            guard let found = try AccountTable.find(user: account.user, place) else { continue }
            return wasHere ? try renew(found, account.hash) : .refused(.userTaken)
        }
        guard !wasHere else { return .deleted }
        if let email = account.email {
            for place in places where try AccountTable.find(email: email, place) != nil {
                return .refused(.addressTaken)
            }
        }
        let target = rehearsal ?? database
        guard try AccountTable.insert(account, target) else { return .refused(.addressTaken) }
        try ImportedTable.insert(account.user, target)
        // One that has an account already stays there.
        for identity in identities { _ = try IdentityTable.insert(linked(identity, account), target) }
        return .new
    }

    private func linked(_ identity: FirebaseUser.Identity, _ account: Account) -> LinkedIdentity {
        let issuer =
            switch identity.provider {
            case .google: openID.google.issuer
            case .apple: openID.apple.issuer
            }
        return LinkedIdentity(
            id: RandomName.session(), issuer: issuer, subject: identity.subject, user: account.user,
            created: clock.now())
    }

    private var places: [LocalDatabase] { [database, rehearsal].compactMap(\.self) }

    // The password was changed in Firebase since the last import, and its user hasn't signed in here.
    private func renew(_ account: Account, _ hash: String?) throws(LocalFailure) -> FirebaseReport.Outcome {
        guard let hash, hash != account.hash, account.hash?.hasPrefix(FirebaseScrypt.mark) == true else {
            return .known
        }
        if rehearsal == nil { try AccountTable.setHash(account.user, hash, database) }
        return .renewed
    }
}
