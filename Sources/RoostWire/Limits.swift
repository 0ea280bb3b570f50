/// The bounds of the protocol and the Relay, each with its reason. The operator's configuration overrides some of them.
/// Docs/Protocol.md says what happens at each bound, and a test checks it.
public struct Limits: Sendable, Equatable {
    // MARK: Frames

    /// Most bytes of a command. 20,000 scalars fit, even as escaped surrogate pairs (12 bytes each), and the other
    /// members.
    public var frameBytes = 262_144
    /// Most bytes that a connection may send before it is welcomed: of a request's head, and of a message. A `hello`
    /// with a token of 7 KiB fits; issuers that list groups make such. The bytes of 2,500 strangers stay below 20 MiB.
    public var helloBytes = 8_192
    /// Most bytes of a body that isn't text, as sent: the longest text fits, as UTF-8 (80,000 bytes), and what such a
    /// kind says beside it. Ably, Centrifugo and OWASP use half as much.
    public var bodyBytes = 131_072
    /// Most Unicode scalars of a text. 10,000 characters that a reader would count fit: with one scalar each in ASCII,
    /// 1.7 on average in Hindi, two in flags. Characters joined from more, such as families with seven, fit in smaller
    /// numbers.
    public var textScalars = 20_000
    /// Deepest nesting of a body. Deeper ones are attacks on recursive parsers.
    public var jsonDepth = 64
    /// Most members of a command. No command has more than ten; the others are ignored.
    public var commandMembers = 64
    /// Most bytes of a user, device, key or command id.
    public var nameBytes = 64
    /// Most bytes of the kind of a message or signal.
    public var kindBytes = 32
    /// Most bytes of a reaction. The longest emoji sequences take 35, common ones 4–28.
    public var reactionBytes = 32
    /// Most users mentioned in one message: more are a crowd, and there is a word for all.
    public var mentionsPerMessage = 32
    /// Unread mentions of a member that are kept, and of all members of a conversation together: the newest ones. Eight
    /// bytes each, and a row of the store. People don't count more of them one by one.
    public var mentionsKept = 100
    /// Most pinned messages of a conversation: as many as a page has, and more than people look through. Each takes 32
    /// bytes of memory, a row of the store, and up to 17 bytes of every conversation object.
    public var pinsPerConversation = 50
    /// Most users of a group who are banned or timed out: more than admins look through. Each takes 100 bytes of memory
    /// and a row of the store.
    public var restrictionsPerGroup = 1_000
    /// The shortest time-out: a second, for apps that slow a member down.
    public var timeoutMinMilliseconds: Int64 = 1_000
    /// And the longest: 28 days. A ban is for longer.
    public var timeoutMaxMilliseconds: Int64 = 2_419_200_000
    /// The shortest slow mode of a group: a second. People don't notice a shorter one.
    public var slowMinMilliseconds: Int64 = 1_000
    /// And the longest: 6 hours. A group for announcements is better than one message a day.
    public var slowMaxMilliseconds: Int64 = 21_600_000
    /// Messages of a thread that are counted: people don't distinguish larger numbers. Each costs 50 ns for every time
    /// that history shows the message with which the thread began, so a page takes 5 ms at most.
    public var repliesCounted = 1_000
    /// Messages that disappear in one transaction, 20 µs each.
    public var expiredAtOnce = 256
    /// Most bytes of a group's name.
    public var groupNameBytes = 256
    /// Most bytes of a display name: as of a group's, which stands in the same lists.
    public var profileNameBytes = 256
    /// Fewest and most bytes of a username: one that people say to each other.
    public var usernameBytesMin = 3
    /// See `usernameBytesMin`.
    public var usernameBytes = 32
    /// Most bytes of a reference to the photo of a user or a group: an address with a hash in it.
    public var photoBytes = 256
    /// Most bytes of what a user says of itself: a few lines in any script.
    public var bioBytes = 1_024
    /// Most words of a display name by which a user is found. Further ones are shown and not looked for: with 128 words
    /// of one letter, one user would take the room of 60.
    public var nameWords = 8
    /// Most users that one `user.get` names. Each takes 2 kB of the answer at most.
    public var usersNamed = 100
    /// Users on a page of `user.find` whose command names no limit, and the most there can be: a screen, and five.
    public var findDefault = 20
    /// See `findDefault`.
    public var findMax = 100
    /// Most users, or members of the asker's conversations, that are looked at for one page of `user.find`: 32 turns,
    /// some 10 ms of the loop between other work.
    public var findLooks = 65_536
    /// Answers that wait until what they confirm is durable: of profiles, status, privacy, blocks, contacts, reports,
    /// revocations. A commit takes milliseconds, so it is what some thousand users change at the same moment; each
    /// takes some 300 bytes.
    public var heldAnswers = 4_096
    /// Most bytes of a group's description: a paragraph.
    public var descriptionBytes = 1_024
    /// Most bytes of the key of a setting: a word and the id of a conversation, several times.
    public var stateKeyBytes = 128
    /// Most bytes of the value of a setting, as sent: a draft of a thousand characters.
    public var stateBytes = 4_096
    /// Most bytes of a user's note about a contact, and of a prospect's name: a line.
    public var labelBytes = 256
    /// Most bytes of the note about a prospect: a few lines. The relay keeps it in memory.
    public var noteBytes = 512
    /// Most Unicode scalars of a status text: a line on a phone, twice.
    public var statusScalars = 128
    /// Most users that one command puts into a conversation or removes. They come and go in one event, so one turn does
    /// all of it: 1 to 2 µs for each.
    public var listNames = 500
    /// Most users that one `watch` or `unwatch` names, if the session may watch as many. One turn only finds them.
    public var watchNames = 1_000
    /// Most users that one `except` names. One turn does all of it, some microseconds for each.
    public var exceptNames = 100
    /// Most users with an exception by one user: more than a person blocks in years, and one answer has all.
    public var exceptionsPerUser = 1_000
    /// Most contacts that a user has accepted itself, sent invitations included: more than a person knows. One takes
    /// some 250 bytes of memory.
    public var contactsPerUser = 5_000
    /// Most unanswered invitations of a user.
    public var invitationsSent = 500
    /// Most invitations that wait for one user, before strangers that it has never written to can't add one. Each comes
    /// from another user, so to get there takes as many users. Its own contacts don't count.
    public var invitationsReceived = 1_000
    /// Invitations of one user in an hour: an address book, a screen at a time.
    public var invitationsPerHour = 200
    /// Most contacts, or prospects, of a page: what a phone shows of them in one go. It takes 0.5 ms.
    public var contactsMax = 1_000
    /// Most prospects of one user, some 1 kB of memory each at most.
    public var prospectsPerUser = 1_000
    /// Valid invitations of one user: one for each group that it runs, and some for friends.
    public var invitesPerUser = 20
    /// Invitations that one user makes in an hour.
    public var invitesPerHour = 20
    /// Most users who may open one invitation: a school.
    public var inviteUsesMax = 1_000
    /// Number of users who may open one by default: it is mostly for one person.
    public var inviteUsesDefault = 1
    /// Longest lifetime of an invitation: a month, so that one which was forgotten in some chat ends.
    public var inviteLifeMaxMilliseconds: Int64 = 30 * 86_400_000
    /// Default lifetime. People look at their messages within days.
    public var inviteLifeMilliseconds: Int64 = 7 * 86_400_000
    /// Users who wait to be let into one group: more than admins look through at once. Each takes 200 bytes of memory.
    public var joinRequestsPerGroup = 100
    /// Groups that one user waits for.
    public var joinRequestsPerUser = 20
    /// Requests to join groups that one user may make in an hour: more than people do. Each takes an admin's attention.
    public var joinRequestsPerHour = 20
    /// Longest wait for an admin, if the link is good for so long: admins look within days.
    public var joinRequestLifeMilliseconds: Int64 = 14 * 86_400_000
    /// Codes that one user may try in an hour that are none, or none any more. A code has 130 random bits, so this is
    /// not what protects it; a program that guesses shall be noticed.
    public var inviteGuessesPerHour = 20
    /// Most bytes of the text of a report, and of the note of the operator who closes it: half a page.
    public var reportTextBytes = 1_024
    /// Reports of one user in an hour: more than a user makes in earnest.
    public var reportsPerHour = 20
    /// Reports that are kept, with closed ones. With texts and notes as long as they may be, they take 25 MB of memory.
    public var reportsMax = 10_000
    /// Messages before and after a reported one that operators see: what it answers, and what it led to.
    public var reportSurroundings = 5
    /// Malformed commands in a row before the connection is closed.
    public var malformedMax = 20

