import RoostWire

/// Whether two who don't know each other may reach each other.
public struct GateRules: Sendable, Equatable {
    /// The share of pairs that the gate refuses.
    public enum Mode: Sendable, Equatable {
        /// Nothing. Acquaintance isn't checked.
        case off
        /// Nothing, but it is counted what it would refuse.
        case log
        /// A percentage of the pairs, always the same ones.
        case percent(Int)
        /// All pairs of users who don't know each other.
        case on
    }

    /// The share that it refuses.
    public var mode: Mode
    /// Whether two who are in the same group know each other.
    public var countsSharedGroups = true
    /// Whether a stranger's first message waits to be accepted, where it would be refused otherwise.
    public var takesRequests = false

    /// A gate in this mode.
    public init(_ mode: Mode = .off) { self.mode = mode }
}

extension GateRules.Mode: CustomStringConvertible {
    /// Reads `off`, `log`, `on`, or `percent` and a whole number from 0 to 100; nil if it is none of these.
    public init?(_ text: String) {
        switch text {
        case "off": self = .off
        case "log": self = .log
        case "on": self = .on
        default:
            let head = "percent "
            guard text.hasPrefix(head), let share = Int(text.dropFirst(head.count)), (0...100).contains(share),
                text == "\(head)\(share)"
            else { return nil }
            self = .percent(share)
        }
    }

    /// The text that `init` reads.
    public var description: String {
        switch self {
        case .off: "off"
        case .log: "log"
        case .percent(let share): "percent \(share)"
        case .on: "on"
        }
    }
}

/// The gate's verdict on two users who don't know each other.
enum GateVerdict {
    /// They may reach each other.
    case open
    /// They may, but with the gate on they couldn't.
    case logged
    case closed
}

/// An act on a user who may be a stranger.
public enum GateDeed: UInt8, CaseIterable, Sendable {
    /// To open the direct conversation, with a message or without.
    case open
    /// To put the user into a group.
    case add
    /// To watch the user's presence.
    case watch
}

/// The rules for which users may reach each other. An existing conversation stays whatever the gate says.
extension Policy {
    /// The gate's verdict on these two, by their names, if they don't know each other.
    func verdict(onStrangers one: String, _ other: String) -> GateVerdict {
        switch rules.gate.mode {
        case .off: .open
        case .log: .logged
        case .percent(let share): Policy.lot(of: one, other) < share * 100 ? .closed : .open
        case .on: .closed
        }
    }

    /// The lot out of 10,000 that the two have drawn, for as long as they have these names. A pair above a share of
    /// them is above each lower one, so that a higher share only adds pairs.
    static func lot(of one: String, _ other: String) -> Int {
        // FNV-1a, and the end of MurmurHash3, because the lower bits of the former are not spread enough.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for name in one < other ? [one, other] : [other, one] {
            for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            // No name has this byte.
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return Int((hash ^ (hash >> 33)) % 10_000)
    }

    /// Whether the two know each other without a look at their groups: they are contacts, or had a conversation
    /// that both wanted.
    func areAcquainted(_ one: User, _ other: User, direct: Conversation?) -> Bool {
        wanted(direct) != nil || isContact(other, of: one)
    }

    /// The search for what lets `user` reach `other` although they are not acquainted: a group that both are in.
    func sight(ofStranger other: User, by user: User, _ verdict: GateVerdict) -> Sight {
        Sight(of: other, by: user, direct: nil, isOpen: false, verdict, countsGroups: true)
    }
}
