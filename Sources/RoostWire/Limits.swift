/// Every bound of the protocol and the Relay in one place, each with its reason. The operator's configuration
/// overrides those that are `var`; what happens at each bound is in Docs/Protocol.md and has a test.
public struct Limits: Sendable, Equatable {
    // MARK: Frames

    /// Bytes of one command. Holds 10,000 scalars written as escaped surrogate pairs (12 bytes each) and its envelope.
    public var frameBytes = 131_072
    /// Bytes of a body that isn't text, as sent. The size Ably, Centrifugo and OWASP settle on.
    public var bodyBytes = 65_536
    /// Unicode scalars of a text.
    public var textScalars = 10_000
    /// Nesting of a body. Deeper is an attack on somebody's recursive parser.
    public var jsonDepth = 64
    /// Members of one command. None has more than ten; the rest is room for members that are ignored.
    public var commandMembers = 64
    /// Bytes of a user, device, key or command id.
    public var nameBytes = 64
    /// Bytes of a message's or signal's kind.
    public var kindBytes = 32
    /// Bytes of a reaction: the longest emoji sequences take 35, common ones 4–28.
    public var reactionBytes = 32
    /// Bytes of a group's name.
    public var groupNameBytes = 256
    /// Names in one command's list.
    public var listNames = 1_000
    /// Malformed commands in a row before the connection is closed.
    public var malformedMax = 20

    // MARK: Rates

    /// Commands per second and session, sustained; twice as many in a burst.
    public var commandsPerSecond = 2_000
    /// Tokens that are checked at once; further ones wait. When all clients come back, checks and welcomes take turns
    /// with live traffic in small pieces, on one core too.
    public var verificationsAtOnce = 16
    /// Reads (history, list, members) of one session that may be under way at once.
    public var readsPerSession = 4
    /// Such reads of all sessions together; one takes well under a millisecond, so the last waits a second at most.
    public var readsMax = 1_000

    // MARK: Tables

    /// Members of a group.
    public var membersMax = 10_000
    /// Conversations of a user.
    public var conversationsPerUser = 10_000
    /// Devices of a user that keep a cursor; a further one replaces the one that has been away longest.
    public var devicesPerUser = 64
    /// Users that one session may watch.
    public var watchedPerSession = 1_000
    /// Members that events and conversation objects name; the rest is asked for by `conversation.members`.
    public var membersNamed = 50
    /// Commands that wait for one conversation to be stored: a few devices of two users ask in the same instant.
    public var askersPerConversation = 64
    /// Users typing at once that a conversation shows; more are not told.
    public var typersPerConversation = 20
    /// Different reactions of one user to one message.
    public var reactionsPerUser = 20
    /// Members up to which receipts are pushed; above, they are asked for: n members acking cost n² events.
    public var receiptMembersMax = 256
    /// Receipts of others that one conversation's sessions are sent in a second, all together. 30 members who ack 10
    /// messages/s stay below it; 256 would make 650,000.
    public var receiptsPerSecond = 10_000
    /// Receipts that are told in a millisecond, by one turn, or found to have to wait: 0.4 ms with the writes that
    /// follow. A quarter of it while there is something else to write.
    public var receiptsPerMillisecond = 64

    // MARK: Queues

    /// Bytes waiting for one connection at which durable events are left to the log and read back later.
    public var outboxSpillBytes = 262_144
    /// Bytes waiting at which ephemeral events are held back and conflated. Signals, which are dropped, may come up to
    /// `outboxSpillBytes` in one turn to a connection that had taken everything before.
    public var outboxCalmBytes = 65_536
    /// Bytes waiting at which the connection is closed (4001): replies alone fill it only for one who doesn't read.
    public var outboxMaxBytes = 4_194_304
    /// Conflated events that one slow session may owe before it is closed (4001).
    public var owedMax = 4_096
    /// Messages of one session whose ack still tells something, 24 bytes each; beyond, delivered is told less finely.
    public var unackedPerSession = 256
    /// Durable events waiting for the writer; further ones are refused with `busy`.
    public var pendingEvents = 65_536
    /// Bytes of them.
    public var pendingBytes = 67_108_864
    /// Cursors, and watermarks, that join one batch: a thousand of them would hold up its messages for 10 ms.
    public var watermarksPerBatch = 64

    // MARK: Pages

    /// Messages of a history page that doesn't say.
    public var historyDefault = 50
    /// Messages of a history page at most.
    public var historyMax = 100
    /// Bytes of bodies at which a page ends early.
    public var pageBytes = 524_288
    /// Durable events of one catch-up page.
    public var pageMessages = 100
    /// Page reads under way at once; further sessions wait in line, so that a storm can't crowd out history.
    public var pagesAtOnce = 64
    /// Bytes of pages that one turn puts into outboxes; live traffic has its turn before the next. Half a millisecond.
    public var pageBytesPerTurn = 262_144
    /// Bytes of pages that are kept for others who missed the same: what a thousand devices of ten groups miss.
    public var sharedPageBytes = 8_388_608
    /// Missed messages of one conversation above which a device gets the newest page and a `gap`.
    public var backlogMax = 1_000

    // MARK: Times, in milliseconds

    /// From the upgrade to `hello`.
    public var helloMilliseconds: Int64 = 10_000
    /// Between pings.
    public var pingMilliseconds: Int64 = 25_000
    /// From a ping to the last moment for anything to arrive.
    public var pongMilliseconds: Int64 = 10_000
    /// From the end of a token to the close.
    public var refreshGraceMilliseconds: Int64 = 25_000
    /// From an abrupt drop to offline.
    public var graceMilliseconds: Int64 = 15_000
    /// Life of "is typing" after the last refresh.
    public var typingMilliseconds: Int64 = 3_000
    /// Between two beginnings of typing that others are told; turning it on and off quickly tells nobody more.
    public var typingAgainMilliseconds: Int64 = 1_000
    /// Between two notes in the store that the relay is alive: how wrong last-seen may be after a crash.
    public var aliveMilliseconds: Int64 = 5_000
    /// Over which presence and receipts are gathered.
    public var gatherMilliseconds: Int64 = 50
    /// Over which watermarks are gathered before they are stored.
    public var watermarkMilliseconds: Int64 = 200
    /// What a client is told to wait when the writer's queue is full.
    public var busyRetryMilliseconds: Int64 = 250

    /// The defaults.
    public init() {}
}