    // MARK: Rates

    /// Commands of one user per second, sustained, from all sessions together. A burst may have twice as many. Commands
    /// that make more work than a small message count for several (Docs/Decisions/0018-prices.md).
    public var commandsPerSecond = 2_000
    /// Deliveries for the price of one command. A command takes some 3 µs of the loop, a delivery 0.1 µs and up to 5 µs
    /// for its write. So the most that one user can cause, 20,000 deliveries a second, is a tenth of a core, and a
    /// burst of 4,000 pays for a message to the largest group four times.
    public var deliveriesPerCommand = 10
    /// Bytes of a command, or of a delivery, above which it counts for several. Copying as many takes about as long as
    /// everything else that a small one needs.
    public var smallBytes = 8_192
    /// Bytes of a body that is stored for the price of one command. To rewrite a text of 19 KB takes 0.3 ms of a core:
    /// reading and checking the old one, erasing it, writing the new one to the write-ahead log and later to the
    /// database. At this price one user's rewriting takes less than a tenth of a core, as its other commands do.
    public var storedBytesPerCommand = 2_048
    /// Bytes of bodies in an answer for the price of one command. Reading, checking and writing a page of 500 KB takes
    /// 0.8 ms of a core, and sending it half as much. If that is near one hundredth of the time, the others' p99 is
    /// what waits for it: with 13 or 7 in a second it is 1.6 or 1.5 times as high. This price allows 3.
    public var answerBytesPerCommand = 1_024
    /// Most cost of a user's connecting and catching up in a second, for all devices together, in units of 50 µs: a
    /// tenth of a core, as for commands (Docs/Decisions/0065-arrivals.md).
    public var arrivalsPerSecond = 2_000
    /// Most of that cost at once, two seconds of a core. After a restart, 64 devices of a user in 3,000 conversations
    /// come back at once (64 each), and each catches up with 10,000 messages in a hundred conversations (500 each). A
    /// user in 20,000 conversations who flaps is let in 90 times in a row.
    public var arrivalsMax = 40_000
    /// The price of a `hello`, in such units: with the upgrade and the token it takes 0.2 ms.
    public var helloPrice = 4
    /// Conversations that a page of catch-up looks into, for one unit: to find the next row takes 5 µs.
    public var spansPerArrival = 10
    /// Durable events of such a page for one unit: 1 to 2 µs to read and to write one.
    public var rowsPerArrival = 32
    /// Bytes of such a page for one unit: 500 KB take 0.8 ms.
    public var bytesPerArrival = 32_768
    /// Commands of one session per second that are refused with `rate_limited`, sustained. Clients that wait as long as
    /// the answer says get one each.
    public var refusalsPerSecond = 100
    /// The most such refusals at once: as many as a client has under way that sent what it had kept while it was
    /// offline. One more closes the connection (4008).
    public var refusalsMax = 1_000
    /// Most tokens checked at once. Further ones wait. When all clients come back, checks and welcomes then alternate
    /// with live traffic in small pieces, even on one core.
    public var verificationsAtOnce = 16
    /// Most reads (history, list, members) of one session under way.
    public var readsPerSession = 4
    /// Most reads, and most large commands, of one session that belongs to no user: a service reads for many users, an
    /// operator looks at a page at a time.
    public var readsPerOperator = 64
    /// Most such reads of all sessions together. One takes well under a millisecond, so the last one waits for a second
    /// at most.
    public var readsMax = 1_000

