import RoostConfiguration
import RoostWire

extension Configuration {
    /// The section `limits`. `RoostWire.Limits` has the defaults and their reasons.
    static let limitKeys: [Key] = connections + frames + rates + tables + queues + pages + times

    private static let connections: [Key] = [
        Key(
            "limits.connections",
            .whole(\.connectionsMax, 1...1_000_000),
            "Connections at once. Further ones are refused with 503. Raise the limit of open files together with it."
        ),
        Key(
            "limits.strangers",
            .whole(\.strangersMax, 1...1_000_000),
            "Connections at once that have not been welcomed yet. For a further one, the oldest of the address that "
                + "has most of them is closed. A quarter of limits.connections is enough for thousands who come at "
                + "once."
        ),
        Key(
            "limits.connections_per_address",
            .whole(\.connectionsPerAddressMax, 1...1_000_000),
            "Connections at once from one address. Further ones are refused with 429. Behind a proxy that "
                + "listen.proxies doesn't name, all connections come from one address."
        ),
        Key(
            "limits.strangers_per_address",
            .whole(\.strangersPerAddressMax, 1...1_000_000),
            "Connections at once from one address that have not been welcomed yet. For a further one, its oldest is "
                + "closed."
        ),
        Key(
            "limits.requests_per_second",
            .whole(\.requestsPerSecond, 1...1_000_000),
            "Plain HTTP requests of one address in a second, /healthz and /readyz excepted. Further ones are refused "
                + "with 429."
        ),
    ]

    private static let frames: [Key] = [
        Key(
            "limits.frame_bytes",
            .whole(\.limits.frameBytes, 4_096...1_048_576),
            "Largest command, in bytes. It must have room for the largest body, and for the longest text at 12 bytes a "
                + "scalar."
        ),
        Key(
            "limits.body_bytes",
            .whole(\.limits.bodyBytes, 256...1_000_000),
            "Largest message body that isn't text, in bytes."
        ),
        Key(
            "limits.text_scalars",
            .whole(\.limits.textScalars, 1...80_000),
            "Longest text, in Unicode scalars."
        ),
        Key(
            "limits.expiry_seconds_min",
            .seconds(\.limits.expiryMinMilliseconds, 1...7_776_000),
            "The shortest time after which messages of a conversation may be told to disappear. A shorter one than a "
                + "day is for tests."
        ),
        Key(
            "limits.partial_bytes",
            .whole(\.partialBytesMax, 1_048_576...4_294_967_296),
            "Most bytes of memory for messages of all connections that have arrived in part. Beyond that, the "
                + "connection whose message has been unfinished for longest is closed."
        ),
    ]

    private static let rates: [Key] = [
        Key(
            "limits.commands_per_second",
            .whole(\.limits.commandsPerSecond, 1...1_000_000),
            "Commands of one user per second, sustained, from all sessions together. A burst may have twice as many. "
                + "Commands that make more work than a small message count for several. Further ones are answered with "
                + "rate_limited."
        ),
        Key(
            "limits.introductions_per_hour",
            .whole(\.limits.introductionsPerHour, 1...1_000_000),
            "Users whom nobody has named before that one user may name in an hour."
        ),
        Key(
            "limits.additions_per_hour",
            .whole(\.limits.additionsPerHour, 1...10_000_000),
            "Users whom one user may put into conversations in an hour."
        ),
    ]

    private static let tables: [Key] = [
        Key("limits.members_max", .whole(\.limits.membersMax, 2...100_000), "Most members of a group."),
        Key(
            "limits.receipt_members_max",
            .whole(\.limits.receiptMembersMax, 0...10_000),
            "Largest group whose members are sent each other's receipts. n members who ack make n squared events."
        ),
        Key(
            "limits.conversations_per_user",
            .whole(\.limits.conversationsPerUser, 1...1_000_000),
            "Most conversations that one user opened or has written to. What others open doesn't count."
        ),
        Key(
            "limits.unanswered_per_user",
            .whole(\.limits.unansweredPerUser, 1...1_000_000),
            "Most conversations that one user opened and in which nobody else has done anything."
        ),
        Key(
            "limits.memberships_per_user",
            .whole(\.limits.membershipsPerUser, 1...1_000_000),
            "When a user is in more conversations than this, strangers can't put it into further groups."
        ),
        Key(
            "limits.devices_per_user",
            .whole(\.limits.devicesPerUser, 1...1_024),
            "Most devices of one user. A further one replaces the device that has been away longest."
        ),
        Key(
            "limits.reactions_per_user",
            .whole(\.limits.reactionsPerUser, 1...100),
            "Most different reactions of one user to one message."
        ),
    ]

