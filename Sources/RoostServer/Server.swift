import Dispatch
import Glibc
import Logging
import RoostAuth
public import RoostConfiguration
import RoostCore
import RoostStorage
import RoostTLS
import RoostTransport
import RoostWire

/// Builds a relay from its configuration and runs it until it is stopped. It sets up keys, store, Relay, sockets and
/// threads in this order, and takes them down in reverse. Called once per process, on the main thread, before anything
/// else runs.
public struct Server: Sendable {
    let configuration: Configuration
    let log: Logger
    let logWriter: LogWriter
    /// Users to print links to the chat page for.
    var linkedUsers: [String] = []
    /// The options by which `roost up` was started, which `roost admin link` needs, too.
    var words: [String] = []

    /// Runs the relay on the calling thread and never returns. The process exits with 0 after a drain, with 1 if the
    /// store failed, and at once on a second SIGTERM or SIGINT or if it comes before the relay listens.
    /// - Parameters:
    ///   - links: the users to print links to the chat page for; if there are none, two on a terminal.
    ///   - words: the options that `roost admin link` needs to find the same data.
    ///   - load: reads the configuration, now and on each SIGHUP; its failure is one line for the operator.
    /// - Throws: `ServerFailure`, one line for the operator, if the relay can't start.
    public static func run(
        links: [String] = [], words: [String] = [],
        _ load: @escaping @Sendable () throws(ConfigurationFailure) -> Configuration
    ) throws -> Never {
        ProcessMemory.keepLargeBlocksApart()
        let configuration = try load()
        let signals = ProcessSignals()
        // Only the relay's own user may read the files that are created from here on, above all the store.
        umask(0o077)
        let logWriter = LogWriter()
        var log = Logger(label: "roost", factory: { _ in LineLogHandler(configuration.logFormat, logWriter) })
        log.logLevel = configuration.logLevel
        let server = Server(
            configuration: configuration, log: log, logWriter: logWriter, linkedUsers: links, words: words)
        server.warnOfLimits()
        DescriptorLimit.lower(to: server.descriptorsMax)
        let keys = try server.loadKeys()
        let certificate = try server.loadCertificate()
        let (store, snapshot) = try server.openStore()
        let running = try server.makeGateway(store, snapshot, keys, certificate)
        signals.onReload { [mailbox = running.1.mailbox] in mailbox.post(.reloaded(server.reload(load))) }
        server.serve(running, store, signals)
    }

    /// Makes SIGHUP harmless from now on, until `run` waits for it: its default action would end the process. To be
    /// called before anything else, on the first thread.
    public static func holdReloads() { ProcessSignals.holdReloads() }

    private func warnOfLimits() {
        var findings = Configuration.Findings()
        configuration.lookAtDescriptors(&findings)
        for warning in findings.warnings { log.warning("\(warning)", metadata: ["event": "relay.limits"]) }
    }

    /// Reads the configuration, the keys and the certificate anew. On the signals' thread, because files may be slow.
    private func reload(
        _ load: () throws(ConfigurationFailure) -> Configuration
    ) -> Result<Gateway.Reloaded, ServerFailure> {
        do {
            let configuration = try load()
            let server = Server(configuration: configuration, log: log, logWriter: logWriter)
            return .success(
                Gateway.Reloaded(
                    configuration: configuration, keys: try server.loadKeys(),
                    certificate: try server.loadCertificate()))
        } catch let failure as ServerFailure {
            return .failure(failure)
        } catch {
            return .failure(ServerFailure("\(error)"))
        }
    }

    private func openStore() throws(ServerFailure) -> (SQLiteLog, Snapshot) {
        do {
            let store = try SQLiteLog(
                path: configuration.store.path, durability: configuration.store.durability,
                reactionsPerUser: configuration.limits.reactionsPerUser,
                freeFloor: Int64(configuration.store.freeMegabytes) << 20,
                retention: configuration.retention.ofStore,
                reporter: StorageReporter { [log] notice in
                    log.log(
                        level: notice.kind.level, "Store: \(notice.text)",
                        metadata: ["event": "store.notice", "kind": "\(notice.kind.rawValue)"])
                })
            let snapshot = try store.load()
            log.info(
                "Store opened",
                metadata: [
                    "event": "store.opened", "path": "\(configuration.store.path)",
                    "durability": "\(configuration.store.durability.rawValue)",
                    "position": .stringConvertible(snapshot.head.value),
                    "users": .stringConvertible(snapshot.users.count),
                    "conversations": .stringConvertible(snapshot.conversations.count),
                ])
            return (store, snapshot)
        } catch {
            throw ServerFailure("store: \(error)")
        }
    }