    /// Most tries of a read while its conversation is edited. Each sees what was committed before it, so another one is
    /// needed only if an edit is committed meanwhile.
    public var readAttempts = 8

    /// Most conversations, members or watches that a turn looks at one by one for commands that name many, or whose
    /// user is in many, and most recipients of presence changes in it. It takes 0.1 ms, and 0.6 ms in a list of 20,000
    /// conversations that aren't in the processor's cache.
    public var stepsPerTurn = 2_048
    /// Number of such steps for the cost of one command.
    public var stepsPerCommand = 100

    /// Most conversations that are looked at for one command, to find a group that its user shares with a user that it
    /// may not reach otherwise. It takes 0.5 ms, and 2.5 ms in the longest lists.
    public var gateSteps = 8_192

    // MARK: Tables

    /// Most members of a group.
    public var membersMax = 10_000
    /// Most conversations of a user that the user opened, wrote to or changed something in. Conversations opened by
    /// others don't count, or anyone could lock the user out.
    public var conversationsPerUser = 10_000
    /// Most conversations that a user opened without any act of another user in them, even if the user has left them. A
    /// person opens a few a day, and most are answered.
    public var unansweredPerUser = 1_000
    /// Unaccepted requests of a user in the last 30 days, dropped ones included: more than a person who means each of
    /// them writes, and too few for one who means none.
    public var requestsPerUser = 20
    /// Time for which a request that isn't accepted counts against its sender.
    public var requestMilliseconds: Int64 = 30 * 86_400_000
    /// Most conversations of a user in all. Beyond it, only users that it wrote to may add it to another group;
    /// everything else goes on. Twice what it may have of its own, so that it takes ten strangers to get there.
    public var membershipsPerUser = 20_000
    /// New users that one user may make by naming them in an hour, all at once or one by one: a group of 1,000
    /// colleagues in one command. A user costs 500 bytes of memory and 50 on disk.
    public var introductionsPerHour = 1_000
    /// Users, known or not, that one user may add to conversations in an hour: the largest group twice. A membership
    /// costs some 300 bytes of memory.
    public var additionsPerHour = 20_000
    /// Most devices of a user that keep a cursor. A further one replaces the device that has been away longest.
    public var devicesPerUser = 64
    /// Settings of one user, and as many removals that are kept for devices which were away. One for each conversation
    /// that a person mutes, pins or writes a draft in, and some more.
    public var statesPerUser = 1_000
    /// Sessions of operators at once, and sessions that get statistics.
    public var operatorsMax = 64
    /// Connections of one sign-in (claim `sid`) at once: twice as many as its user may have devices, since each may be
    /// about to take over. To revoke it closes all of them in one turn.
    public var sessionsPerSignIn = 128
    /// Sign-ins that are revoked and whose tokens may still be good, some 150 bytes each. If 10,000 people sign out in
    /// an hour and tokens live for one, it is a sixth. Further ones are refused with `busy`: none is dropped before its
    /// time.
    public var endedSignIns = 65_536
    /// Users looked at for one page of those who are here: a few reads of memory each.
    public var peopleLookedAt = 4_096
    /// Conversations whose names are looked at for one page of what an operator looks for: 2 ms.
    public var groupsLookedAt = 500
    /// Samples of statistics kept for operators who come later: half an hour, in some 60 kB of an answer.
    public var statisticsKept = 90
    /// Number of samples of which one is kept.
    public var statisticsKeptEvery = 10
    /// Most users that one session may watch.
    public var watchedPerSession = 1_000
    /// Most conversations of which one session may watch how many members are online: those on a screen, twice.
    public var countsPerSession = 64
    /// Most counts of one conversation that are sent in a second, to all its watchers together. If 10,000 watch, each
    /// gets one every five seconds, and it costs what a message a second to 2,000 people does.
    public var countsPerSecond = 2_000
    /// Largest conversation whose count is sent as fast as the presence of its members. In larger ones a member always
    /// comes or goes.
    public var countMembersSmall = 256
    /// Most members that events and conversation objects name. `conversation.members` returns all of them.
    public var membersNamed = 50
    /// Most users that a conversation shows as typing at once, by name. Beyond it, members only learn that several
    /// type.
    public var typersPerConversation = 20
    /// Largest conversation whose members get the names of users who type. In larger ones there is always one, and
    /// sending each name to all costs as much as the messages. Their members only learn whether several type.
    public var typingMembersMax = 256
    /// Most people whose names and photos come with a list of conversations: with a page of 50, all members of small
    /// groups. Each takes some 100 bytes of the answer, 600 at most.
    public var peopleShown = 500
    /// Most different reactions of one user to one message.
    public var reactionsPerUser = 20
    /// Largest conversation whose members are sent each other's receipts: n members who ack cause n² events. In larger
    /// ones members can ask.
    public var receiptMembersMax = 256
    /// The last steps of each of a member's watermarks that are kept: of so many, or more, of the last messages it is
    /// known when the member got and read them. A step takes eight bytes on disk, and with 56 of each kind a member's
    /// row is still small enough for four to fit on a page of SQLite: with 64, each takes a page more of its own.
    public var receiptSteps = 56
    /// Most receipts that one conversation sends to other members' sessions in a second, all together. 30 members who
    /// ack 10 messages/s stay below it; 256 would make 650,000.
    public var receiptsPerSecond = 10_000
    /// Most receipts that a turn sends or defers in a millisecond: 0.4 ms with the writes that follow. A quarter of it
    /// while there is something else to write.
    public var receiptsPerMillisecond = 64

