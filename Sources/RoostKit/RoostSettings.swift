public import RoostClient
public import RoostStore
public import RoostWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The reaction to a device's file that can't be opened, as on a full disk or in a folder that isn't there. A damaged
/// file isn't meant: what can be read of it is saved, and `Roost.repair` says so.
public enum UnusableFile: Sendable {
    /// `Roost.init` throws the `LocalFailure`.
    case fail
    /// Everything is kept in memory, until the app ends: `Roost.unusable` says why.
    case useMemory
}

/// Everything that an app may set.
public struct RoostSettings: Sendable {
    /// The relay's address, `wss://…/v1/socket`.
    public var relay: URL
    /// The file of this device. It is created if it is missing; its folder must exist. An app and its extensions may
    /// open it at once; one of them at a time has a session. A file beside it, `….lock`, keeps them apart. nil to keep
    /// everything in memory, as a test does.
    public var file: URL?
    /// The reaction to a file that can't be opened.
    public var unusableFile = UnusableFile.fail
    /// The name of the device, if the file has none yet: 1–64 bytes of printable ASCII without spaces.
    public var device: String
    /// The user of the device, if the app knows it before the relay does. Another user's data is then not shown. It
    /// opens a file of another user for this one; without it, a file stays its user's until that user signs out. A
    /// session of another user ends with `ConnectionFailure.wrongUser`.
    public var user: String?
    /// Creates the sockets: `URLSessionConnector` on Apple's systems, `LibwebsocketsConnector` on Linux.
    public var connector: any SocketConnector
    /// Returns a valid token, for every connection and before the old one expires.
    public var token: @Sendable () async throws -> String
    /// Whether this is a background fetch, which doesn't make the user online.
    public var isBackground = false
    /// Reports network changes, so that the client reconnects at once; nil to find out by waiting.
    public var network: (any NetworkMonitor)?
    /// Called with what happened, for the app's own log: from any thread, in order. It never has texts, names or
    /// tokens.
    public var log: (@Sendable (RoostLogEntry) -> Void)?
    /// Texts for people.
    public var sentences = Sentences()
    /// The treatment of messages that can't be sent for now.
    public var policy = RetryPolicy.forever
    /// Whether the next message of a conversation is sent although the relay has refused one before it.
    public var goesOnAfterFailures = false
    /// The bounds of what is kept.
    public var limits = StoreLimits()
    /// The bounds of the session.
    public var clientLimits = ClientLimits()
    /// Returns the time that this device's clock shows; `welcome` corrects it. For messages that disappear.
    public var deviceTime: @Sendable () -> Timestamp = { .now }
    /// Measures waits.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Draws keys and random waits. Keys must never repeat: another one is for tests only.
    public var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()

    var address: String { relay.absoluteString }
    var path: String? { file?.path }

    /// Creates settings.
    public init(
        relay: URL, file: URL?, device: String, user: String? = nil, connector: any SocketConnector,
        token: @escaping @Sendable () async throws -> String
    ) {
        self.relay = relay
        self.file = file
        self.device = device
        self.user = user
        self.connector = connector
        self.token = token
    }
}

extension RoostSettings {
    /// Opens the device's file, or what the app wants in its place, and says why.
    func openStore() throws(LocalFailure) -> (LocalStore, LocalFailure?) {
        let open = { (path: String) throws(LocalFailure) in
            try LocalStore(
                path: path, device: device, limits: limits, policy: policy,
                goesOnAfterFailures: goesOnAfterFailures)
        }
        guard let path = path else { return (try open(":memory:"), nil) }
        do { return (try open(path), nil) } catch {
            guard case .useMemory = unusableFile else { throw error }
            return (try open(":memory:"), error)
        }
    }

    /// Opens the device's file, and not on the main thread.
    nonisolated func openEngine(_ told: Engine.Told) async throws -> Engine {
        let engine = try Engine(self, told)
        try await engine.perform { [weak engine] desk in desk.schedule = { Task { await engine?.flush() } } }
        return engine
    }
}
