import RoostFraming
import RoostWire

/// Takes each input (a connection opened, a frame came, a batch was committed, a page was read, time passed) and says
/// what to do: write frames, append to the log, read pages, check tokens, close. Relay connects the parts, each of
/// which owns its state, and calls them in the right order. The effect of a command is in the part that owns the state,
/// or in the type named after the command's family.
public final class Relay {
    /// The relay's description of itself in `welcome`.
    public struct Identity: Sendable {
        /// Name and version.
        public var server: String
        /// The failures that an acked message survives.
        public var durability: Durability

        /// Creates an identity.
        public init(server: String, durability: Durability) {
            self.server = server
            self.durability = durability
        }
    }

    /// Counts for the operator.
    public let counters: Counters

    // Parts that the host feeds or asks directly.
    let decoder: CommandDecoder
    let prices: Prices
    let chores: Chores
    let sessions: Sessions
    let journal: Journal
    let delivery: Delivery
    let reads: Reads
    let catchUp: CatchUp
    let times: DeliveryTimes
    /// When all sessions, and all devices, may be looked at again, in monotonic milliseconds.
    var lookDue = (census: Int64.min, backlog: Int64.min)
    /// The sessions that `takeComings` returns, and with `all` whether `takeRefusals` returns any. A host that sets it
    /// takes them in each turn.
    public var comingsNoted: ComingsNoted {
        get { session.comings.noted }
        set {
            session.comings.noted = newValue
            replies.notesRefusals = newValue == .all
        }
    }

    // Commands by family, and the handling of stored events.
    let session: SessionCommands
    let message: MessageCommands
    let conversation: ConversationCommands
    let query: QueryCommands
    let setting: SettingCommands
    let receipt: ReceiptCommands
    let typing: TypingCommands
    let presence: PresenceCommands
    let privacy: PrivacyCommands
    let profile: ProfileCommands
    let contact: ContactCommands
    let operators: OperatorCommands
    let stored: StoredEvents
    let replies: Replies

    /// Creates a relay from the stored state.
    /// - Parameters:
    ///   - snapshot: everything stored.
    ///   - limits: all limits.
    ///   - identity: the server's description for clients.
    ///   - rules: the operator's choices.
    ///   - random: for conversation ids and reconnect times; seeded in a simulation.
    ///   - now: the time of the start.
    public init(
        _ snapshot: Snapshot, limits: Limits, identity: Identity, rules: PolicyRules = PolicyRules(),
        random: any RandomNumberGenerator, at now: Moment
    ) {
        precondition(!snapshot.epoch.isEmpty, "a log has an epoch")
        let (time, builder, random) = (now.monotonic, FrameBuilder(epoch: snapshot.epoch), RandomSource(random))
        (counters, times) = (Counters(), DeliveryTimes(at: now))
        decoder = CommandDecoder(limits: limits, epoch: snapshot.epoch)
        prices = Prices(.init(limits))
        (chores, reads) = (Chores(.init(limits), prices, counters), Reads(.init(limits)))
        (sessions, journal) = (Sessions(.init(limits), at: time), Journal(.init(limits), head: snapshot.head))
        let (window, frames) = (EventWindow(limits, head: snapshot.head), EventFrames(builder: builder))
        delivery = Delivery(.init(limits), window, builder: builder, counters: counters)
        let directory = Directory(
            snapshot, .init(limits), Policy(rules), journal: journal, counters: counters, random: random, at: now,
            delivery.settle())
        let newest = WindowCatchUp(.init(limits), window, directory, delivery, frames, counters)
        catchUp = CatchUp(
            .init(limits), directory, journal, reads, chores, Arrivals(.init(limits)), delivery, newest,
            builder: builder, counters: counters, at: time)
        replies = Replies(limits, journal, builder: builder, delivery: delivery, counters: counters)
        typing = TypingCommands(
            typing: Typing(.init(limits), at: time), prices: prices, directory: directory, delivery: delivery,
            replies: replies, builder: builder, reads: reads)
        let (receipts, mentions) = (Receipts(.init(limits)), Mentions(directory, kept: limits.mentionsKept))
        receipt = ReceiptCommands(
            limits, ReceiptListing(receipts, directory, reads, delivery, replies, rows: limits.historyDefault),
            receipts: receipts, prices: prices, chores: chores, directory: directory, journal: journal,
            delivery: delivery, replies: replies, builder: builder, counters: counters, times: times, at: time)
        let people = Presence(.init(limits), counters, directory.policy, at: time)
        profile = ProfileCommands(limits, people, prices, chores, directory, delivery, replies)
        presence = PresenceCommands(
            limits, at: time, presence: people, counts: GroupCounts(.init(limits), at: time), prices: prices,
            chores: chores, directory: directory, journal: journal, delivery: delivery, replies: replies,
            builder: builder)
        privacy = PrivacyCommands(
            prices: prices, directory: directory, journal: journal, delivery: delivery, replies: replies,
            builder: builder, presence: presence, typing: typing, exceptionsMax: limits.exceptionsPerUser)
        contact = ContactCommands(limits, prices, directory, journal, delivery, replies, presence, random, counters)
        query = QueryCommands(.init(limits), chores, directory, reads, delivery, replies)
        setting = SettingCommands(.init(limits), prices, directory, journal, delivery, reads, replies)
        conversation = ConversationCommands(
            .init(limits), prices, chores, directory, journal, delivery, replies, typing, presence, profile.news, query)
        message = MessageCommands(
            limits, prices, directory, journal, delivery, conversation, typing, builder, counters, mentions)
        let signIns = SignIns(.init(limits), snapshot.endedSignIns, at: time)
        operators = OperatorCommands(
            .init(limits), directory, journal, delivery, reads, replies, counters, signIns,
            FeedCommands(.init(limits), snapshot.feedCursors, directory, journal, delivery, reads, replies, counters),
            ErasureCommands(.init(limits), prices, reads, conversation), profile,
            Farewells(.init(limits), conversation, contact, at: now),
            ReportCommands(.init(limits), snapshot.reports, conversation, reads, prices, counters),
            InviteCommands(limits, random, Introductions(contact, conversation, prices)), .init(limits),
            Statistics(.init(limits), counters, times, delivery, builder))
        session = SessionCommands(
            sessions: sessions, ends: DeviceEnds(.init(limits)), prices: prices, arrivals: catchUp.arrivals,
            directory: directory, journal: journal, delivery: delivery, catchUp: catchUp, receipts: receipt,
            presence: presence, privacy: privacy, profiles: profile.news, contacts: contact, operators: operators,
            signIns: signIns, typing: typing, replies: replies,
            welcome: .init(identity: identity, limits: limits, builder: builder), builder: builder, random: random,
            counters: counters)
        stored = StoredEvents(
            bounds: .init(limits), directory: directory, journal: journal, delivery: delivery, catchUp: catchUp,
            receipts: receipts, conversations: conversation, queries: query, erasures: operators.erasures,
            replies: replies, events: frames, counters: counters, times: times, mentions: mentions,
            badges: receipt.badges, forwarding: message.forwarding,
            disappearing: Disappearing(
                limits, directory, journal, delivery, catchUp, counters, next: snapshot.nextExpiry, at: now))
        presence.raiseGhosts(lastAlive: snapshot.aliveAt, at: now)
    }

