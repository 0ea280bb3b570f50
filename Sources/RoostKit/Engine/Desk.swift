import RoostClient
import RoostStore
import RoostWire

/// The store and its views: each change of the store ends with refreshing them. It waits for nothing but the disk.
/// Confined to the engine.
final class Desk {
    let store: LocalStore
    let notices = Notices()
    let acquaintances: Acquaintances
    /// The time by the relay's clock. Set once.
    var now: () -> Timestamp = { .never }
    private(set) var session = RoostSnapshot()
    private var timelines: [Int: TimelineView] = [:]
    private var threads: [Int: ThreadView] = [:]
    private var lists: [Int: ListView] = [:]
    private var views = 0
    private var followed: Set<String> = []
    private let showSession: AsyncStream<RoostSnapshot>.Continuation
    private let showPresence: AsyncStream<[String: UserPresence]>.Continuation
    let drafts: DraftSharing
    /// Receives what happens. Set once.
    var log: FieldLog?
    // Readers that wait for the next flush.
    private var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    // Views to refresh at the next flush.
    private var isDirty = false
    private var changesAll = false
    private var changed: Set<String> = []
    /// Called when there is something to flush. Set once.
    var schedule: () -> Void = {}
    private var generator: any RandomNumberGenerator & Sendable

    init(
        _ store: LocalStore, generator: any RandomNumberGenerator & Sendable,
        session: AsyncStream<RoostSnapshot>.Continuation,
        presence: AsyncStream<[String: UserPresence]>.Continuation, others: Acquaintances.Shown
    ) {
        self.store = store
        acquaintances = Acquaintances(store, others)
        drafts = DraftSharing(store)
        self.generator = generator
        showSession = session
        showPresence = presence
    }

    // MARK: Views

    /// Begins to show a timeline. The stream gets the present state at once.
    func open(
        _ destination: String, _ show: AsyncStream<TimelineSnapshot>.Continuation,
        _ showDraft: AsyncStream<KeptDraft>.Continuation
    ) throws -> Int {
        let view = TimelineView(destination, show, showDraft)
        views += 1
        timelines[views] = view
        try view.refresh(store, notices)
        return views
    }

    /// Begins to show the list of conversations. The stream gets the present state at once.
    func openList(_ show: AsyncStream<ConversationListSnapshot>.Continuation, areRequests: Bool) throws -> Int {
        let view = ListView(show, areRequests: areRequests)
        views += 1
        lists[views] = view
        try view.refresh(store, notices, muted: try store.settings.muted(at: now()).conversations)
        return views
    }

    /// Begins to show a thread. The stream gets the present state at once.
    func open(_ thread: ThreadView) throws -> Int {
        views += 1
        threads[views] = thread
        try thread.refresh(store)
        return views
    }

    /// Closes a view.
    func close(_ view: Int) {
        timelines[view] = nil
        threads[view] = nil
        lists[view] = nil
    }

    func timeline(_ view: Int) -> TimelineView? { timelines[view] }

    func list(_ view: Int) -> ListView? { lists[view] }

    /// All open threads.
    var openThreads: [ThreadView] { Array(threads.values) }

    func thread(_ view: Int) -> ThreadView? { threads[view] }

    /// All open timelines.
    var openTimelines: [TimelineView] { Array(timelines.values) }

    /// Users whose presence is shown: the other users of the listed and open conversations.
    func peers(atMost most: Int) throws(LocalFailure) -> Set<String> {
        var peers: Set<String> = []
        for view in lists.values { peers.formUnion(view.shown.rows.compactMap(\.peer)) }
        for view in timelines.values { peers.formUnion(view.shown.conversation?.members ?? []) }
        peers.formUnion(followed)
        if let user = store.identity.user { peers.remove(user) }
        return peers.count <= most ? peers : Set(peers.sorted().prefix(most))
    }

