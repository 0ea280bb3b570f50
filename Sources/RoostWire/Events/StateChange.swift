/// A setting of the user's own was set or removed, on some device.
public struct StateChange: Sendable, Equatable {
    /// The key; nil if removals were forgotten that this device may not know of: then its copy of the user's settings
    /// is out of date, and `state.get` returns them.
    public var key: String?
    /// The value, raw JSON; nil if it was removed.
    public var value: [UInt8]?
    /// Rises with each change of the user's settings; 0 without a key.
    public var version: Int64
    /// The device that set it; nil without a key.
    public var device: String?
    /// Its place in the log.
    public var position: String
    /// When it was set; nil without a key.
    public var time: Timestamp?
}

extension StateChange {
    /// Reads the event; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let position = members.string("position") else { return nil }
        self.position = position
        if members.flag("reset") == true {
            (key, value, version, time, device) = (nil, nil, 0, nil, nil)
            return
        }
        guard let key = members.string("key"), let version = members.integer("version"),
            let time = members.time("time")
        else { return nil }
        (self.key, self.version) = (key, version)
        self.time = time
        device = members.string("device")
        value = members["value"]?.raw
    }
}

/// The answer to `state.set`: the setting is durable.
public struct StoredState: Sendable, Equatable {
    /// The version that the key has now.
    public var version: Int64
    /// Whether it had the value before.
    public var isDuplicate: Bool
}

extension StoredState {
    /// Reads the answer; nil if it isn't one to this command, or there was no such key to remove.
    public init?(reading members: JSONMembers) {
        guard let version = members.integer("version") else { return nil }
        self.version = version
        isDuplicate = members.flag("duplicate") ?? false
    }
}

/// The answer to `state.get`: settings in the order of their keys.
public struct StatePage: Sendable, Equatable {
    /// A setting.
    public struct Setting: Sendable, Equatable {
        /// The key.
        public var key: String
        /// The value, raw JSON.
        public var value: [UInt8]
        /// Rises with each change of the user's settings.
        public var version: Int64
        /// When it was set.
        public var time: Timestamp
    }

    /// The settings.
    public var settings: [Setting]
    /// Pass it as `after` to get the next page; nil on the last one.
    public var next: String?
}

extension StatePage {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let list = members.objects("states") else { return nil }
        settings = list.compactMap(Setting.init(reading:))
        next = members.string("next")
    }
}

extension StatePage.Setting {
    init?(reading members: JSONMembers) {
        guard let key = members.string("key"), let value = members["value"]?.raw,
            let version = members.integer("version"), let time = members.time("time")
        else { return nil }
        self.init(key: key, value: value, version: version, time: time)
    }
}
