import RoostFraming
import RoostWire

/// Writes for operators the whereabouts of an event: the devices of the present members that have it, and those that
/// wait for it. Members who have left since aren't listed.
struct WhereaboutsReport {
    /// The query.
    struct Page {
        /// The position, if the event was named by it.
        let position: Position?
        /// The last user of the page before.
        let after: String?
        /// Most members of the page.
        let rows: Int
    }

    /// The event and its state.
    struct Place {
        fileprivate let event: StoredEvent
        fileprivate let conversation: Conversation
        /// The place of the first member of the page.
        fileprivate let first: Int
    }

    static let notFound = Refusal(.notFound, "there is no such event")

    private let directory: Directory
    private let builder: FrameBuilder
    private let bytes: Int

    init(_ directory: Directory, _ builder: FrameBuilder, bytes: Int) {
        self.directory = directory
        self.builder = builder
        self.bytes = bytes
    }

    /// Finds the event in the answer of the log.
    func find(_ page: Page, in result: ReadResult) throws(Refusal) -> Place {
        guard let event = result.events.first, page.position.map({ $0 == event.position }) ?? true,
            let conversation = directory.conversation(event.conversation)
        else { throw WhereaboutsReport.notFound }
        var first = 0
        if let after = page.after {
            guard let user = directory.user(called: after) else { throw Directory.notANext }
            first = conversation.place(of: try directory.ordinal(after: user, in: conversation))
        }
        return Place(event: event, conversation: conversation, first: first)
    }

    func write(_ place: Place, _ page: Page) {
        let (event, conversation) = (place.event, place.conversation)
        builder.member("position", event.position)
        builder.member("conversation", plain: conversation.id)
        builder.member("sequence", event.sequence.value)
        builder.member("kind", word: event.kind.word)
        builder.member("time", event.time.milliseconds)
        builder.member("user", plain: directory.user(event.sender)?.name ?? "")
        builder.member("device", plain: event.device)
        if !event.key.isEmpty { builder.member("key", event.key) }
        if event.deletedAt != .never { builder.member("deleted", event.deletedAt.milliseconds) }
        builder.member("of", Int64(conversation.members.count))
        builder.beginArray("members")
        let members = conversation.members
        var next: Member?
        for (offset, member) in members.dropFirst(place.first).prefix(page.rows + 1).enumerated() {
            // A member may have many devices. The page then ends early.
            guard offset < page.rows, offset == 0 || builder.written.count <= bytes else { break }
            write(member, event)
            next = member
        }
        builder.endArray()
        if let next, next !== members.last { builder.member("next", plain: next.user.name) }
    }

    private func write(_ member: Member, _ event: StoredEvent) {
        builder.beginObject()
        defer { builder.endObject() }
        builder.member("user", plain: member.user.name)
        guard member.since < event.sequence || event.kind == .conversation, member.joinedAt <= event.position else {
            return builder.member("hidden", true)
        }
        if event.kind == .message {
            builder.members(of: member.watermark, .all)
        }
        builder.beginArray("devices")
        for device in member.user.devices { write(device, event) }
        builder.endArray()
    }

    private func write(_ device: Device, _ event: StoredEvent) {
        builder.beginObject()
        builder.member("device", plain: device.name)
        builder.member("state", word: state(of: device, event))
        if device.session != nil {
            builder.member("online", true)
        } else {
            builder.member("online", false)
            if let ended = device.ends.last, ended.time != .never {
                builder.member("since", ended.time.milliseconds)
            }
        }
        builder.endObject()
    }

    private func state(of device: Device, _ event: StoredEvent) -> StaticString {
        if device.user.number == event.sender, device.name == event.device { return "sender" }
        if device.cursor >= event.position { return "delivered" }
        if let session = device.session, session.feed.sentPosition >= event.position { return "sent" }
        return "waiting"
    }
}

extension EventKind {
    fileprivate var word: StaticString {
        switch self {
        case .message: "message"
        case .edit: "edit"
        case .delete: "delete"
        case .react: "react"
        case .state: "state"
        case .conversation: "conversation"
        }
    }
}
