import Foundation
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import RoostAuth
import RoostClient
import RoostClientLibwebsockets
import RoostConfiguration
import RoostServicesConfiguration

/// The process: everything joined by a configuration.
package struct Services: Sendable {
    private let configuration: ServicesConfiguration
    private let limits: ServicesLimits
    private let clock: WallClock
    private let log: Logger
    private let folder: DataFolder
    private let database: ServicesDatabase
    private let keys: KeyRing
    private let accounts: Accounts
    private let revocations: RevocationQueue
    private let identities: Identities
    private let outgoing: [ServicesMetrics.Outgoing]
    private let grants: GrantQueue
    private let apiKeys: APIKeys
    private let relay: RelayLine
    private let erasures: ErasureQueue
    /// Sends profiles to the relay.
    private let profiles: ProfileQueue

    /// Opens the data folder. Nothing is served yet.
    /// - Throws: `KeyFailure`, `LocalFailure` or `ServiceFault`, if the folder can't be used.
    package init(
        _ configuration: ServicesConfiguration, limits: ServicesLimits = ServicesLimits(),
        clock: WallClock = .system, mail: (any MailSender)? = nil, log: Logger
    ) async throws {
        self.configuration = configuration
        self.limits = limits
        self.clock = clock
        self.log = log
        // Before anything else is made there: a folder that has lost its database stays as it is.
        folder = try DataFolder(configuration.data)
        keys = try KeyRing(data: configuration.data, limits: limits, clock: clock)
        // Files made by SQLite belong to our owner alone. The folder and the public keys are for the relay, too.
        umask(0o077)
        database = try await ServicesDatabase(
            path: folder.database, mayBegin: !folder.hasHadDatabase, log: log)
        try folder.markDatabase()
        for line in folder.warnings() { log.warning("\(line)") }
        let (ring, seconds) = (keys, limits.serviceTokenSeconds)
        func line() throws -> RelayLine {
            RelayLine(
                url: configuration.relayURL, connector: try Services.connector(configuration), limits: limits,
                clock: clock, log: log
            ) { () throws(ServiceFault) in
                try AccessToken.service(by: ring, issued: clock.seconds, seconds: seconds)
            }
        }
        apiKeys = APIKeys(database: database, clock: clock)
        relay = try line()
        // Erasure has a line of its own: it can cost much, and isn't urgent.
        let erasureQueue = ErasureQueue(database: database, relay: try line(), clock: clock, limits: limits)
        erasures = erasureQueue
        let profileQueue = ProfileQueue(database: database, relay: try line(), log: log)
        profiles = profileQueue
        // A user's messages are erased once the user can't write any more.
        let queue = RevocationQueue(
            database: database, relay: try line(), clock: clock, log: log, told: { erasureQueue.wake() })
        revocations = queue
        let identityClient = try Services.identityClient(configuration)
        let mailClient = mail == nil && configuration.mail.mode == .smtp ? try Services.mailClient(configuration) : nil
        outgoing =
            [ServicesMetrics.Outgoing(use: "openid", client: identityClient)]
            + (mailClient.map { [ServicesMetrics.Outgoing(use: "mail", client: $0)] } ?? [])
        let openID = try Services.openID(configuration, identityClient, clock, log)
        let grantQueue = GrantQueue(database: database, openID: openID, seal: GrantSeal(ring.secret), log: log)
        grants = grantQueue
        accounts = Accounts(
            settings: Accounts.Settings(configuration), limits: limits, clock: clock, database: database,
            hashes: try HashPool(limits: limits), keys: keys,
            mail: try mail ?? Services.mail(configuration, mailClient, limits, clock, log), log: log,
            // Whatever ends an account may end what a provider has granted.
            wakeRelay: {
                queue.wake()
                profileQueue.wake()
                grantQueue.wake()
            })
        identities = Identities(accounts: accounts, openID: openID)
    }

    private static func connector(
        _ configuration: ServicesConfiguration
    ) throws(ConfigurationFailure) -> LibwebsocketsConnector {
        let address = configuration.relayAddress.isEmpty ? nil : configuration.relayAddress
        guard !configuration.relayCAFile.isEmpty else { return LibwebsocketsConnector(address: address) }
        do throws(SocketFailure) {
            return try LibwebsocketsConnector(caFile: configuration.relayCAFile, address: address)
        } catch {
            throw ConfigurationFailure("services.relay_ca_file: \(error.reason)")
        }
    }

    private static func identityClient(_ configuration: ServicesConfiguration) throws -> OutgoingClient {
        let caFile = configuration.openID.caFile.isEmpty ? nil : configuration.openID.caFile
        return try OutgoingClient(
            OutgoingSettings(policy: AddressPolicy(configuration), caFile: caFile, bounds: .forSignIn))
    }

    private static func mailClient(_ configuration: ServicesConfiguration) throws -> OutgoingClient {
        try OutgoingClient(
            OutgoingSettings(caFile: configuration.mail.caFile.isEmpty ? nil : configuration.mail.caFile))
    }

    private static func openID(
        _ configuration: ServicesConfiguration, _ client: OutgoingClient, _ clock: WallClock, _ log: Logger
    ) throws -> OpenID {
        let rule = EndpointRule(AddressPolicy(configuration))
        let settings = try OpenID.Settings(configuration, rule: rule)
        return OpenID(settings, rule: rule, clock: clock, log: log) { request throws(OutgoingFailure) in
            try await client.send(request)
        }
    }

    private static func mail(
        _ configuration: ServicesConfiguration, _ client: OutgoingClient?, _ limits: ServicesLimits,
        _ clock: WallClock, _ log: Logger
    ) throws -> any MailSender {
        switch (configuration.mail.mode, client) {
        case (.print, _): return PrintedMail()
        case (.off, _), (.smtp, nil): return HeldMail(limits: limits, clock: clock)
        case (.smtp, let client?):
            return try SMTPMail(configuration.mail, client: client, minutes: Int(limits.linkSeconds / 60)) { line in
                log.warning("\(line)")
            }
        }
    }

    /// Throws the first mistake that `init` would find in the configuration. Opens no data and connects to nothing.
    package static func check(_ configuration: ServicesConfiguration) async throws {
        let (clock, log) = (WallClock.system, Logger(label: "check-config") { _ in SwiftLogNoOpLogHandler() })
        _ = try connector(configuration)
        let client = try identityClient(configuration)
        _ = try openID(configuration, client, clock, log)
        let mailClient = configuration.mail.mode == .smtp ? try mailClient(configuration) : nil
        _ = try mail(configuration, mailClient, ServicesLimits(), clock, log)
    }

    /// Connects to the mail server and signs in. Returns the fault; nil if it accepts mail from us.
    package static func mailProblem(_ configuration: ServicesConfiguration) async throws -> String? {
        let client = try mailClient(configuration)
        switch await (try SMTPMail(configuration.mail, client: client, minutes: 0) { _ in }).greet() {
        case .sent: return nil
        case .refused(let words), .deferred(let words): return words
        }
    }

    /// Serves until SIGTERM or SIGINT. Requests that have begun are answered.
    package func run() async throws {
        let requests = RequestCounts()
        let metrics = ServicesMetrics(
            accounts: accounts, requests: requests, outgoing: outgoing,
            census: Census(database: database, clock: clock, seconds: limits.censusSeconds), started: clock.now())
        var table = RouteTable()
        let readiness = Readiness(database: database, clock: clock, seconds: limits.readySeconds)
        PublicRoutes(readiness: readiness, keys: keys).add(to: &table)
        // Both before the path that ends one session.
        InvitationRoutes(invitations: Invitations(accounts, relay: relay)).add(to: &table)
        FactorRoutes(factors: Factors(accounts)).add(to: &table)
        AccountRoutes(accounts: accounts).add(to: &table)
        OpenIDRoutes(identities: identities).add(to: &table)
        let operators = Operators(accounts)
        AdminRoutes(operators: operators, limits: limits).add(to: &table)
        AdminInviteRoutes(desk: InvitationDesk(operators: operators, relay: relay)).add(to: &table)
        ReportRoutes(desk: ReportDesk(operators: operators, relay: relay), limits: limits).add(to: &table)
        MetricsRoutes(metrics: metrics, token: configuration.metricsToken).add(to: &table)
        UserRoutes(lookup: UserLookup(accounts, isOn: configuration.looksUp)).add(to: &table)
        LetterRoutes(operators: operators).add(to: &table)
        BackendRoutes(keys: apiKeys, relay: relay, erasures: erasures, accounts: accounts, limits: limits)
            .add(to: &table)
        let addresses = ClientAddress(proxies: configuration.proxies)
        let gate = Gate(
            routes: table, origins: Set(configuration.allowedOrigins), addresses: addresses, limits: limits,
            requests: requests, log: log)
        let (connections, bounds) = (ConnectionTable(limits: limits, addresses: addresses), limits)
        let application = Application(
            responder: gate,
            server: HTTPServerBuilder { responder in
                ServicesChannel(responder: responder, limits: bounds, connections: connections)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                availableConnectionsDelegate: MaximumAvailableConnections(limits.connectionsMax)),
            onServerRunning: { channel in await announce(channel.localAddress?.port ?? 0) }, logger: log)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await accounts.run() }
            group.addTask { await revocations.run() }
            group.addTask { await grants.run() }
            group.addTask { await erasures.run() }
            group.addTask { await profiles.run() }
            group.addTask { await chores() }
            group.addTask { try await listen(application) }
            // Only the last of them ends by itself, or fails.
            defer {
                group.cancelAll()
                accounts.mail.stop()
            }
            _ = try await group.next()
        }
        // After a clean end the file alone has everything, for operators who copy it.
        try await database.forget()
    }

    private func listen(_ application: some ApplicationProtocol) async throws {
        do { try await application.runService() } catch let error as IOError {
            throw ServiceFault(
                .unavailable,
                "services.host, services.port: can't listen on \(configuration.host), port \(configuration.port): "
                    + String(cString: strerror(error.errnoCode)))
        }
    }

    private func announce(_ port: Int) async {
        let host = configuration.host
        let shown = host.contains(":") ? "[\(host)]" : host
        var text = "roost-services \(ServicesVersion.number) listens on http://\(shown):\(port)\n"
        do throws(ServiceFault) { text += try await firstLinks() } catch {
            log.error("the first links can't be made", metadata: ["code": "\(error.code.rawValue)"])
        }
        // A closed output isn't a failure.
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }

    /// Returns the owner link until there is an owner. A link is a bearer credential, so it is printed for a first try
    /// only, and not where the output may be kept.
    private func firstLinks() async throws(ServiceFault) -> String {
        let links = Services.links(configuration, database, limits, clock)
        guard try await !links.hasOwner() else { return "" }
        guard configuration.mail.mode == .print || isatty(STDOUT_FILENO) == 1 else {
            return "Nobody is the owner yet. `roost admin link` prints a link for that.\n"
        }
        return """

            Open the chat page as its owner, and send the other link to a friend. Each is good once:
              owner   \(try await links.owner())
              friend  \(try await links.friend())
            `roost admin link` prints the owner's again, and `roost admin link --friend` one for somebody else.


            """
    }

    private static func links(
        _ configuration: ServicesConfiguration, _ database: ServicesDatabase, _ limits: ServicesLimits,
        _ clock: WallClock
    ) -> FirstLinks {
        FirstLinks(database: database, limits: limits, clock: clock, page: configuration.pageURL)
    }

    // MARK: Commands

    /// The database, for a command beside a process that may be running. It is never made here.
    private static func existingDatabase(_ configuration: ServicesConfiguration) async throws -> ServicesDatabase {
        let path = try DataFolder.existingDatabase(in: configuration.data)
        umask(0o077)
        return try await ServicesDatabase(existing: path, log: Logger(label: "roost-services"))
    }

    /// The keys of backends, beside a process that may be running.
    /// - Throws: `KeyFailure`, `LocalFailure` or `ServiceFault`, if the database can't be used.
    package static func apiKeys(_ configuration: ServicesConfiguration) async throws -> APIKeys {
        APIKeys(database: try await existingDatabase(configuration), clock: .system)
    }

    /// Makes the next key for access tokens, beside a process that may be running.
    /// - Throws: `KeyFailure` or `ServiceFault`, if the folder can't be used.
    package static func rotateKey(_ configuration: ServicesConfiguration) throws {
        _ = try DataFolder.existingDatabase(in: configuration.data)
        try KeyRing.rotate(data: configuration.data, limits: ServicesLimits(), clock: .system)
    }

    /// Makes a link beside a process that may be running.
    /// - Throws: `KeyFailure`, `LocalFailure` or `ServiceFault`, if the database can't be used.
    package static func link(_ configuration: ServicesConfiguration, for receiver: LinkReceiver) async throws -> String
    {
        let database = try await existingDatabase(configuration)
        let links = links(configuration, database, ServicesLimits(), .system)
        switch receiver {
        case .owner: return try await links.owner()
        case .friend: return try await links.friend()
        }
    }

    /// The person that a link is for.
    package enum LinkReceiver: Sendable {
        case owner, friend
    }

    /// Looks at the keys, and deletes what has ended.
    private func chores() async {
        while !Task.isCancelled {
            do throws(KeyFailure) { try keys.load(now: clock.now()) } catch {
                log.error("the keys can't be read", metadata: ["failure": "\(error)"])
            }
            identities.openID.clean()
            // An obsolete revocation is deleted by this, without any other sign that erasure may begin.
            erasures.wake()
            // An import beside this process doesn't wake it.
            profiles.wake()
            do throws(ServiceFault) { try await accounts.clean() } catch {
                log.error("what has ended can't be deleted", metadata: ["code": "\(error.code.rawValue)"])
            }
            try? await Task.sleep(for: .seconds(limits.choreSeconds))
        }
    }
}

extension Accounts.Settings {
    /// The part of the configuration that is about accounts.
    package init(_ configuration: ServicesConfiguration) {
        self.init()
        rules.passwordMin = configuration.passwordMin
        rules.roles = configuration.roles
        rules.tiers = configuration.tiers
        accountsMax = configuration.accountsMax
        erasesMessages = configuration.erasesMessages
        operatorsNeedFactor = configuration.operatorsNeedFactor
        accessSeconds = Int64(configuration.accessSeconds)
        refreshDays = Int64(configuration.refreshDays)
        publicURL = configuration.pageURL
    }
}
