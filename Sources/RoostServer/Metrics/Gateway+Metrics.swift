import RoostCore
import RoostStorage
import RoostTLS
import RoostTransport
import RoostWire

/// The page `/metrics`. The counters are plain integers that are kept where things happen; this page only prints them.
extension Gateway {
    func metricsPage() -> [UInt8] {
        relay.takeCensus(at: now)
        relay.takeBacklog(at: now)
        var page = Exposition()
        writeServer(&page)
        writeLoop(&page)
        writeTraffic(&page)
        writeInput(&page)
        writeDelivery(&page)
        writePresence(&page)
        writeStore(&page)
        writeEndings(&page)
        ProcessUsage.write(&page, openDescriptors: otherDescriptors + (loop?.descriptorCount ?? 0))
        return [UInt8](page.text.utf8)
    }

    private func writeServer(_ page: inout Exposition) {
        page.family("roost_build_info", .gauge, "Version of this relay.")
        page.sample("roost_build_info", 1, label: ("version", ServerVersion.number))
        page.family("roost_durability_info", .gauge, "What an acked message survives: full, normal or memory.")
        page.sample("roost_durability_info", 1, label: ("level", configuration.store.durability.rawValue))
        page.single(
            "process_start_time_seconds", .gauge, "When the relay started, seconds since 1970.",
            Int(startedAt.milliseconds / 1_000))
        if let expires = certificate?.expires {
            page.single(
                "roost_certificate_expires_seconds", .gauge, "When the certificate expires, seconds since 1970.",
                Int(expires.milliseconds / 1_000))
        }
        page.single("roost_connections", .gauge, "Open WebSocket connections.", relay.openConnections)
        page.single(
            "roost_strangers", .gauge, "Connections of any kind that have not been welcomed.", loop?.strangerCount ?? 0)
        page.single("roost_sessions", .gauge, "Connections that were welcomed.", relay.readySessions)
        page.single(
            "roost_operators", .gauge, "Connections that were welcomed as operators' and belong to no user.",
            relay.counters.sessions.operators)
        page.single(
            "roost_feed_events_total", .counter, "Events told to consumers of the feed.", relay.counters.feedEvents)
        page.single("roost_reports_total", .counter, "Reports by users.", relay.counters.reports.made)
        page.single(
            "roost_reports_open", .gauge, "Reports that no operator has closed.", relay.counters.reports.open)
        page.labelled(
            "roost_feed_lag", .gauge, "Positions between what a consumer of the feed has acked and the newest event.",
            by: "consumer", relay.feedLags.map { ($0.consumer, $0.positions) })
        page.labelled(
            "roost_devices", .gauge, "Welcomed connections by what their devices say about their use.", by: "state",
            [
                ("active", relay.counters.presence.active), ("idle", relay.counters.presence.idle),
                ("background", relay.counters.presence.background),
            ])
        page.single("roost_users", .gauge, "Known users.", relay.counters.users)
        page.single("roost_conversations", .gauge, "Known conversations.", relay.counters.conversations)
    }

