/// The bounds of the services process, each with its reason. Docs/Accounts.md says what happens at each.
package struct ServicesLimits: Sendable, Equatable {
    // MARK: HTTP

    /// Most bytes of a request's body. The largest has a password, a name and an address: 1 KiB.
    package var bodyBytes = 16_384
    /// Most bytes of a header field, and of all of them. An access token takes 400; browsers send 2 KiB of others.
    package var headerBytes = 16_384
    /// Most header fields. Browsers send 20, proxies add 10.
    package var headerFields = 64
    /// Longest time for a body to arrive. Phones on bad networks need seconds.
    package var requestSeconds = 10
    /// Longest time for requests that have begun once the relay's process has ended. A sign-in takes less than one
    /// second.
    package var farewellSeconds: UInt32 = 2
    /// Longest time for which a connection may be idle, or a request's head take: longer than a body, which is refused
    /// in words.
    package var idleSeconds = 30
    /// Requests that are worked on at once, after they have arrived. Each holds 16 KiB of body, and most wait for the
    /// one database.
    package var requestsMax = 64
    /// Connections at once. Half of the 1,024 descriptors that a shell allows. For one more, the oldest that waits for
    /// a request, or for the rest of one, is closed: of the address with the most.
    package var connectionsMax = 512
    /// Connections of one address, and of the /56 and /48 that it is in; for one more, its own oldest is closed. An
    /// office behind one address has 20 at once. Listed proxies have no such bound, since many clients come by them.
    package var addressConnections = 64
    package var homeConnections = 128
    package var siteConnections = 192
    /// Bytes and seconds for which a request is read after it was refused: enough for a client to have sent what it had
    /// begun, and to read why. Then the connection ends.
    package var lingerBytes = 65_536
    package var lingerSeconds = 2
    /// Wait to ask of a refused client if we are busy, in seconds. The queue below empties in one or two.
    package var busySeconds = 2
    /// Time for which a browser may keep the answer to a preflight, in seconds. Chromium caps it at two hours.
    package var preflightSeconds = 600

    /// Time for which the process counts as ready without another look at the disk, in seconds: also `Retry-After` when
    /// it isn't. Monitors ask every five to ten.
    package var readySeconds: Int64 = 5

    // MARK: Backends

    /// Most bytes of a backend's request: what the relay takes as a command (Docs/Protocol.md, section 3, `limits`).
    package var commandBytes = 262_144
    /// Commands of backends that are under way to the relay: as many as requests, so that the bound above holds first.
    package var relayCommandsMax = 64
    /// Users whose messages wait to be erased. Each takes a line of 100 bytes, and some seconds.
    package var erasuresMax = 10_000

    // MARK: Passwords

    /// Threads that hash. Each takes 19 MiB and a core while it works, and the relay needs cores, too.
    package var hashThreads = 2
    /// Passwords that wait to be hashed. At some 40 ms each, the last one waits for a second.
    package var hashQueue = 48
    /// Places of these reserved for addresses without another attempt in `attemptSeconds`: a client that floods the
    /// queue has made some. A third, so that a flood still finds most of the work done.
    package var hashReserve = 16
    /// Milliseconds that a password waits for an idle processor: what the last of a full queue waits for its turn. Then
    /// a thread that doesn't wait for that does it, too.
    package var hashLateMilliseconds = 1_000
    /// Most bytes of a password. Argon2 would take more; people don't type more.
    package var passwordBytes = 256

    // MARK: People

    /// Most bytes of an address (RFC 5321, section 4.5.3.1.3: a path of 256 with its angle brackets).
    package var addressBytes = 254
    /// Most Unicode scalars, and bytes, of a name. As long as those of groups.
    package var nameScalars = 64
    package var nameBytes = 256
    /// Most bytes of a device's name: what the relay takes (Docs/Protocol.md, section 2).
    package var deviceBytes = 64
    /// Most bytes of a language tag (RFC 5646, section 4.4.1).
    package var languageBytes = 35
    /// Sessions of one user. More than a person has devices; the one that was used longest ago ends.
    package var sessionsMax = 100
    /// Time for which an exchange of a refresh token is answered again with the same tokens, even to another client:
    /// tabs of one browser begin theirs at once, and a request over a bad network takes seconds. A thief within that
    /// time isn't noticed by this exchange.
    package var refreshGraceSeconds: Int64 = 10
    /// Exchanges of a session whose times are kept for that. Apps make one an hour; tests and broken clocks more.
    package var refreshRenewals = 8
    /// One-time links of one user and purpose that are valid at once. The oldest ends.
    package var linksMax = 3

    // MARK: Import

    /// Most bytes of one user in a file that is imported. Firebase's claims have up to 1,000, names and addresses of
    /// pictures 2 KiB each.
    package var importUserBytes = 65_536
    /// Users of one commit. Each commit waits for the disk, and sign-ins wait for the commit.
    package var importBatch = 200
    /// Bytes that are read from the file at a time.
    package var importPieceBytes = 65_536
    /// Most bytes of the file with hash parameters. The console's text has 250.
    package var importConfigBytes = 4_096

    // MARK: Attempts

    /// Failed sign-ins of an account, wrong passwords by which a session confirms something, and attempts of a
    /// client's address, in `attemptSeconds`. A person mistypes twice; an office or a carrier has many people behind
    /// one address.
    package var accountFailures = 5
    package var addressAttempts = 30
    /// The same for the networks of /56 and /48 that an IPv6 address is in: 256 and 65,536 of the /64 that one address
    /// counts as belong to one home or one company, which may have that many more people.
    package var homeAttempts = 120
    package var siteAttempts = 480
    package var attemptSeconds: Int64 = 900
    /// Passwords of an account that are checked in that time, right ones included: otherwise one person could keep the
    /// threads that hash busy. People don't sign in more than every 15 seconds. As many for all its sessions together.
    package var accountChecks = 60
    /// Mails with a link to one address, of each purpose, in `attemptSeconds`. A person who waits for one asks two or
    /// three times; more would be an attempt to fill another person's mailbox.
    package var letters = 5
    /// Accounts and addresses whose attempts are remembered: 10 MiB each. Beyond it the oldest is forgotten.
    package var attemptKeys = 100_000
    /// Forgotten passwords that wait to be looked up. Each takes one commit of some milliseconds.
    package var forgottenQueue = 256

    // MARK: Second factors

    /// Wrong codes of one account in `attemptSeconds`: three steps are valid at a time, so that these are 15 of a
    /// million codes.
    package var factorFailures = 5
    /// The same in a day. An attacker who knows the password finds a code with one in 11,000 a day, one in 30 a year.
    package var factorFailuresDaily = 30
    /// Longest time for the second step of a sign-in. A code is looked up in seconds, a recovery code in minutes.
    package var ticketSeconds: Int64 = 300
    /// Sign-ins of one account that wait for their second step; the oldest ends. Each is 100 bytes.
    package var ticketsMax = 10
    /// Time for which a new secret waits for its first code. Installing an app takes minutes.
    package var offerSeconds: Int64 = 600

    // MARK: Operators

    /// Most accounts, or entries of the audit log, in one answer: 100 KiB.
    package var pageMax = 100
    /// Number of them by default.
    package var pageUsual = 50
    /// Entries of the audit log that are kept: 10 MiB, or one act every five minutes for a year.
    package var auditRows = 100_000
    /// Time for which they are kept, in days. A user who asks what was done to an account asks within a year; after it
    /// the log would only say what operators do all day.
    package var auditDays: Int64 = 365
    /// Entries of it in a user's export: 100 KiB. No user has been looked at so often.
    package var exportedAudit = 1_000
    /// Lifetime of the command line's tokens. A command takes a second; a page stays open for a while.
    package var commandTokenSeconds: Int64 = 300
    package var pageTokenSeconds: Int64 = 3_600

    // MARK: Metrics

    /// Oldest age of the numbers of accounts and sessions on the page `/metrics`, in seconds. Counting a million takes
    /// some 20 ms of the one database.
    package var censusSeconds: Int64 = 5

    // MARK: Look-ups

    /// Look-ups of one caller in `lookupSeconds`, successful or not. A person types an address in some seconds; a
    /// client that tries a list gets through 14,400 a day.
    package var lookups = 10
    package var lookupSeconds: Int64 = 60

    // MARK: Time

    /// Lifetime of a one-time link. Mail takes minutes, people take more.
    package var linkSeconds: Int64 = 1_800
    /// Letters that wait for an operator if there is no mail. More in half an hour need a mail server.
    package var heldLetters = 256
    /// Lifetime of a link for a friend, and most of them at once; the oldest ends. People look at their messages within
    /// days, and one person invites a class at most.
    package var friendLinkSeconds: Int64 = 7 * 86_400
    package var friendLinksMax = 100
    /// Time after a sign-in in which an account without a password may be deleted, or get its first one. People find
    /// the button within minutes; a phone that is left open isn't theirs for ever.
    package var freshSeconds: Int64 = 600
    /// Time for which the old public key is published after a rotation: longer than an access token can last, and the
    /// process takes to see the new key.
    package var keyAfterlifeSeconds: Int64 = 86_400 + 300
    /// Time for which a new key is published before it signs: the relay reads the file once in 5 seconds at most.
    package var keySettlingSeconds: Int64 = 10
    /// Time between two looks at the keys and for sessions that have ended, in seconds.
    package var choreSeconds = 60
    /// Lifetime of a token for the relay. A connection takes seconds.
    package var serviceTokenSeconds: Int64 = 300

    /// The bounds that are in force.
    package init() {}
}