    private func makeGateway(
        _ store: SQLiteLog, _ snapshot: Snapshot, _ keys: KeyRing, _ certificate: TLSContext?
    ) throws(ServerFailure) -> (Gateway, EventLoop<Gateway>) {
        let now = Clock.now()
        if now.wall < Clock.earliest {
            log.warning(
                "The clock is wrong: messages get its time, and tokens are judged by it",
                metadata: [
                    "event": "clock.wrong", "secondsSince1970": .stringConvertible(now.wall.milliseconds / 1_000),
                ])
        }
        var limits = configuration.limits
        limits.windowMilliseconds = configuration.retention.ofStore.memoryMilliseconds ?? .max
        let relay = Relay(
            snapshot, limits: limits,
            identity: .init(server: "roost/\(ServerVersion.number)", durability: configuration.store.durability),
            rules: configuration.rules, random: SystemRandomNumberGenerator(), at: now)
        let gateway = Gateway(configuration, relay: relay, log: log, startedAt: now.wall)
        do {
            var settings = transportSettings
            settings.certificate = certificate
            gateway.certificate = certificate
            let loop = try EventLoop(settings, handler: gateway)
            let mailbox = loop.mailbox
            gateway.loop = loop
            relay.host = gateway
            gateway.workers = .init(
                commits: try CommitThread(
                    store.storeWriter, reporter: store.reporter, room: { mailbox.post(.room($0)) }
                ) { mailbox.post(.committed($0)) },
                reads: try ReadPool(
                    store.readers, bound: Server.readsMax(configuration.limits), reporter: store.reporter
                ) { mailbox.post(.answered($0)) },
                storeStatistics: { store.statistics }, keys: keys, mailbox: mailbox)
            return (gateway, loop)
        } catch {
            throw ServerFailure("\(error)")
        }
    }

    /// Runs the loop from the first event to the exit.
    private func serve(
        _ running: (gateway: Gateway, loop: EventLoop<Gateway>), _ store: SQLiteLog, _ signals: ProcessSignals
    ) -> Never {
        let (gateway, loop) = running
        signals.onFirst { [mailbox = loop.mailbox] in mailbox.post(.drain) }
        announce(port: loop.port)
        log.notice(
            "Listening",
            metadata: [
                "event": "relay.listening", "host": "\(configuration.listen.host)",
                "port": .stringConvertible(Int(loop.port)), "version": "\(ServerVersion.number)",
            ])
        gateway.otherDescriptors = max(0, ProcessUsage.countDescriptors() - loop.descriptorCount)
        loop.setTimer(afterMilliseconds: 1)
        gateway.service?.ready(at: gateway.now.monotonic, "serving")
        gateway.forgetTime()
        loop.run()
        store.giveUpWaiting()
        gateway.workers?.reads.stop()
        gateway.workers?.commits.stop()
        if !gateway.hasStoreFailed {
            do {
                if try !store.checkpoint(areMarksStored: gateway.relay.isStored) {
                    log.warning(
                        "The write-ahead log could not be emptied: another program reads the store",
                        metadata: ["event": "store.wal_kept"])
                }
            } catch {
                log.error(
                    "The write-ahead log could not be checkpointed",
                    metadata: ["event": "store.checkpoint_failed", "error": "\(error)"])
            }
        }
        store.close()
        log.notice(
            "Stopped",
            metadata: ["event": "relay.stopped", "position": .stringConvertible(gateway.relay.head.value)])
        logWriter.finish()
        exit(gateway.hasStoreFailed ? 1 : 0)
    }

