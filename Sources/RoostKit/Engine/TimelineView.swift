import RoostStore
import RoostWire

/// An open timeline. Confined to the engine.
final class TimelineView {
    /// The conversation's id, or `@name`.
    let destination: String
    var window = TimelineWindow()
    /// Whether what it shows was asked for in this session.
    var wasAsked = false
    /// The pinned messages of which something was missing when they were asked for.
    var pinsAsked: [SequenceNumber] = []
    private let show: AsyncStream<TimelineSnapshot>.Continuation
    private let showDraft: AsyncStream<KeptDraft>.Continuation
    private(set) var shown = TimelineSnapshot()
    private(set) var draft = KeptDraft(text: "", revision: 0)
    /// The first message that is shown; the one that comes next if there is none. The window may begin before it,
    /// where messages have gone.
    private(set) var low = SequenceNumber(1)

    init(
        _ destination: String, _ show: AsyncStream<TimelineSnapshot>.Continuation,
        _ showDraft: AsyncStream<KeptDraft>.Continuation
    ) {
        self.destination = destination
        self.show = show
        self.showDraft = showDraft
    }

    deinit {
        show.finish()
        showDraft.finish()
    }

    /// Whether a change of this conversation concerns it.
    func shows(_ conversation: String) -> Bool {
        // The id of a conversation opened as `@name` may have become known just now.
        guard let known = shown.conversation else { return true }
        return known.id == conversation || destination == conversation
    }

    /// Publishes the present state, if it has changed.
    func refresh(_ store: LocalStore, _ notices: Notices) throws(LocalFailure) {
        let kept = KeptDraft(text: try store.drafts.draft(for: destination), revision: store.drafts.revision)
        // Not a part of the snapshot: rows aren't drawn anew at every key.
        if kept.text != draft.text { showDraft.yield(kept) }
        draft = kept
        var now = TimelineSnapshot()
        now.conversation = try store.conversation(destination)
        let builder = try TimelineBuilder(destination, now.conversation, in: store)
        now.failure = builder.parked.map { SendFailure($0) }
        var messages: [LocalMessage] = []
        if let conversation = now.conversation {
            messages = try window.messages(of: conversation.id, in: store)
            (now.typing, now.othersType) = notices.typing(in: conversation.id)
            now.online = notices.online(in: conversation.id)
            low = messages.first?.sequence ?? SequenceNumber(conversation.sequence.value + 1)
            now.hasOlder = low > conversation.first
            // Those before the first message of the window belong to older ones.
            let end = window.isAtEnd ? conversation.sequence : messages.last?.sequence ?? low
            let start = now.hasOlder ? low : SequenceNumber(0)
            if start <= end { now.lines = try store.lines.lines(of: conversation.id, behind: start...end) }
        }
        now.items = builder.items(messages, isAtEnd: window.isAtEnd)
        if let id = now.conversation?.id {
            now.pins = try store.pins.pins(of: id).map { PinnedMessage($0, $0.message.map(builder.row)) }
        }
        now.hasNewer = !window.isAtEnd
        now.revision = shown.revision
        guard now != shown else { return }
        now.revision += 1
        shown = now
        show.yield(now)
    }

    /// The first and last stored message that is shown and whose reactions must be asked anew.
    func stale(_ store: LocalStore) throws(LocalFailure) -> (from: SequenceNumber, count: Int)? {
        guard let conversation = shown.conversation else { return nil }
        let stale = try window.messages(of: conversation.id, in: store).filter(\.isStale).map(\.sequence)
        guard let first = stale.first, let last = stale.last else { return nil }
        return (first, Int(min(Int64(TimelineWindow.page), last.value - first.value + 1)))
    }
}

/// An open list of conversations. Confined to the engine.
final class ListView {
    /// Rows of the first page, and of each further one.
    static let page = 50
    /// Most rows: what the relay lets one user be in (Docs/Protocol.md, section 4).
    static let most = 20_000

    private var limit = ListView.page
    private let areRequests: Bool
    private let show: AsyncStream<ConversationListSnapshot>.Continuation
    private(set) var shown = ConversationListSnapshot()

    /// - Parameter areRequests: it shows those that wait for the user to accept them, and otherwise only others.
    init(_ show: AsyncStream<ConversationListSnapshot>.Continuation, areRequests: Bool) {
        self.show = show
        self.areRequests = areRequests
    }

    deinit { show.finish() }

    func loadMore() {
        if shown.hasMore { limit = min(limit + ListView.page, ListView.most) }
    }

    /// Publishes the present state, if it has changed.
    /// - Parameter muted: the conversations that make no sound.
    func refresh(_ store: LocalStore, _ notices: Notices, muted: Set<String>) throws(LocalFailure) {
        var now = ConversationListSnapshot()
        let conversations = try store.conversations(limit: limit + 1, areRequests: areRequests)
        now.hasMore = conversations.count > limit
        let waiting = Dictionary(grouping: store.outbox.items.filter(\.isVisible), by: \.destination)
        var rows: [ConversationRow] = []
        // Messages to people before the relay knew of a conversation with them come first.
        for (destination, items) in waiting where destination.hasPrefix("@") && !areRequests {
            guard try store.conversation(destination) == nil else { continue }
            let builder = TimelineBuilder(
                user: store.identity.user ?? "", waiting: items,
                parked: store.outbox.parked[destination])
            let name = String(destination.dropFirst())
            rows.append(
                ConversationRow(
                    id: destination, title: try store.people.profile(of: name)?.name ?? name, peer: name,
                    last: builder.items([], isAtEnd: true).last?.message,
                    unread: 0, pending: items.count, typing: [], draft: try store.drafts.draft(for: destination)))
        }
        rows.sort { $0.id < $1.id }
        for conversation in conversations.prefix(limit) {
            var row = try row(conversation, store, notices, waiting)
            row.isMuted = muted.contains(conversation.id)
            rows.append(row)
        }
        now.rows = rows
        guard now != shown else { return }
        shown = now
        show.yield(now)
    }

    private func row(
        _ conversation: LocalConversation, _ store: LocalStore, _ notices: Notices,
        _ waiting: [String: [OutboxItem]]
    ) throws(LocalFailure) -> ConversationRow {
        let user = store.identity.user ?? ""
        let peer = conversation.peer(of: user)
        let items = (waiting[conversation.id] ?? []) + (peer.flatMap { waiting["@\($0)"] } ?? [])
        let builder = TimelineBuilder(
            user: user, conversation: conversation, watermarks: try store.watermarks(of: conversation.id),
            waiting: items, parked: store.outbox.parked[conversation.id])
        var last = try store.messages(of: conversation.id, limit: 1)
        // Behind those that are withheld, the last one that is shown.
        if last.contains(where: conversation.leavesOut) {
            last = try store.messages(of: conversation.id, limit: 50).filter { !conversation.leavesOut($0) }
        }
        let name = if let peer { try store.people.profile(of: peer)?.name } else { conversation.name }
        return ConversationRow(
            id: conversation.id, conversation: conversation, title: name ?? peer ?? "", peer: peer,
            last: builder.items(last, isAtEnd: true).last { $0.message != nil }?.message, unread: conversation.unread,
            pending: items.count, typing: notices.typing(in: conversation.id).users,
            draft: try store.drafts.draft(for: conversation.id))
    }
}
