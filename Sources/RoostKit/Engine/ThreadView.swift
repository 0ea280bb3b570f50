import RoostStore
import RoostWire

/// An open thread. Confined to the engine.
final class ThreadView {
    /// Messages of the first page, and of each further one: the relay's page, too.
    static let page = 100
    /// Most messages that are shown, the newest ones: as many as the relay counts.
    static let most = 1_000

    /// The conversation's id.
    let conversation: String
    /// The message with which it began.
    let root: SequenceNumber
    /// Whether its newest page was asked for in this session.
    var wasAsked = false
    /// The first sequence from which on everything is on this device; nil if only the relay knows.
    private var low: SequenceNumber?
    private var hasOlder = false
    private let show: AsyncStream<ThreadSnapshot>.Continuation
    private(set) var shown = ThreadSnapshot()

    init(_ root: SequenceNumber, of conversation: String, _ show: AsyncStream<ThreadSnapshot>.Continuation) {
        self.root = root
        self.conversation = conversation
        self.show = show
    }

    deinit { show.finish() }

    /// Whether a change of this conversation concerns it.
    func shows(_ conversation: String) -> Bool { conversation == self.conversation }

    /// Where the page before the first message ends; nil if there is none to be asked for.
    var older: SequenceNumber? { hasOlder && shown.items.count < ThreadView.most ? low : nil }

    /// A page of the relay's is on this device.
    /// - Parameter isNewest: whether it is the newest one, and not the one before `older`.
    func note(_ page: HistoryPage, isNewest: Bool) {
        wasAsked = wasAsked || isNewest
        hasOlder = page.hasMore
        low = page.hasMore ? page.first ?? low : SequenceNumber.none
    }

    /// Publishes the present state, if it has changed.
    func refresh(_ store: LocalStore) throws(LocalFailure) {
        var now = ThreadSnapshot()
        let builder = try TimelineBuilder(conversation, try store.conversation(conversation), in: store)
        let rows = try store.threads.messages(
            of: root, in: conversation, from: low ?? .none, limit: low == nil ? ThreadView.page : ThreadView.most)
        now.root = try store.threads.message(root, in: conversation).map(builder.row)
        now.items = rows.map { .message(builder.row($0)) }
        for item in builder.waiting where item.isMessage && item.thread == root {
            now.items.append(.message(builder.row(item)))
        }
        now.hasOlder = low == nil ? now.root?.replies?.count ?? 0 > rows.count : hasOlder
        now.revision = shown.revision
        guard now != shown else { return }
        now.revision += 1
        shown = now
        show.yield(now)
    }
}