    private func writeTraffic(_ page: inout Exposition) {
        let counters = relay.counters
        let sessions = counters.sessions
        page.labelled(
            "roost_sessions_opened_total", .counter,
            "Sessions welcomed, by whether the device was new, went on where the relay knew it to be, named that "
                + "itself, or went back; or it was an operator's, which has no device.",
            by: "resume",
            [
                ("new", sessions.new), ("known", sessions.known), ("resumed", sessions.resumed),
                ("rewound", sessions.rewound), ("operator", sessions.openedByOperators),
            ])
        page.single(
            "roost_takeovers_total", .counter, "Sessions replaced by a new session of the same device.",
            sessions.takeovers)
        page.single("roost_commands_total", .counter, "Frames received.", counters.commands)
        page.single("roost_messages_total", .counter, "Messages stored.", counters.messages)
        page.single(
            "roost_messages_disappeared_total", .counter, "Messages erased because their time had come.",
            counters.disappeared)
        page.single("roost_duplicates_total", .counter, "Retries answered with the first answer.", counters.duplicates)
        page.write(counters.gate)
        let requests = counters.gate.requests
        page.labelled(
            "roost_requests_total", .counter, "First messages of strangers, by what has become of them.", by: "state",
            [("made", requests.made), ("accepted", requests.accepted), ("dropped", requests.dropped)])
        page.single("roost_signals_total", .counter, "Signals accepted.", counters.signals)
        guard let loop else { return }
        let transport = loop.counters
        page.single("roost_received_bytes_total", .counter, "Payload bytes received.", transport.bytesIn)
        page.single("roost_sent_bytes_total", .counter, "Bytes written to connections.", transport.bytesOut)
        page.single("roost_writes_total", .counter, "Writes to connections.", transport.writes)
        page.labelled(
            "roost_refused_total", .counter, "Requests and upgrades refused, and handshakes of TLS, by reason.",
            by: "reason",
            [
                ("rate", transport.refusedRate), ("full", transport.refusedFull), ("address", transport.refusedAddress),
                ("descriptor", transport.refusedDescriptor), ("upgrade", transport.refusedUpgrade),
                ("policy", transport.refusedByHandler), ("tls", transport.refusedTLS),
            ])
    }

    private func writeInput(_ page: inout Exposition) {
        guard let loop else { return }
        page.single(
            "roost_partial_bytes", .gauge, "Memory taken by messages that have arrived in part.", loop.partialBytes)
        page.labelled(
            "roost_shed_total", .counter,
            "What gave way to load: signals not sent to slow devices, states of which these get only the newest, "
                + "commands with long answers refused because too much waits, connections closed before their welcome "
                + "for newcomers, and connections closed because their unfinished messages took too much memory.",
            by: "class",
            [
                ("signal", relay.counters.signalsDropped), ("state", relay.counters.ephemeralOwed),
                ("read", relay.counters.behind.readsShed), ("stranger", loop.counters.gaveWay),
                ("partial", loop.counters.partialsCut),
            ])
    }

    private func writeLoop(_ page: inout Exposition) {
        guard let loop else { return }
        page.histogram(
            "roost_turn_seconds", "Time the loop worked from waking up to sleeping; everybody waits meanwhile.",
            loop.counters.turnMicroseconds, unit: 1_000_000)
        page.histogram(
            "roost_timer_late_seconds", "How late the loop was for what was due at a time.",
            loop.counters.timerLateMilliseconds, unit: 1_000)
        page.single(
            "roost_turns_cut_total", .counter, "Turns cut for those who talk while many connections come or go.",
            loop.counters.turnsCut)
    }