    private static let queues: [Key] = [
        Key(
            "limits.outbox_calm_bytes",
            .whole(\.limits.outboxCalmBytes, 4_096...1_073_741_824),
            "When more bytes than this wait for a connection, typing, presence and receipts are held back."
        ),
        Key(
            "limits.outbox_spill_bytes",
            .whole(\.limits.outboxSpillBytes, 65_536...1_073_741_824),
            "When more bytes than this wait for a connection, its messages stay in the log until the client has taken "
                + "what waits."
        ),
        Key(
            "limits.outbox_max_bytes",
            .whole(\.limits.outboxMaxBytes, 1_048_576...1_073_741_824),
            "When more bytes than this wait for a connection, it is closed."
        ),
        Key(
            "limits.outbox_user_bytes",
            .whole(\.limits.outboxUserBytes, 1_048_576...1_073_741_824),
            "When more bytes than this wait for all devices of one user together, the slow ones among them are closed."
        ),
        Key(
            "limits.outbox_all_bytes",
            .whole(\.limits.outboxAllBytes, 16_777_216...1_099_511_627_776),
            "When more bytes than this wait for all connections together, slow ones are closed. From half of it on, "
                + "they get less."
        ),
        Key(
            "limits.window_bytes",
            .whole(\.limits.windowBytes, 0...4_294_967_296),
            "Memory for the newest events, from which devices are served that are a little behind."
        ),
        Key(
            "limits.pending_events",
            .whole(\.limits.pendingEvents, 64...10_000_000),
            "Most events waiting to be written to the log. Further commands are answered with busy."
        ),
        Key(
            "limits.pending_bytes",
            .whole(\.limits.pendingBytes, 16_777_216...4_294_967_296),
            "Most bytes of events waiting to be written to the log."
        ),
    ]

    private static let pages: [Key] = [
        Key(
            "limits.history_default",
            .whole(\.limits.historyDefault, 1...1_000),
            "Messages on a history page when the command names no limit."
        ),
        Key(
            "limits.history_max",
            .whole(\.limits.historyMax, 1...1_000),
            "Most messages on a history page."
        ),
        Key(
            "limits.page_messages",
            .whole(\.limits.pageMessages, 1...1_000),
            "Events on a catch-up page."
        ),
        Key(
            "limits.backlog_max",
            .whole(\.limits.backlogMax, 1...1_000_000),
            "A device that missed more messages of a conversation than this gets only the newest page, and a gap."
        ),
    ]

    private static let times: [Key] = [
        Key(
            "limits.hello_seconds",
            .seconds(\.limits.helloMilliseconds, 1...300),
            "Longest time from the upgrade to hello."
        ),
        Key(
            "limits.ping_seconds",
            .seconds(\.limits.pingMilliseconds, 1...3_600),
            "Time between pings. Most proxies cut a connection that is silent for 60 seconds."
        ),
        Key(
            "limits.pong_seconds",
            .seconds(\.limits.pongMilliseconds, 1...600),
            "A connection is closed when nothing arrives for this long after a ping."
        ),
        Key(
            "limits.ping_seconds_min",
            .seconds(\.limits.pingMinMilliseconds, 1...3_600),
            "Shortest time between pings that a client may ask for."
        ),
        Key(
            "limits.ping_seconds_max",
            .seconds(\.limits.pingMaxMilliseconds, 1...3_600),
            "Longest time between pings that a client may ask for."
        ),
        Key(
            "limits.pong_seconds_min",
            .seconds(\.limits.pongMinMilliseconds, 1...600),
            "Shortest time to answer a ping that a client may ask for."
        ),
        Key(
            "limits.pong_seconds_max",
            .seconds(\.limits.pongMaxMilliseconds, 1...600),
            "Longest time to answer a ping that a client may ask for. Lost connections are noticed that late."
        ),
        Key(
            "limits.refresh_grace_seconds",
            .seconds(\.limits.refreshGraceMilliseconds, 0...3_600),
            "Time from the expiry of a token to the close of its connection."
        ),
        Key(
            "limits.typing_seconds",
            .seconds(\.limits.typingMilliseconds, 1...60),
            "How long a user is shown as typing after the last typing command."
        ),
    ]
}
