public import RoostWire

/// The settings that follow the user, as far as this device has got them (Docs/Protocol.md, section 6). It belongs to
/// the thread of its store.
public final class LocalSettings {
    private let database: LocalDatabase
    /// Called before a change from the relay is applied, with the value before. Set once.
    package var willTake: (_ old: LocalSetting?, _ new: LocalSetting) throws(LocalFailure) -> Void = { _, _ in }
    /// Counts up whenever one of them may have changed.
    public private(set) var revision = 0

    /// Removed keys of which the version is remembered: as many as a user may have.
    private static let removedMax: Int64 = 1_000

    init(database: LocalDatabase) { self.database = database }

    // MARK: Reading

    /// Whether all of them are here.
    public func isComplete() throws(LocalFailure) -> Bool {
        try database.rows("SELECT has_settings FROM identity") { $0.integer(0) }.first == 1
    }

    /// One setting; nil if it isn't set.
    public func setting(_ key: String) throws(LocalFailure) -> LocalSetting? {
        try database.rows(
            "SELECT key, value, version FROM setting WHERE key = ? AND value IS NOT NULL", [.text(key)],
            LocalSettings.setting
        ).first
    }

    /// The version of a setting, also of one that was removed; 0 if none is known.
    public func version(of key: String) throws(LocalFailure) -> Int64 {
        try database.rows("SELECT version FROM setting WHERE key = ?", [.text(key)]) { $0.integer(0) }.first ?? 0
    }

    /// The settings whose keys begin so, in the order of their keys.
    public func settings(prefix: String = "") throws(LocalFailure) -> [LocalSetting] {
        // Keys are ASCII, so that a byte above it ends the range.
        try database.rows(
            "SELECT key, value, version FROM setting WHERE key >= ? AND key < ? AND value IS NOT NULL ORDER BY key",
            [.text(prefix), .text(prefix + "\u{7f}")], LocalSettings.setting)
    }

    private static func setting(_ row: LocalStatement) -> LocalSetting {
        LocalSetting(key: row.text(0), value: row.bytes(1), version: row.integer(2))
    }

    // MARK: Mutes

    /// The conversations that make no sound at a time by the relay's clock, and when the first of them ends to be so;
    /// nil if none does.
    public func muted(at now: Timestamp) throws(LocalFailure) -> (conversations: Set<String>, until: Timestamp?) {
        var (muted, first) = (Set<String>(), Timestamp?.none)
        for one in try settings(prefix: LocalSettings.mute) {
            guard let mute = Mute(json: one.value) else { continue }
            if case .until(let end) = mute {
                guard end > now else { continue }
                first = min(first ?? end, end)
            }
            muted.insert(String(one.key.dropFirst(LocalSettings.mute.count)))
        }
        return (muted, first)
    }

    /// The prefix of a mute's key (Docs/Protocol.md, section 6).
    public static let mute = "mute/"

    // MARK: Writing

    /// Takes an event.
    func take(_ change: StateChange) throws(LocalFailure) {
        guard let key = change.key else {
            noteChange()
            try database.run("DELETE FROM setting")
            return try database.run("UPDATE identity SET has_settings = 0")
        }
        try takeOthers(key, change.value, change.version)
    }

    private func takeOthers(_ key: String, _ value: [UInt8]?, _ version: Int64) throws(LocalFailure) {
        if version > (try self.version(of: key)) {
            try willTake(try setting(key), LocalSetting(key: key, value: value ?? [], version: version))
        }
        try put(key, value, version)
    }

    /// Something has changed.
    func noteChange() { revision += 1 }

    /// The relay is about to be asked for all of them.
    public func beginAsking() throws(LocalFailure) { try database.run("UPDATE identity SET has_settings = 2") }

    /// Takes a page of the relay's answer.
    /// - Parameter isLast: whether it is the last page, so that all are here, unless they were reset meanwhile.
    public func take(_ page: StatePage, isLast: Bool) throws(LocalFailure) {
        try database.transaction { () throws(LocalFailure) in
            for one in page.settings { try takeOthers(one.key, one.value, one.version) }
            if isLast { try database.run("UPDATE identity SET has_settings = 1 WHERE has_settings = 2") }
        }
    }

    /// Takes what this device has set, once the relay has it; nil for a key that was removed.
    public func put(_ key: String, _ value: [UInt8]?, _ version: Int64) throws(LocalFailure) {
        noteChange()
        try database.run(
            """
            INSERT INTO setting(key, value, version) VALUES (?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version
            WHERE excluded.version > version
            """,
            [.text(key), value.map { .bytes($0) } ?? .null, .integer(version)])
        guard value == nil else { return }
        try database.run(
            """
            DELETE FROM setting WHERE value IS NULL AND version <=
                (SELECT version FROM setting WHERE value IS NULL ORDER BY version DESC LIMIT 1 OFFSET ?)
            """,
            [.integer(LocalSettings.removedMax)])
    }
}

/// A setting that follows the user.
public struct LocalSetting: Sendable, Equatable {
    /// The key, such as `mute/c-1`.
    public var key: String
    /// The value, raw JSON.
    public var value: [UInt8]
    /// Rises with each change; for a change that must not undo one of another device.
    public var version: Int64
}

/// The time for which a conversation makes no sound, and isn't counted on an app's icon.
public enum Mute: Sendable, Equatable {
    /// Until it is taken back.
    case always
    /// Until a time by the relay's clock.
    case until(Timestamp)

    /// Reads the value of the setting; nil if it says something else.
    public init?(json: [UInt8]) {
        // Only objects are parsed.
        let object = Array("{\"value\":".utf8) + json + Array("}".utf8)
        guard let value = object.withUnsafeBytes({ JSONMembers(parsing: $0)?["value"] }) else { return nil }
        if value.bool == true {
            self = .always
        } else if let until = value["until"]?.integer {
            self = .until(Timestamp(milliseconds: until))
        } else {
            return nil
        }
    }

    /// The value of the setting.
    public var json: [UInt8] {
        switch self {
        case .always: Array("true".utf8)
        case .until(let end): Array("{\"until\":\(end.milliseconds)}".utf8)
        }
    }
}