    private func writeDelivery(_ page: inout Exposition) {
        let counters = relay.counters
        page.single(
            "roost_deliveries_total", .counter, "Durable events put on their way to a device.", counters.deliveries)
        page.single(
            "roost_signal_deliveries_total", .counter, "Signals put on their way to a device.",
            counters.signalDeliveries)
        page.histogram(
            "roost_stored_seconds", "Time from the arrival of a command until its event is durable and on its way.",
            relay.storedTimes, unit: 1_000)
        page.histogram(
            "roost_acked_seconds",
            "Time from the arrival of a command until a device that was connected acks its event, or a later one.",
            relay.ackedTimes, unit: 1_000)
        page.histogram(
            "roost_fan_out_sessions", "Sessions to which a durable event was to go at once.", counters.fanOut)
        page.single(
            "roost_sessions_behind", .gauge, "Sessions that have been welcomed and still catch up.",
            counters.behind.sessions)
        page.single(
            "roost_window_pieces_total", .counter,
            "Times a session that was behind got events from memory, without a read.", counters.behind.windowPieces)
        let census = counters.behind.census
        page.single(
            "roost_behind_positions", .gauge,
            "Events stored since the oldest that some connected device hasn't been sent, when last looked at.",
            Int(census.furthestBehind))
        page.family(
            "roost_behind_seconds", .gauge,
            "Age of the oldest event that some connected device hasn't been sent, when last looked at.")
        page.sample("roost_behind_seconds", Double(census.oldestUnsent) / 1_000)
        page.family(
            "roost_unacked_seconds", .gauge,
            "Age of the oldest message sent to a connected device that it hasn't acked, when last looked at.")
        page.sample("roost_unacked_seconds", Double(census.oldestUnacked) / 1_000)
        counters.behind.backlog?.write(to: &page)
        page.single(
            "roost_outbox_largest_bytes", .gauge, "Most bytes waiting for one connection, when last looked at.",
            census.largestOutbox)
        page.single(
            "roost_spills_total", .counter, "Times a session fell behind because it reads slowly.",
            counters.behind.spills)
        page.single(
            "roost_catch_up_pages_total", .counter, "Pages read from the log for devices that catch up.", counters.pages
        )
        page.single("roost_gaps_total", .counter, "Backlogs shortened with an explicit gap.", counters.gaps)
        page.single("roost_outbox_bytes", .gauge, "Bytes waiting to be written to all connections.", relay.outboxBytes)
    }

    private func writePresence(_ page: inout Exposition) {
        let counters = relay.counters
        let presence = counters.presence
        page.labelled(
            "roost_presence_users", .gauge, "Users by the state that their watchers see.", by: "state",
            [
                ("online", presence.online), ("away", presence.away), ("busy", presence.busy),
                ("offline", counters.users - presence.online - presence.away - presence.busy),
            ])
        page.single(
            "roost_presence_joins_total", .counter, "Users shown as there who were offline before.", presence.joins)
        page.labelled(
            "roost_presence_leaves_total", .counter,
            "Users shown as offline who were there before, by how their last connection ended, or why else.",
            by: "reason",
            EndReason.allCases.map { ("\($0.word)", presence.leaves[Int($0.rawValue)]) } + [
                ("background", presence.leftForBackground), ("invisible", presence.becameInvisible),
            ])
        page.single(
            "roost_presence_returns_total", .counter,
            "Devices that came back before their grace ended, so that nobody saw them leave.", presence.returned)
        page.histogram(
            "roost_presence_delay_seconds", "Time from a change of a user to the round that tells it.",
            presence.delay, unit: 1_000)
        page.single("roost_presence_changes_total", .counter, "Changes of users' presence.", counters.presence.changes)
        page.single(
            "roost_presence_late_total", .counter, "Rounds of presence told later than usual, because there was much.",
            counters.presence.lateRounds)
        page.single(
            "roost_ephemeral_deliveries_total", .counter, "Typing, presence and receipt events sent.",
            counters.ephemeralDeliveries)
        page.single(
            "roost_receipts_total", .counter, "Changed watermarks that others are told about.",
            counters.receiptsGathered)
    }

    private func writeStore(_ page: inout Exposition) {
        page.histogram(
            "roost_commit_seconds",
            "Time from handing a batch to the writer until it is durable, at the level of roost_durability_info.",
            commits.microseconds, unit: 1_000_000)
        page.histogram("roost_commit_rows", "Durable events stored by one commit.", commits.rows)
        page.single("roost_pending_events", .gauge, "Durable events waiting for the writer.", relay.pendingEvents)
        page.single("roost_log_position", .gauge, "Position of the newest durable event.", Int(relay.head.value))
        page.single("roost_store_failed", .gauge, "1 once the store has failed.", hasStoreFailed ? 1 : 0)
        page.single(
            "roost_store_stalled", .gauge, "1 while commands are refused because a commit takes too long.",
            relay.isStalled ? 1 : 0)
        page.single(
            "roost_store_full", .gauge, "1 while commands are refused because the disk is full.", relay.isFull ? 1 : 0)
        if let statistics = workers?.storeStatistics() { write(statistics, &page) }
    }