    /// Users whose names are shown: as above, and the authors of the open timelines, and the user.
    func shownPeople() throws(LocalFailure) -> Set<String> {
        var shown = try peers(atMost: Acquaintances.profilesMax / 4)
        for view in lists.values { shown.formUnion(view.shown.rows.compactMap { $0.last?.from }) }
        for view in timelines.values { shown.formUnion(view.shown.people) }
        for view in threads.values { shown.formUnion(view.shown.items.compactMap { $0.message?.from }) }
        shown.formUnion(acquaintances.contacts.contacts.lazy.map(\.user).prefix(Notices.presencesMax))
        if let user = store.identity.user { shown.insert(user) }
        shown.remove("")
        return shown
    }

    /// Open groups, whose members are counted.
    func groups(atMost most: Int) -> Set<String> {
        let open = timelines.values.compactMap(\.shown.conversation).filter { $0.kind == .group }.map(\.id)
        return Set(Set(open).sorted().prefix(most))
    }

    /// Follows the presence of these users, wherever they are shown.
    func follow(_ users: Set<String>) { followed = users }

    func loadMore(_ view: Int) throws {
        lists[view]?.loadMore()
        try lists[view]?.refresh(store, notices, muted: try store.settings.muted(at: now()).conversations)
    }

    /// Moves the window of a timeline.
    func move(_ view: Int, _ change: (inout TimelineWindow) -> Void) throws(LocalFailure) {
        guard let timeline = timelines[view] else { return }
        change(&timeline.window)
        try timeline.refresh(store, notices)
    }

    /// Marks the views of these conversations for a refresh; nil for all. Many changes in a row cause one refresh.
    func tell(_ conversations: Set<String>? = nil) {
        if !isDirty { schedule() }
        isDirty = true
        guard let conversations else { return changesAll = true }
        changed.formUnion(conversations)
    }

    /// Refreshes the views that have changed since the last flush.
    func flush() throws(LocalFailure) {
        guard isDirty else { return }
        let (all, some) = (changesAll, changed)
        (isDirty, changesAll, changed) = (false, false, [])
        for view in timelines.values where all || some.contains(where: view.shows) {
            try view.refresh(store, notices)
        }
        for view in threads.values where all || some.contains(where: view.shows) { try view.refresh(store) }
        let muted = try store.settings.muted(at: now()).conversations
        for view in lists.values { try view.refresh(store, notices, muted: muted) }
        try acquaintances.refresh(for: try shownPeople())
        var now = session
        now.badge = try store.badge.shown(own: store.unread() - store.unread(in: muted))
        now.pendingCount = store.outbox.items.count { $0.isVisible }
        now.waitingCount = store.outbox.items.count {
            $0.isVisible && $0.failure == nil && store.outbox.parked[$0.destination] == nil
        }
        now.user = store.identity.user
        now.device = store.identity.device
        show(now)
        for (name, continuation) in waiting {
            if case .terminated = continuation.yield() { waiting[name] = nil }
        }
    }