    /// Most frames with badges that a turn sends in a millisecond: 0.1 ms with the writes that follow, so a message to
    /// a group of 2,000 updates all badges within an eighth of a second. A quarter of it while there is something else
    /// to write.
    public var badgesPerMillisecond = 16
    /// Most conversations that are looked at for the badge before `welcome`, whatever else the turn does: 25 µs, as
    /// much as the rest of a `hello` takes. A user in more is counted as far as the turn has steps, and may get the
    /// badge later.
    public var badgeCountedAtOnce = 256

    // MARK: Queues

    /// When more bytes wait for a connection, durable events stay in the log and are read from there later.
    public var outboxSpillBytes = 262_144
    /// When more bytes wait, ephemeral events are held back, and only the newest state is kept. Signals are dropped,
    /// except that a connection which had taken everything before may get up to `outboxSpillBytes` of them in one turn.
    public var outboxCalmBytes = 65_536
    /// The fewest sessions that a turn may write to: about 0.3 ms of writing, a hundred times the cost of the turn
    /// itself. New input waits no longer than that to be read. An event for more of them is for a crowd.
    public var visitsMin = 64
    /// The fewest sessions that a turn writes to if they wait only for a crowd's events: 0.07 ms, twenty times the cost
    /// of the turn itself. A message to one person that arrives meanwhile waits for it twice, until it is read and
    /// until it is stored. With 64, ten events a second for 2,000 sessions doubled the p99 of all messages.
    public var crowdVisitsMin = 16
    /// When more bytes wait, the connection is closed (4001). Replies alone fill it only if the client doesn't read.
    public var outboxMaxBytes = 4_194_304
    /// When more bytes wait for all devices of one user together, the one that gets another answer is closed (4001), if
    /// more than `outboxCalmBytes` wait for it. Four devices may be as slow as one may.
    public var outboxUserBytes = 16_777_216
    /// When more bytes wait for all connections together, a slow one that gets another answer is closed (4001), if more
    /// than `outboxCalmBytes` wait for it. From half of this on, slow connections get no signals, durable events only
    /// when they have read the last ones, and no `history`, `list` and their like (`busy`).
    public var outboxAllBytes = 268_435_456
    /// Most held-back states that one slow session may be owed before it is closed (4001). A session that catches up
    /// gets as many answers to durable commands of its own before it is refused further ones (`busy`).
    public var owedMax = 4_096
    /// Messages of one session whose ack still changes a watermark, 24 bytes each. Beyond that, delivered watermarks
    /// are less precise.
    public var unackedPerSession = 256
    /// Most durable events waiting for the writer. Further ones are refused with `busy`.
    public var pendingEvents = 65_536
    /// Most bytes of durable events waiting for the writer.
    public var pendingBytes = 67_108_864
    /// Bytes of large events, those above `storedBytesPerCommand`, that may wait for the writer before each user may
    /// only have its share there: some 20 ms of writing. So one user may send as fast as the store writes, and 50 who
    /// do keep no other waiting for longer than a tenth of a second.
    public var largeBytesFree = 1_048_576
    /// Bytes of large events of one user that may wait beyond it: one text of the usual longest size at a time.
    public var largeBytesShare = 32_768
    /// Most records of new users and devices waiting for the writer: as many as there may be events. Further ones are
    /// refused with `busy`. A `hello` makes two or three, so 20,000 new clients can come during one commit.
    public var pendingIntroductions = 65_536
    /// Most cursors, and most watermarks, that join one batch. A thousand of them would delay its messages by 10 ms.
    public var watermarksPerBatch = 64