    // MARK: How it stands

    /// The operator's rules of who may do what.
    public var rules: PolicyRules {
        get { directory.policy.rules }
        set { directory.policy.change(to: newValue) }
    }

    /// Users, devices and conversations. For tests.
    var directory: Directory { conversation.directory }
    /// Position of the newest durable event.
    public var head: Position { journal.head }
    /// The log's identity: positions of another one mean nothing here.
    public var epoch: String { decoder.epoch }
    /// Number of ready sessions.
    public var readySessions: Int { counters.sessions.opened - counters.sessions.ended }
    /// From the arrival of a command until its event was durable and handed to the sessions, in milliseconds.
    public var storedTimes: BucketHistogram { times.stored }
    /// From the arrival of a command until devices that were connected acked its event, in milliseconds.
    public var ackedTimes: BucketHistogram { times.acked }
    /// Number of open connections, ready or not.
    public var openConnections: Int { sessions.count }
    /// Number of durable events submitted and not yet committed.
    public var pendingEvents: Int { journal.pendingEvents }
    /// Bytes waiting for all connections, as the last writes left them.
    public var outboxBytes: Int { delivery.edge.waitingBytes }
    /// Number of positions that each consumer of the feed is behind, in the order of their names.
    public var feedLags: [(consumer: String, positions: Int)] { operators.feeds.lags }
    /// Whether nothing waits for the log, or what waits can't be stored.
    public var isSettled: Bool {
        journal.isEmpty && (journal.isFailed || !receipt.isStoreDue) || journal.isFull && journal.isIdle
    }
    /// Whether every state that has changed is stored, too.
    public var isStored: Bool { journal.isEmpty && !journal.isFailed && !receipt.hasUnstored }
    /// Whether commands that store something are refused because the disk is full.
    public var isFull: Bool { journal.isFull }
    /// Whether the store has had a batch for so long that commands which store something are refused.
    public var isStalled: Bool { journal.isStalled }
    /// Returns the commands that were refused since the last call, if all comings are noted.
    public func takeRefusals() -> [RefusedCommand] { replies.takeRefusals() }
    /// Whether commands are taken and the store works.
    public var isServing: Bool { journal.isOpen }
}
