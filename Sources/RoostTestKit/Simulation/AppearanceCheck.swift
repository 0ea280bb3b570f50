import RoostCore
import RoostWire

/// A group's title, photo and description from a position on.
struct AppearanceTruth {
    var position: Int64
    var name = ""
    var photo = ""
    var description = ""

    /// A part of it, by its member.
    subscript(part: String) -> String {
        switch part {
        case "name": name
        case "photo": photo
        default: description
        }
    }

    /// A change, by the event at a position.
    mutating func apply(_ change: ConversationChange?, at position: Int64) -> Bool {
        switch change {
        case .create(_, _, let name, _), .rename(let name): self.name = name
        case .describe(let photo, let description):
            self.photo = photo ?? self.photo
            self.description = description ?? self.description
        default: return false
        }
        self.position = position
        return true
    }

    /// The members of events that say it.
    static let parts = ["name", "photo", "description"]

    /// Whether an event on its way into the log has a part of it, of which something would stay there.
    static func isIn(_ append: Append) -> Bool {
        guard append.kind == .conversation else { return false }
        let object = Array("{".utf8) + append.body + Array("}".utf8)
        guard let told = object.withUnsafeBytes({ JSONValue(parsing: $0) }) else { return true }
        return parts.contains { told[$0] != nil }
    }
}

extension Ledger.Event {
    /// Whether it says nothing but how a group shows itself.
    var isOfAppearance: Bool {
        switch change {
        case .rename, .describe: true
        default: false
        }
    }
}

/// Checks the titles, photos and descriptions that clients get: an event has those at its place in the log or later,
/// and former members get nothing from after they left.
struct AppearanceCheck {
    private let world: World
    private let ledger: Ledger

    init(_ world: World, _ ledger: Ledger) {
        self.world = world
        self.ledger = ledger
    }

    /// An event of a conversation has come.
    func take(_ event: WireEvent, _ stored: Ledger.Event, at position: Int64, on connection: SimulatedConnection) {
        let conversation = ledger.conversations[stored.conversation]
        guard stored.kind == .conversation, conversation.kind == .group else { return }
        let user = connection.device.user.index
        let isMember = conversation.members[user] != nil
        let last = isMember ? .max : ledger.feeds[user].last { $0.conversation == stored.conversation }?.position ?? 0
        let first = conversation.appearances.lastIndex { $0.position <= position } ?? 0
        let shown = conversation.appearances[first...].filter { $0.position <= max(last, position) }
        for part in AppearanceTruth.parts {
            guard let told = event.json?[part]?.string else { continue }
            if !shown.contains(where: { $0[part] == told }) {
                world.fail("\(connection.label) is told a \(part) of \(conversation.id) of another time")
            }
        }
    }
}
