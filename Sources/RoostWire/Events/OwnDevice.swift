/// One of the user's own devices.
public struct OwnDevice: Sendable, Equatable {
    /// The state of a device. The raw value is the word on the wire.
    public enum State: String, Sendable, CaseIterable {
        /// It is connected and in use.
        case active
        /// It is connected and not in use.
        case idle
        /// It is connected, and not in view.
        case background
        /// It is not connected.
        case offline
    }

    /// The end of a connection.
    public struct End: Sendable, Equatable {
        /// Why; nil if this version doesn't know the word.
        public var reason: EndReason?
        /// When; nil if the relay crashed.
        public var time: Timestamp?
    }

    /// The device's name.
    public var device: String
    /// Its state.
    public var state: State
    /// When its connection began; nil if it is offline.
    public var since: Timestamp?
    /// The end of its last connection before the present one; nil if there was none.
    public var ended: End?
}

extension OwnDevice {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let device = members.string("device"), let state = members.string("state").flatMap(State.init(rawValue:))
        else { return nil }
        self.device = device
        self.state = state
        since = members.time("since")
        ended = members.object("ended").map {
            End(reason: $0.string("reason").flatMap(EndReason.init(word:)), time: $0.time("time"))
        }
    }

    /// The devices in the answer to `devices`. Leaves out those whose state this version doesn't know.
    public static func list(reading members: JSONMembers) -> [OwnDevice] {
        (members.objects("devices") ?? []).compactMap(OwnDevice.init(reading:))
    }
}