    // MARK: Pages

    /// Messages on a history page when the command names no limit.
    public var historyDefault = 50
    /// Most messages on a history page.
    public var historyMax = 100
    /// Events that aren't about messages, on a history page that is asked for them: the newest of the page, twice what
    /// clients keep of a conversation.
    public var historyEventsMax = 64
    /// Messages back from the newest read one that `unread` reaches: it reads as many as a page of history has.
    public var unreadMax = 100
    /// Bytes of bodies at which a page ends early.
    public var pageBytes = 524_288
    /// Durable events on a catch-up page.
    public var pageMessages = 100
    /// Conversations that one page looks into, three milliseconds of reading. A page of a hundred rows needs a hundred
    /// and one at most, once it is known where their rows begin.
    public var pageSpans = 256
    /// Most page reads under way. Further sessions wait in a queue, so that a storm can't crowd out history.
    public var pagesAtOnce = 64
    /// Most bytes of pages that one turn puts into outboxes, half a millisecond of work. Live traffic comes before the
    /// next.
    public var pageBytesPerTurn = 262_144
    /// Bytes of memory for the newest events, from which sessions are served that are a little behind: some 100,000
    /// short messages, several seconds of the highest load. Less would let sessions fall out of it in a storm, and
    /// each of them costs a read. 0 for none.
    public var windowBytes = 33_554_432
    /// Milliseconds that an event stays in that memory at most.
    public var windowMilliseconds = Int64.max
    /// Most events of the window that are looked at for a session in one go: a tenth of a millisecond, even if the
    /// session is sent none of them.
    public var windowEventsPerPiece = 8_192
    /// Bytes of pages that are kept for other sessions that missed the same: enough for a thousand devices of ten
    /// groups.
    public var sharedPageBytes = 8_388_608
    /// Most pages that are kept for other sessions: few enough to check at each edit.
    public var sharedPages = 256
    /// Number of rounds, one every `aliveMilliseconds`, in which unused pages are dropped before one in constant use is
    /// read again: five minutes. The log erases messages because of their age without an event.
    public var sharedPageRounds = 60
    /// Most conversations of a page that other sessions may share. A session that missed events in more of them hardly
    /// shares the page with any other.
    public var sharedPageSpans = 8
    /// A device that missed more messages of a conversation than this gets only the newest page, and a `gap`.
    public var backlogMax = 1_000
    /// Most edits, deletions, reactions and changes of the conversation that are sent of a backlog that is too long.
    /// With more, reading the conversation anew costs the device less, and the `gap` says so.
    public var backlogChangesMax = 1_000
    /// Most rows of the log's index in which one page looks for them, two milliseconds of reading.
    public var backlogRowsMax = 100_000