    private func loadCertificate() throws(ServerFailure) -> TLSContext? {
        do { return try configuration.certificate() } catch { throw ServerFailure("tls: \(error)") }
    }

    private func loadKeys() throws(ServerFailure) -> KeyRing {
        do throws(KeyFailure) {
            let auth = configuration.auth
            return try makeRing(
                KeyRing.Source(
                    own: try SigningKey.loadOrCreate(path: auth.keyFile), paths: auth.publicKeys,
                    audience: auth.audience, issuer: auth.issuer))
        } catch {
            throw ServerFailure("keys: \(error)")
        }
    }

    /// JWTKit's key collections are actors. The main thread waits for them once, at the start, when nothing else runs
    /// yet.
    private func makeRing(_ source: KeyRing.Source) throws(KeyFailure) -> KeyRing {
        let done = DispatchSemaphore(value: 0)
        let box = ResultBox()
        Task {
            do throws(KeyFailure) {
                box.result = .success(try await KeyRing(source, report: { [log] in Server.note($0, log) }))
            } catch {
                box.result = .failure(error)
            }
            done.signal()
        }
        done.wait()
        return try box.result.get()
    }

    /// A token named a key that there wasn't. There is at most one such line in `KeyRing.restSeconds`.
    private static func note(_ result: Result<Int, KeyFailure>, _ log: Logger) {
        switch result {
        case .success(let count):
            log.info(
                "Read the public keys again, because a token named another one",
                metadata: ["event": "keys.read", "keys": .stringConvertible(count)])
        case .failure(let failure):
            log.error(
                "The public keys can't be read again; the old ones stay",
                metadata: ["event": "keys.unreadable", "error": "\(failure.reason)"])
        }
    }

    /// Carries the result to the main thread: written before the semaphore is signalled, read after.
    private final class ResultBox: @unchecked Sendable {
        var result: Result<KeyRing, KeyFailure> = .failure(KeyFailure("no keys"))
    }

    /// The most descriptors that are ever open: sockets, and some for the store, keys, threads and standard streams.
    private var descriptorsMax: Int {
        let settings = transportSettings
        return settings.connectionsMax + settings.strangersMax + settings.reserveMax + settings.leaversMax + 512
    }

    /// The most reads that the Relay has under way: those of clients, and the pages of sessions that catch up.
    private static func readsMax(_ limits: Limits) -> Int { limits.readsMax + limits.pagesAtOnce }

    private var transportSettings: TransportSettings {
        var settings = TransportSettings()
        settings.host = configuration.listen.host
        settings.port = configuration.listen.port
        settings.certifiedPaths = Set(configuration.tls.clientPaths)
        settings.proxies = ProxyList(configuration.listen.proxies) ?? ProxyList()
        settings.takesProxyHeader = configuration.listen.takesProxyHeader
        settings.connectionsMax = configuration.connectionsMax
        settings.connectionsPerAddressMax = configuration.connectionsPerAddressMax
        settings.strangersMax = configuration.strangersMax
        settings.strangersPerAddressMax = configuration.strangersPerAddressMax
        settings.requestsPerSecond = configuration.requestsPerSecond
        settings.reservedPaths = AdminPage.paths.union(["/healthz", "/readyz", "/metrics"])
        settings.unmeteredPaths = ["/healthz", "/readyz"]
        settings.frameBytesMax = configuration.limits.frameBytes
        settings.strangerBytesMax = configuration.limits.helloBytes
        settings.partialBytesMax = configuration.partialBytesMax
        return settings
    }
}

/// Why a relay could not start: one line for the operator.
public struct ServerFailure: Error, Sendable, CustomStringConvertible {
    /// The line.
    public let description: String

    init(_ description: String) { self.description = description }
}

extension StorageNotice.Kind {
    /// The level at which an operator's log has it.
    fileprivate var level: Logger.Level {
        switch self {
        case .progress: .notice
        case .permissions: .warning
        case .damagedRow, .damagedIndex, .lostEnd, .readFailed, .maintenanceFailed, .foreignProgram, .fullDisk:
            .error
        }
    }
}