    private func write(_ statistics: StorageStatistics, _ page: inout Exposition) {
        page.single(
            "roost_store_bytes", .gauge, "Bytes of the store, with its write-ahead log.",
            statistics.storedBytes)
        growth.note(statistics.fileBytes, at: now.monotonic)
        if let free = statistics.freeBytes {
            page.single(
                "roost_store_free_bytes", .gauge, "Bytes that are free on the disk of the store.", Int(clamping: free))
            if let speed = growth.bytesPerSecond {
                page.family(
                    "roost_store_full_in_seconds", .gauge,
                    "When the disk is full if the store grows as in the last hour; missing if it doesn't grow.")
                page.sample("roost_store_full_in_seconds", Double(free) / speed)
            }
        }
        page.family("roost_store_problems_total", .counter, "Problems that the store noticed, by kind.")
        for kind in StorageNotice.Kind.allCases where kind != .progress {
            page.sample("roost_store_problems_total", statistics.notices[kind] ?? 0, label: ("kind", kind.rawValue))
        }
        page.single(
            "roost_expired_messages_total", .counter, "Messages erased because of their age or the size of all.",
            statistics.expiredMessages)
        page.single(
            "roost_key_filter_bytes", .gauge, "Memory taken by the filters of the key index.",
            statistics.keyFilterBytes)
        page.single(
            "roost_unindexed_rows", .gauge, "Rows in memory that the indexes don't have yet.", statistics.unindexedRows)
        page.single("roost_wal_bytes", .gauge, "Bytes of the write-ahead log in use.", statistics.walBytes)
    }

    private func writeEndings(_ page: inout Exposition) {
        page.family("roost_errors_total", .counter, "Commands refused, by code.")
        for code in ErrorCode.allCases {
            page.sample(
                "roost_errors_total", relay.counters.errors[Int(code.rawValue)], label: ("code", "\(code.word)"))
        }
        let ends = EndReason.allCases.map { ("\($0.word)", Int($0.rawValue)) }
        page.labelled(
            "roost_session_ends_total", .counter, "Sessions that have ended, by how.", by: "reason",
            ends.map { ($0, relay.counters.sessions.ends[$1]) })
        page.labelled(
            "roost_stranger_ends_total", .counter, "Connections that ended before their welcome, by how.", by: "reason",
            ends.map { ($0, relay.counters.sessions.strangersEnds[$1]) })
        page.family("roost_closes_total", .counter, "Connections closed by the relay, by code.")
        let failed = loop?.counters.failed ?? [:]
        for (code, count) in zip(CloseCode.allCases, relay.counters.closes) {
            page.sample("roost_closes_total", count + (failed[code] ?? 0), label: ("code", "\(code.rawValue)"))
        }
    }
}

extension Counters.Backlog {
    fileprivate func write(to page: inout Exposition) {
        page.family(
            "roost_offline_devices", .gauge,
            "Devices that are not connected, by how long those for which events wait have been away.")
        let counts = [("none", nothing), ("hour", hour), ("day", day), ("week", week), ("longer", longer)]
        for (word, count) in counts { page.sample("roost_offline_devices", count, label: ("backlog", word)) }
    }
}

extension Exposition {
    /// Writes the gate's refusals.
    fileprivate mutating func write(_ gate: Counters.Gate) {
        family(
            "roost_gate_total", .counter,
            "Commands about users who don't know each other, by what they wanted and whether they were refused or only "
                + "logged.")
        for deed in GateDeed.allCases {
            let place = Int(deed.rawValue)
            for (outcome, counts) in [("refused", gate.refused), ("logged", gate.logged)] {
                sample(
                    "roost_gate_total", counts[place], labels: [("deed", "\(deed)"), ("outcome", outcome)])
            }
        }
    }
}
