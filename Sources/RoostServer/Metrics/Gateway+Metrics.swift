import RoostCore
import RoostStorage
import RoostTransport
import RoostWire

/// The page `/metrics`. The counters are plain integers that are kept where things happen; this page only prints them.
extension Gateway {
    func metricsPage() -> [UInt8] {
        var page = Exposition()
        writeServer(&page)
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
            "roost_start_time_seconds", .gauge, "When the relay started, seconds since 1970.",
            Int(startedAt.milliseconds / 1_000))
        page.single("roost_connections", .gauge, "Open WebSocket connections.", relay.openConnections)
        page.single(
            "roost_strangers", .gauge, "Connections of any kind that have not been welcomed.", loop?.strangerCount ?? 0)
        page.single("roost_sessions", .gauge, "Connections that were welcomed.", relay.readySessions)
        page.single("roost_users", .gauge, "Known users.", relay.counters.users)
        page.single("roost_conversations", .gauge, "Known conversations.", relay.counters.conversations)
    }

    private func writeTraffic(_ page: inout Exposition) {
        let counters = relay.counters
        page.single("roost_sessions_opened_total", .counter, "Sessions welcomed.", counters.sessionsOpened)
        page.single(
            "roost_takeovers_total", .counter, "Sessions replaced by a new session of the same device.",
            counters.takeovers)
        page.single("roost_commands_total", .counter, "Frames received.", counters.commands)
        page.single("roost_messages_total", .counter, "Messages stored.", counters.messages)
        page.single("roost_duplicates_total", .counter, "Retries answered with the first answer.", counters.duplicates)
        page.single("roost_signals_total", .counter, "Signals accepted.", counters.signals)
        guard let loop else { return }
        let transport = loop.counters
        page.single("roost_received_bytes_total", .counter, "Payload bytes received.", transport.bytesIn)
        page.single("roost_sent_bytes_total", .counter, "Bytes written to connections.", transport.bytesOut)
        page.single("roost_writes_total", .counter, "Writes to connections.", transport.writes)
        page.family("roost_refused_total", .counter, "Requests and upgrades refused, by reason.")
        page.sample("roost_refused_total", transport.refusedRate, label: ("reason", "rate"))
        page.sample("roost_refused_total", transport.refusedFull, label: ("reason", "full"))
        page.sample("roost_refused_total", transport.refusedAddress, label: ("reason", "address"))
        page.sample("roost_refused_total", transport.refusedDescriptor, label: ("reason", "descriptor"))
        page.sample("roost_refused_total", transport.refusedUpgrade, label: ("reason", "upgrade"))
        page.sample("roost_refused_total", transport.refusedByHandler, label: ("reason", "policy"))
    }

    private func writeInput(_ page: inout Exposition) {
        guard let loop else { return }
        page.single(
            "roost_gave_way_total", .counter, "Connections closed before their welcome to make room for newcomers.",
            loop.counters.gaveWay)
        page.single(
            "roost_turns_cut_total", .counter, "Turns cut for those who talk while many connections come or go.",
            loop.counters.turnsCut)
        page.single(
            "roost_partial_bytes", .gauge, "Memory taken by messages that have arrived in part.", loop.partialBytes)
        page.single(
            "roost_partial_cut_total", .counter, "Connections closed because such messages took too much memory.",
            loop.counters.partialsCut)
    }

    private func writeDelivery(_ page: inout Exposition) {
        let counters = relay.counters
        page.single(
            "roost_deliveries_total", .counter, "Durable events put on their way to a device.", counters.deliveries)
        page.single(
            "roost_signal_deliveries_total", .counter, "Signals put on their way to a device.",
            counters.signalDeliveries)
        page.single(
            "roost_signals_dropped_total", .counter, "Signals not sent to slow devices.", counters.signalsDropped)
        page.single(
            "roost_sessions_behind", .gauge, "Sessions that have been welcomed and still catch up.",
            counters.behind.sessions)
        page.single(
            "roost_window_pieces_total", .counter,
            "Times a session that was behind got events from memory, without a read.", counters.behind.windowPieces)
        page.single(
            "roost_reads_shed_total", .counter,
            "Commands with long answers, refused because too much waits for slow clients.", counters.behind.readsShed)
        page.single(
            "roost_spills_total", .counter, "Times a session fell behind because it reads slowly.", counters.spills)
        page.single(
            "roost_catch_up_pages_total", .counter, "Pages read from the log for devices that catch up.", counters.pages
        )
        page.single("roost_gaps_total", .counter, "Backlogs shortened with an explicit gap.", counters.gaps)
        page.single("roost_outbox_bytes", .gauge, "Bytes waiting to be written to all connections.", relay.outboxBytes)
    }

    private func writePresence(_ page: inout Exposition) {
        let counters = relay.counters
        page.family("roost_presence_users", .gauge, "Users by the state that their watchers see.")
        page.sample("roost_presence_users", counters.usersOnline, label: ("state", "online"))
        page.sample("roost_presence_users", counters.usersAway, label: ("state", "away"))
        page.single("roost_presence_changes_total", .counter, "Changes of users' presence.", counters.presence.changes)
        page.single(
            "roost_presence_late_total", .counter, "Rounds of presence told later than usual, because there was much.",
            counters.presence.lateRounds)
        page.single(
            "roost_ephemeral_deliveries_total", .counter, "Typing, presence and receipt events sent.",
            counters.ephemeralDeliveries)
        page.single(
            "roost_ephemeral_conflated_total", .counter,
            "Typing, presence and receipt events held back for slow devices; the latest one wins.",
            counters.ephemeralOwed)
        page.single(
            "roost_receipts_total", .counter, "Changed watermarks that others are told about.",
            counters.receiptsGathered)
    }

    private func writeStore(_ page: inout Exposition) {
        page.histogram(
            "roost_commit_seconds",
            "Time from handing a batch to the writer until it is durable, at the level of roost_durability_info.",
            commitSeconds)
        page.single("roost_committed_rows_total", .counter, "Durable events stored.", committedRows)
        page.single("roost_pending_events", .gauge, "Durable events waiting for the writer.", relay.pendingEvents)
        page.single("roost_log_position", .gauge, "Position of the newest durable event.", Int(relay.head.value))
        page.single("roost_store_failed", .gauge, "1 once the store has failed.", hasStoreFailed ? 1 : 0)
        page.single(
            "roost_store_stalled", .gauge, "1 while commands are refused because a commit takes too long.",
            relay.isStalled ? 1 : 0)
        page.single(
            "roost_store_full", .gauge, "1 while commands are refused because the disk is full.", relay.isFull ? 1 : 0)
        guard let statistics = workers?.storeStatistics() else { return }
        if let free = statistics.freeBytes {
            page.single(
                "roost_store_free_bytes", .gauge, "Bytes that are free on the disk of the store.", Int(clamping: free))
        }
        page.family("roost_store_problems_total", .counter, "Problems that the store noticed, by kind.")
        for kind in StorageNotice.Kind.allCases where kind != .progress {
            page.sample("roost_store_problems_total", statistics.notices[kind] ?? 0, label: ("kind", kind.rawValue))
        }
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
        page.family("roost_closes_total", .counter, "Connections closed by the relay, by code.")
        let failed = loop?.counters.failed ?? [:]
        for (code, count) in zip(CloseCode.allCases, relay.counters.closes) {
            page.sample("roost_closes_total", count + (failed[code] ?? 0), label: ("code", "\(code.rawValue)"))
        }
    }
}
