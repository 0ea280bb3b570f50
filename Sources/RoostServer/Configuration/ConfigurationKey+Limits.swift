import RoostWire

extension ConfigurationKey {
    /// The section `limits`. The defaults are those of `RoostWire.Limits`, with their reasons.
    static let limits = connections + frames + rates + tables + queues + pages + times

    private static let connections = [
        ConfigurationKey(
            "limits.connections",
            .whole(\.connectionsMax, 1...1_000_000),
            "Connections at once; more are answered 503. Raise the limit of open files with it."
        ),
        ConfigurationKey(
            "limits.connections_per_address",
            .whole(\.connectionsPerAddressMax, 1...1_000_000),
            "Of them, from one address; more are answered 429. Behind a proxy all come from one address."
        ),
    ]

    private static let frames = [
        ConfigurationKey(
            "limits.frame_bytes",
            .whole(\.limits.frameBytes, 4_096...1_048_576),
            "Bytes of one command. Has to hold the longest body and the longest text, 12 bytes a scalar."
        ),
        ConfigurationKey(
            "limits.body_bytes",
            .whole(\.limits.bodyBytes, 256...1_000_000),
            "Bytes of a body that isn't text."
        ),
        ConfigurationKey(
            "limits.text_scalars",
            .whole(\.limits.textScalars, 1...80_000),
            "Unicode scalars of a text."
        ),
    ]

    private static let rates = [
        ConfigurationKey(
            "limits.commands_per_second",
            .whole(\.limits.commandsPerSecond, 1...1_000_000),
            "Commands of one session, sustained; twice as many in a burst. More are answered rate_limited."
        )
    ]

    private static let tables = [
        ConfigurationKey("limits.members_max", .whole(\.limits.membersMax, 2...100_000), "Members of a group."),
        ConfigurationKey(
            "limits.receipt_members_max",
            .whole(\.limits.receiptMembersMax, 0...10_000),
            "Members up to which receipts are pushed. n members that ack cost n squared events."
        ),
        ConfigurationKey(
            "limits.conversations_per_user",
            .whole(\.limits.conversationsPerUser, 1...1_000_000),
            "Conversations of a user."
        ),
        ConfigurationKey(
            "limits.devices_per_user",
            .whole(\.limits.devicesPerUser, 1...1_024),
            "Devices of a user; a further one takes the place of the one that has been away longest."
        ),
        ConfigurationKey(
            "limits.reactions_per_user",
            .whole(\.limits.reactionsPerUser, 1...100),
            "Different reactions of one user to one message."
        ),
    ]

    private static let queues = [
        ConfigurationKey(
            "limits.outbox_calm_bytes",
            .whole(\.limits.outboxCalmBytes, 4_096...1_073_741_824),
            "Bytes waiting for one connection at which typing, presence and receipts are held back."
        ),
        ConfigurationKey(
            "limits.outbox_spill_bytes",
            .whole(\.limits.outboxSpillBytes, 65_536...1_073_741_824),
            "Bytes at which messages are left to the log and read back when the client has caught up."
        ),
        ConfigurationKey(
            "limits.outbox_max_bytes",
            .whole(\.limits.outboxMaxBytes, 1_048_576...1_073_741_824),
            "Bytes at which the connection is closed."
        ),
        ConfigurationKey(
            "limits.pending_events",
            .whole(\.limits.pendingEvents, 64...10_000_000),
            "Events waiting to be written; more are answered busy."
        ),
        ConfigurationKey(
            "limits.pending_bytes",
            .whole(\.limits.pendingBytes, 16_777_216...4_294_967_296),
            "Bytes of them."
        ),
    ]

    private static let pages = [
        ConfigurationKey(
            "limits.history_default",
            .whole(\.limits.historyDefault, 1...1_000),
            "Messages of a history page that doesn't say."
        ),
        ConfigurationKey(
            "limits.history_max",
            .whole(\.limits.historyMax, 1...1_000),
            "Messages of a history page at most."
        ),
        ConfigurationKey(
            "limits.page_messages",
            .whole(\.limits.pageMessages, 1...1_000),
            "Events of one catch-up page."
        ),
        ConfigurationKey(
            "limits.backlog_max",
            .whole(\.limits.backlogMax, 1...1_000_000),
            "Missed messages of a conversation above which a device gets the newest page and a gap."
        ),
    ]

    private static let times = [
        ConfigurationKey(
            "limits.hello_seconds",
            .seconds(\.limits.helloMilliseconds, 1...300),
            "From the upgrade to hello."
        ),
        ConfigurationKey(
            "limits.ping_seconds",
            .seconds(\.limits.pingMilliseconds, 1...3_600),
            "Between pings. Most proxies cut what is silent for 60 seconds."
        ),
        ConfigurationKey(
            "limits.pong_seconds",
            .seconds(\.limits.pongMilliseconds, 1...600),
            "From a ping to the last moment for anything to arrive."
        ),
        ConfigurationKey(
            "limits.refresh_grace_seconds",
            .seconds(\.limits.refreshGraceMilliseconds, 0...3_600),
            "From the end of a token to the close."
        ),
        ConfigurationKey(
            "limits.typing_seconds",
            .seconds(\.limits.typingMilliseconds, 1...60),
            "How long somebody is shown as typing after the last sign of it."
        ),
    ]
}
