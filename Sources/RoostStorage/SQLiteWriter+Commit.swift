import RoostCore
import RoostWire

extension SQLiteWriter {
    /// Applies the batch in one transaction; returns when it is durable. Throws `StorageFailure`, after which every
    /// further call throws `poisoned`.
    public func commit(_ batch: [Mutation]) throws -> [Outcome] {
        try turn.take {
            try checkpointIfLong()
            var outcomes: [Outcome] = []
            outcomes.reserveCapacity(batch.count)
            let first = head
            let merged = try transact {
                _ = try fillFilter(keys: bounds.filterKeysPerCommit)
                var leased: [Outcome] = []
                for mutation in batch {
                    if case .lease(let kind) = mutation {
                        leased.append(.leased(kind, numbers.lease(kind)))
                    } else {
                        try apply(mutation, to: &outcomes)
                    }
                }
                outcomes += leased
                try storeBlock()
                _ = try purge(rows: bounds.erasedRowsPerCommit)
                return try mergeDebt(rows: Int(head - first))
            }
            tail.publish(head)
            if merged { finishMerge() }
            noteFrames()
            measure()
            return outcomes
        }
    }

    private func apply(_ mutation: Mutation, to outcomes: inout [Outcome]) throws {
        switch mutation {
        case .append(let event): outcomes.append(try append(event))
        case .user(let number, let name): try insertUser(number, name)
        case .device(let number, let user, let name, let cursor): try insertDevice(number, user, name, cursor)
        case .forgetDevice(let number): try deleteDevice(number)
        case .cursor(let device, let position): try setCursor(device, position)
        case .watermark(let conversation, let user, let mark): try setWatermark(conversation, user, mark)
        case .presence(let user, let isOnline, let lastSeen): try setPresence(user, isOnline, lastSeen)
        case .lease: return
        case .alive(let time): try setMeta("alive_at", time.milliseconds)
        }
    }

    func setMeta(_ name: String, _ value: Int64) throws {
        try statements.setMeta.bind(1, copying: name)
        statements.setMeta.bind(2, value)
        try statements.setMeta.run()
    }

    func measure() {
        let walBytes = database.framesInWAL * Database.frameBytes
        let rows = tail.rows
        gauges.update { gauges in
            gauges.walBytes = walBytes
            gauges.unindexedRows = rows
            gauges.head = Position(head)
            gauges.erasuresPending = erasures.count
        }
    }
}
