import Foundation
import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// Counts up, so that all keys differ, and every random wait is next to nothing.
struct Counting: RandomNumberGenerator, Sendable {
    private var last: UInt64

    init(from first: UInt64) { last = first }

    mutating func next() -> UInt64 {
        last += 1
        return last
    }
}

/// A user's device: a file in a folder of its own, and chats that open it one after another.
@MainActor
final class Device {
    let relay: TestRelay
    let user: String
    var policy = RetryPolicy.forever
    var clientLimits = ClientLimits()
    var network: (any NetworkMonitor)?
    /// Changes to other settings.
    var adjust: @MainActor (inout RoostSettings) -> Void = { _ in }
    var connector: (any SocketConnector)?
    private let folder = FileManager.default.temporaryDirectory.appending(path: "kit-\(UUID().uuidString)")
    private var starts: UInt64 = 0
    private let name: String
    private static var made: UInt64 = 0
    private let number: UInt64

    init(_ user: String, on relay: TestRelay, name: String = "phone") throws {
        self.user = user
        self.relay = relay
        self.name = name
        Device.made += 1
        number = Device.made
        clientLimits.backoffFirst = .milliseconds(1)
        clientLimits.backoffMax = .milliseconds(5)
        clientLimits.ackDelay = .milliseconds(1)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.appending(path: "roost.db").path }

    /// Starts the app. It isn't connected yet.
    func start(as other: String? = nil) async throws -> Roost { try await Roost(settings(as: other)) }

    /// The app's settings, for a start.
    func settings(as other: String? = nil) -> RoostSettings {
        starts += 1
        let token = relay.token(for: other ?? user)
        var settings = RoostSettings(
            relay: URL(filePath: "/"), file: URL(filePath: path), device: name,
            connector: connector ?? relay.connector
        ) {
            token
        }
        settings.policy = policy
        settings.clientLimits = clientLimits
        settings.network = network
        // Keys of different devices and starts differ.
        settings.generator = Counting(from: number << 48 | starts << 32)
        adjust(&settings)
        return settings
    }

    /// Starts the app, connects, and waits until everything is there.
    func online() async throws -> Roost {
        let roost = try await start()
        await roost.connect()
        await roost.until { $0.isUpToDate }
        return roost
    }
}

extension Roost {
    /// Waits until the session is like that.
    func until(_ isSo: @Sendable (RoostSnapshot) -> Bool) async {
        for await now in snapshots() where isSo(now) { return }
    }
}

extension ConversationTimeline {
    /// Waits until it looks like that.
    @discardableResult
    func until(_ isSo: @Sendable (TimelineSnapshot) -> Bool) async -> TimelineSnapshot {
        for await now in snapshots() where isSo(now) { return now }
        return snapshot
    }

    var texts: [String] { snapshot.texts }
}

extension TimelineSnapshot {
    var texts: [String] {
        items.map { item in
            switch item {
            case .message(let message): message.isDeleted ? "(deleted)" : message.text ?? "(\(message.kind))"
            case .gap(let from, let to): "(\(from.value)-\(to.value))"
            }
        }
    }

    var states: [MessageState?] { items.compactMap(\.message?.state) }

    /// Whether the relay has stored them. The next state may follow before anybody has seen this one.
    var areSent: [Bool] { states.map { $0.map { $0.rank > 0 } ?? false } }
}

extension ConversationList {
    /// Waits until it looks like that.
    @discardableResult
    func until(_ isSo: @Sendable ([ConversationRow]) -> Bool) async -> [ConversationRow] {
        for await now in snapshots() where isSo(now.rows) { return now.rows }
        return rows
    }
}
