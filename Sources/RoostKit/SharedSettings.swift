public import Observation
import RoostClient
public import RoostStore
import RoostWire

/// The settings that are the same on all devices of the user: mutes, pins, drafts, preferences. They are kept on this
/// device; to change one needs a session.
@MainActor
@Observable
public final class SharedSettings {
    /// All of them by their keys.
    public private(set) var settings: [String: LocalSetting] = [:]
    @ObservationIgnored private let engine: Engine
    @ObservationIgnored private var reader: Task<Void, Never>?
    @ObservationIgnored private let changes = Changes<[String: LocalSetting]>()

    init(_ engine: Engine, _ told: AsyncStream<[String: LocalSetting]>) {
        self.engine = engine
        reader = Task { [weak self] in for await now in told { self?.show(now) } }
    }

    deinit { reader?.cancel() }

    private func show(_ now: [String: LocalSetting]) {
        settings = now
        changes.send(now)
    }

    /// The settings, now and whenever one changes, on whatever device. A slow reader misses what is old.
    public func snapshots() -> AsyncStream<[String: LocalSetting]> { changes.stream(from: settings) }

    /// Sets a setting, or removes it.
    /// - Parameters:
    ///   - key: 1–128 bytes of printable ASCII. Docs/Protocol.md, section 6, has those that all clients understand.
    ///   - json: any JSON value but `null`, of at most 4,096 bytes; nil to remove it.
    ///   - version: the version that it has to have, 0 if it must not be there; nil for any.
    /// - Throws: `RoostFailure.refused` with `conflict` if it has another version: another device was faster.
    public func set(_ key: String, json: [UInt8]?, ifVersion version: Int64? = nil) async throws {
        let stored = try await engine.patience { [engine] () throws(RoostFailure) in
            try await engine.client.settings.set(key, json: json, ifVersion: version)
        }
        guard let stored else { return }
        try await engine.perform { desk in
            try desk.store.settings.put(key, json, stored.version)
            desk.tell([])
        }
    }

    /// The mute of a conversation; nil if it isn't muted.
    public func mute(of conversation: String) -> Mute? {
        settings[LocalSettings.mute + conversation].flatMap { Mute(json: $0.value) }
    }

    /// Makes a conversation silent on all devices, and leaves its unread messages out of the badge; nil to end that.
    /// - Parameter conversation: its id.
    public func setMute(_ mute: Mute?, of conversation: String) async throws {
        try await set(LocalSettings.mute + conversation, json: mute?.json)
    }
}
