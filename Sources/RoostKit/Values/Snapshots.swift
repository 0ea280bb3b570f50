public import RoostClient
public import RoostStore
public import RoostWire

/// The contents of a timeline at one moment.
public struct TimelineSnapshot: Sendable, Equatable {
    /// The conversation; nil if it isn't known yet, as before the first message to a user.
    public var conversation: LocalConversation?
    /// The rows, oldest first.
    public var items: [TimelineItem] = [] {
        didSet { places = TimelineSnapshot.places(of: items) }
    }
    /// Changes to the conversation between the messages, oldest first. This device keeps the newest 32 lines.
    public var lines: [ConversationLine] = []
    /// The users who type, in the order in which they began.
    public var typing: [String] = []
    /// Whether several more type.
    public var othersType = false
    /// Number of online members of a group; nil in direct conversations and until it is known.
    public var online: OnlineCount?
    /// Whether there are messages before the first row.
    public var hasOlder = false
    /// Whether there are messages after the last row: the timeline was scrolled away from the newest.
    public var hasNewer = false
    /// The pinned messages, the one that was pinned last first.
    public var pins: [PinnedMessage] = []
    /// The refusal of the whole conversation by the relay; `ConversationTimeline.resume` tries again.
    public var failure: SendFailure?
    // Counts up, so that an older state that arrives late is ignored.
    var revision = 0
    private var places = RowPlaces<TimelineItem.ID>()

    /// Nothing yet.
    public init() {}

    /// A row by its identity, or a message by its number as `.sequence`, including the user's own; nil if it isn't
    /// shown.
    public subscript(_ id: TimelineItem.ID) -> TimelineItem? { places[id].map { items[$0] } }

    /// A message by its number; nil if it isn't shown.
    public subscript(_ sequence: SequenceNumber) -> TimelineMessage? { self[.sequence(sequence)]?.message }

    /// The difference from another snapshot of the same timeline.
    public func changes(since old: TimelineSnapshot) -> RowChanges<TimelineItem.ID> {
        RowChanges(items, since: old.items)
    }
}

extension TimelineSnapshot {
    private static func places(of items: [TimelineItem]) -> RowPlaces<TimelineItem.ID> {
        var places = RowPlaces(items.map(\.id))
        for (place, item) in items.enumerated() {
            if let sequence = item.message?.sequence { places.name(.sequence(sequence), place) }
        }
        return places
    }

    /// Users whose names are shown.
    var people: Set<String> {
        Set(
            items.compactMap { $0.message?.from } + items.compactMap { $0.message?.origin } + pins.compactMap(\.by)
                + lines.flatMap(\.people))
    }
}

/// The contents of a thread at one moment.
public struct ThreadSnapshot: Sendable, Equatable {
    /// The message with which it began; nil if it isn't here.
    public var root: TimelineMessage?
    /// Its messages, oldest first, without the one with which it began.
    public var items: [TimelineItem] = []
    /// Whether there are messages before the first row.
    public var hasOlder = false
    // Counts up, so that an older state that arrives late is ignored.
    var revision = 0

    /// Nothing yet.
    public init() {}
}

/// The list of conversations at one moment.
public struct ConversationListSnapshot: Sendable, Equatable {
    /// The rows, those first in which something happened last.
    public var rows: [ConversationRow] = [] {
        didSet { places = RowPlaces(rows.map(\.id)) }
    }
    /// Whether `ConversationList.loadMore` would add rows.
    public var hasMore = false
    private var places = RowPlaces<String>()

    /// Nothing yet.
    public init() {}

    /// A row by its identity; nil if it isn't listed.
    public subscript(_ id: ConversationRow.ID) -> ConversationRow? { places[id].map { rows[$0] } }

    /// The difference from another snapshot of the same list.
    public func changes(since old: ConversationListSnapshot) -> RowChanges<ConversationRow.ID> {
        RowChanges(rows, since: old.rows)
    }
}

/// A conversation in the list.
public struct ConversationRow: Sendable, Hashable, Identifiable {
    /// Where to write to: the conversation's id, or `@name` while nothing written there has reached the relay.
    public var id: String
    /// The conversation; nil while the relay doesn't know it.
    public var conversation: LocalConversation?
    /// The name of the group, or what the other user is called.
    public var title: String
    /// The other user of a direct conversation.
    public var peer: String?
    /// The last message, also one that waits.
    public var last: TimelineMessage?
    /// Messages that the user hasn't read.
    public var unread: Int
    /// Number of messages, edits and deletions that wait, or were refused.
    public var pending: Int
    /// The users who type.
    public var typing: [String]
    /// The user's draft.
    public var draft: String
    /// Whether the user wants it to make no sound.
    public var isMuted = false

    /// By its identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension ConversationRow {
    /// A conversation of a preview.
    /// - Parameter peer: the other user; nil for a group.
    public init(
        preview title: String, id: String, peer: String? = nil, last: TimelineMessage? = nil, unread: Int = 0,
        draft: String = ""
    ) {
        self.init(
            id: id, title: title, peer: peer, last: last, unread: unread, pending: 0, typing: [], draft: draft)
    }
}

/// The session at one moment.
public struct RoostSnapshot: Sendable, Equatable {
    /// Whether there is a session.
    public var connection = ConnectionState.offline
    /// The end of the last session, or the failure of the last try; nil while there is a session, and before the first
    /// try.
    public var lastLoss: Disconnection?
    /// Whether everything that this device missed has come.
    public var isUpToDate = false
    /// The user; nil before the first session.
    public var user: String?
    /// The name of this device.
    public var device = ""
    /// Unread messages of all conversations that aren't muted; see `Roost.badge`.
    public var badge = 0
    /// Number of messages, edits and deletions that wait for the relay, or were refused.
    public var pendingCount = 0
    /// Number of those that wait for the relay, and not for their user.
    public var waitingCount = 0
    /// Number of times, since this `Roost` was made, that the relay's files were found older than they were, as after a
    /// mistake of its operator. Messages that the app showed may be gone, the user's own too; all is read anew, and
    /// what waits is sent.
    public var rewinds = 0
    /// The user's own status.
    public var status = OwnStatus()
    /// The network, if `RoostSettings.network` reports it.
    public var network: NetworkStatus?

    /// Nothing yet.
    public init() {}
}