    /// A value now, and one after each refresh.
    func flushes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        views += 1
        waiting[views] = continuation
        continuation.yield()
        return stream
    }

    /// Changes what is said of the session.
    func note(_ change: (inout RoostSnapshot) -> Void) {
        var now = session
        change(&now)
        show(now)
    }

    private func show(_ now: RoostSnapshot) {
        guard now != session else { return }
        session = now
        showSession.yield(now)
    }

    // MARK: Events

    /// Takes what happened, in order: what is kept goes to the store in one transaction with its position.
    func take(_ events: [RoostEvent]) throws(LocalFailure) {
        var kept: [Event] = []
        var position: String?
        var touched: Set<String> = []
        for event in events {
            if let (event, place) = event.kept {
                kept.append(event)
                position = place ?? position
                noteTyping(event)
                if case .gap = event { for view in threads.values { view.wasAsked = false } }
            } else {
                touched.formUnion(try notice(event))
            }
        }
        let before = store.drafts.revision
        if !kept.isEmpty || position != nil {
            touched.formUnion(try store.take(kept, position: position))
        }
        for event in kept { try drafts.take(event) }
        // Another device has written on, or sent what was begun, somewhere.
        if store.drafts.revision > before { tell() }
        if !touched.isEmpty || !kept.isEmpty { tell(touched) }
        guard events.contains(where: \.isLive) else { return }
        // The readers of this find everything else up to date by then, such as the badge.
        try flush()
        note { $0.isUpToDate = true }
    }

    // Ends typing for events that end it without saying so (Docs/Protocol.md, section 8).
    private func noteTyping(_ event: Event) {
        switch event {
        case .message(let message): notices.sent(message.from, in: message.conversation)
        case .conversation(let change):
            guard let user = store.identity.user else { return }
            switch change.change {
            case .added(let users, _), .removed(let users):
                if users.contains(user) { notices.endTyping(in: change.conversation) }
            case .left: if change.by == user { notices.endTyping(in: change.conversation) }
            default: break
            }
        default: break
        }
    }

    // The conversations that look different.
    private func notice(_ event: RoostEvent) throws(LocalFailure) -> Set<String> {
        switch event {
        case .typing(let change):
            notices.take(change)
            return [change.conversation]
        case .presence(let users, _): noticePresence(users)
        case .onlineCounts(let counts): notice(counts)
        case .status(let status): note { $0.status = status }
        case .contact(let change): try acquaintances.note(change.user, change.contact)
        default: break
        }
        return []
    }

    func notice(_ counts: [OnlineCount]) {
        notices.take(counts)
        tell(Set(counts.map(\.conversation)))
    }

    func noticePresence(_ users: [UserPresence]) {
        notices.take(users)
        showPresence.yield(notices.presences)
    }

    /// A session has begun.
    func begin(_ welcome: Welcome, isResumed: Bool) throws(LocalFailure) {
        let isOther = store.identity.user != nil && store.identity.user != welcome.user
        let isEmptied = try store.begin(welcome, isResumed: isResumed)
        if isOther {
            drafts.forgetAll()
            notices.forgetAll()
            acquaintances.forgetAll()
        }
        acquaintances.begin()
        for view in timelines.values { view.wasAsked = false }
        for view in timelines.values { view.pinsAsked = [] }
        for view in threads.values { view.wasAsked = false }
        if isEmptied { for view in timelines.values { view.window.toEnd() } }
        note { session in
            session.connection = .connected
            session.lastLoss = nil
            session.isUpToDate = false
            session.rewinds = store.rewinds
            if let status = welcome.status { session.status = status }
        }
        tell()
    }

    /// Forgets everything that came from the relay: its files are older than they were.
    func rewind() {
        acquaintances.forgetAll()
        for view in timelines.values { view.window.toEnd() }
        note { $0.rewinds = store.rewinds }
        tell()
    }

    /// There is no session.
    func end(_ state: ConnectionState) {
        store.outbox.shut()
        note { session in
            session.connection = state
            session.isUpToDate = false
        }
        let typed = notices.endTyping()
        if !typed.isEmpty { tell(typed) }
    }

    // MARK: The user's actions

    /// A key that no other command has.
    func newKey() -> String {
        (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Puts something into the outbox. It is on disk when this returns.
    @discardableResult
    func add(
        _ action: OutboxItem.Action, to destination: String, mentions: [String] = [],
        thread: SequenceNumber? = nil, forward: OutboxItem.Forward? = nil, ifVersion version: Int64? = nil
    ) throws -> OutboxItem {
        let item = try store.outbox.add(
            action, to: try store.resolved(destination), key: newKey(), mentions: mentions, thread: thread,
            forward: forward, ifVersion: version)
        tell([item.destination, destination])
        return item
    }

    /// The message that an act is about.
    func target(_ id: TimelineItem.ID, in destination: String) throws -> OutboxItem.Target {
        switch id {
        case .sequence(let sequence): return .stored(sequence)
        case .gap: throw OutboxFailure.noSuchItem
        case .key(let key):
            if let item = store.outbox.items.first(where: { $0.key == key && $0.isMessage }) { return .unsent(item.id) }
            for view in timelines.values where view.destination == destination {
                let row = view.shown.items.first { $0.id == id }
                if let sequence = row?.message?.sequence { return .stored(sequence) }
            }
            let conversation = try store.resolved(destination)
            guard let sequence = try store.sequence(ofKey: key, in: conversation) else {
                throw OutboxFailure.noSuchItem
            }
            return .stored(sequence)
        }
    }

    /// A message that the relay has stored and that is here.
    func stored(_ id: TimelineItem.ID, in destination: String) throws -> LocalMessage {
        guard case .stored(let sequence) = try target(id, in: destination),
            let message = try store.threads.message(sequence, in: store.resolved(destination))
        else { throw OutboxFailure.noSuchItem }
        return message
    }

    /// Sends a message on as it is.
    func forward(_ id: TimelineItem.ID, of source: String, to destination: String) throws -> OutboxItem {
        let message = try stored(id, in: source)
        guard let body = message.body else { throw OutboxFailure.noSuchItem }
        return try add(
            .send(kind: message.kind == "text" ? nil : message.kind, body: body.json, replyTo: nil), to: destination,
            forward: OutboxItem.Forward(
                conversation: message.conversation, sequence: message.sequence,
                origin: message.origin ?? message.from))
    }

    /// Changes the outbox, and refreshes all views.
    func change(_ body: (Outbox) throws -> Void) throws {
        try body(store.outbox)
        tell()
    }

    /// Tries something again that was refused: an item, or its whole conversation.
    func retry(_ item: Int64) throws {
        guard let found = store.outbox.items.first(where: { $0.id == item }) else { throw OutboxFailure.noSuchItem }
        try change { outbox in
            if found.failure != nil { try outbox.retry(item) }
            if outbox.parked[found.destination] != nil { try outbox.resume(found.destination) }
        }
    }

    /// Takes back what waits. A message that may have reached the relay is deleted after it, because others may see it.
    func takeBack(_ item: Int64) throws {
        guard let found = store.outbox.items.first(where: { $0.id == item }) else { throw OutboxFailure.noSuchItem }
        if found.isMessage, !store.outbox.mayChange(item) {
            try add(.delete(.unsent(item)), to: found.destination)
        } else {
            try change { try $0.discard(item) }
        }
    }

    /// The user has seen a conversation up to a message.
    func read(_ destination: String, upTo sequence: SequenceNumber) throws {
        let conversation = try store.resolved(destination)
        try store.read(conversation, upTo: sequence, key: newKey())
        tell([conversation])
    }

    /// Keeps what the user has begun to write.
    /// - Returns: the revision after it.
    func keep(draft: String, for destination: String) throws -> Int {
        tell([destination])
        return try drafts.keep(draft, for: destination)
    }

    /// A text was sent: it is no draft any more. Another one, that is still being written, stays.
    /// - Returns: the revision after it.
    func use(draft text: String, for destination: String) throws -> Int {
        tell([destination])
        return try drafts.use(text, for: destination)
    }

    /// Forgets all that the user has here.
    func signOut() throws {
        try store.signOut()
        drafts.forgetAll()
        notices.forgetAll()
        acquaintances.forgetAll()
        for view in timelines.values { view.window.toEnd() }
        tell()
    }
}

extension RoostEvent {
    /// The event for the store, and the device's position after it; nil for events that are only of the moment.
    fileprivate var kept: (event: Event, position: String?)? {
        switch self {
        case .message(let message): (.message(message), message.position)
        case .edited(let edit): (.edit(edit), edit.target.position)
        case .deleted(let deletion): (.delete(deletion), deletion.target.position)
        case .reacted(let reaction): (.react(reaction), reaction.target.position)
        case .conversation(let change): (.conversation(change), change.position)
        case .state(let change): (.state(change), change.position)
        case .gap(let gap): (.gap(gap), nil)
        case .receipt(let receipt): (.receipt(receipt), nil)
        case .profile(let profile): (.profile(profile), nil)
        case .badge(let unread): (.badge(unread: unread), nil)
        case .joins(let conversation, let waiting): (.joins(conversation: conversation, waiting: waiting), nil)
        case .live(let position): (.live(position: position), position)
        default: nil
        }
    }

    fileprivate var isLive: Bool {
        if case .live = self { true } else { false }
    }
}