    /// Events on a page of the feed whose command names no limit.
    public var feedDefault = 128
    /// Most events on a page of the feed. With short messages it takes a millisecond to read and half of one to write.
    public var feedMax = 256
    /// Bytes of bodies at which such a page ends early: as much as a turn puts into outboxes for all who catch up.
    public var feedBytes = 262_144
    /// Rows that are looked at for one such page. Where conversations were erased, many have no event to send.
    public var feedLooks = 4_096
    /// Messages of a user that one command erases: each is an event for the conversation.
    public var erasedAtOnce = 256
    /// Most deliveries of what one command erases, all messages together: a tenth of a second of the loop at most, in
    /// pieces as with other events. A single message for more sessions is still sent to all.
    public var erasedDeliveries = 20_000
    /// Consumers of the feed that keep a cursor. A deployment has one for each program that follows the log.
    public var feedConsumers = 16

    // MARK: Times, in milliseconds

    /// Longest time from the upgrade to `hello`.
    public var helloMilliseconds: Int64 = 10_000
    /// Time between pings.
    public var pingMilliseconds: Int64 = 25_000
    /// A connection is closed when nothing arrives for this long after a ping.
    public var pongMilliseconds: Int64 = 10_000
    /// The least that a client may ask for instead of `pingMilliseconds`: often enough to notice a lost network on a
    /// call.
    public var pingMinMilliseconds: Int64 = 5_000
    /// And the most: seldom enough for a watch's battery where no proxy is in the way.
    public var pingMaxMilliseconds: Int64 = 300_000
    /// The least that a client may ask for instead of `pongMilliseconds`: no less than a slow mobile network needs.
    public var pongMinMilliseconds: Int64 = 2_000
    /// And the most: no more than ghosts are worth.
    public var pongMaxMilliseconds: Int64 = 60_000
    /// Time from the expiry of a token to the close of its connection.
    public var refreshGraceMilliseconds: Int64 = 25_000
    /// Time in which a dropped device may come back before its user is shown as offline, and all devices after a
    /// restart.
    public var graceMilliseconds: Int64 = 15_000
    /// Time for which a device is idle before its user is shown as away. A look away from the screen isn't an absence.
    public var awayMilliseconds: Int64 = 300_000
    /// Time for which a user is shown as typing after the last `typing` command.
    public var typingMilliseconds: Int64 = 3_000
    /// Shortest time between two beginnings of typing, or changes of its thread, that are sent to others, so that
    /// switching it on and off doesn't cause more events.
    public var typingAgainMilliseconds: Int64 = 1_000
    /// Shortest time between two changes of whether several type that are sent to a conversation's members. However
    /// many come and go, they cost a large group fewer deliveries than one person does who writes.
    public var severalTypingMilliseconds: Int64 = 5_000
    /// Time between two notes in the store that the relay is alive. After a crash, last-seen times may be wrong by this
    /// much.
    public var aliveMilliseconds: Int64 = 5_000
    /// A relay that was down for longer than this shows no user as online when it starts. A restart takes seconds, a
    /// repair minutes; clients that were kept out for this long have given up or warned their users.
    public var downMilliseconds: Int64 = 300_000
    /// Time over which changes of presence and receipts are collected.
    public var gatherMilliseconds: Int64 = 50
    /// Time over which changes of badges are collected. A message changes the badges of all members, and people don't
    /// look at the icon of an app more often than twice a second.
    public var badgeMilliseconds: Int64 = 500
    /// The longest time for which a status may be set: who is away for longer than a year says so again.
    public var statusMaxMilliseconds: Int64 = 366 * 86_400_000
    /// Longest time between two looks whether a status is over, should the wall clock be set.
    public var statusLookMilliseconds: Int64 = 60_000
    /// Longest time between two looks for mutes of a user that end, should the wall clock be set, and the longest for
    /// which a timer that has become useless stays.
    public var muteLookMilliseconds: Int64 = 60_000
    /// Most frames of presence in a second, to all sessions together: a fifth of a core, at up to 5 µs for a write. If
    /// more are due, changes are gathered for longer: 100,000 sessions with something new in each round get a frame
    /// every 2.5 s.
    public var presencePerSecond = 40_000
    /// Frames of presence beyond that pace that delay nothing: what a tick of 50 ms has at the pace.
    public var presenceAtOnce = 2_000
    /// Time between two ticks at which counts of a small conversation are sent: a slot of the timers.
    public var countMillisecondsSmall: Int64 = 100
    /// Shortest time between two counts of a larger conversation. People don't read a number of four digits more often.
    public var countMilliseconds: Int64 = 1_000
    /// Time over which watermarks are collected before they are stored.
    public var watermarkMilliseconds: Int64 = 200
    /// Time from one sample of statistics to the next. To take one costs 50 to 100 µs, most of it for what the system
    /// says of the process and its disk.
    public var statisticsMilliseconds: Int64 = 2_000
    /// Time for which the tokens of a revoked sign-in are refused by default: as long as access tokens mostly live, and
    /// a minute in which the issuer's clock may be ahead.
    public var signInEndMilliseconds: Int64 = 3_660_000
    /// The most that it may say. Tokens that live for longer than a day are no access tokens; and what is refused for
    /// years would fill the table of those who need it for an hour.
    public var signInEndMaxMilliseconds: Int64 = 86_400_000
    /// The shortest time after which messages of a conversation may disappear: a day. Clients offer a day, a week or 90
    /// days.
    public var expiryMinMilliseconds: Int64 = 86_400_000
    /// And the longest: 90 days. For longer there is the operator's retention.
    public var expiryMaxMilliseconds: Int64 = 7_776_000_000
    /// Shortest time between two transactions that erase messages whose time has come, so that one takes many.
    public var disappearPauseMilliseconds: Int64 = 1_000
    /// Longest time between two such looks, should the wall clock be set: they are at most a minute late, with the 30 s
    /// in which the store empties its write-ahead log.
    public var disappearLookMilliseconds: Int64 = 15_000
    /// Interval of the check for sign-ins that can be forgotten, because none of their tokens can be valid any more.
    public var signInLookMilliseconds: Int64 = 60_000
    /// Time for which a page of the feed waits for an event: shorter than clients wait for an answer.
    public var feedWaitMilliseconds: Int64 = 8_000
    /// Time over which acks of the feed are collected before they are stored. A crash makes a consumer get again what
    /// it has acked since.
    public var feedStoreMilliseconds: Int64 = 250
    /// Wait for a client when the writer's queue is full.
    public var busyRetryMilliseconds: Int64 = 250
    /// Wait for a client that writes faster than it catches up.
    public var aheadRetryMilliseconds: Int64 = 1_000
    /// Wait for a client while the disk of the store is full. The operator has to make room.
    public var fullRetryMilliseconds: Int64 = 10_000
    /// Time after which a commit under way keeps further durable commands out, and the wait that their clients are
    /// asked for. Otherwise they would wait for an unknown time, and a queue full of them would be sent when most of
    /// their senders have given up. A commit takes milliseconds, on a slow disk a second.
    public var stallMilliseconds: Int64 = 2_000

    /// The defaults.
    public init() {}
}
