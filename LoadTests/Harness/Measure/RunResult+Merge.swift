extension RunResult {
    /// Adds what another process measured at the same time. Distributions and counts are added, the harness's health is
    /// that of the worst process, and seconds and disturbances are matched by number.
    public mutating func merge(_ other: RunResult) {
        corrected.merge(other.corrected) { $0.merged(with: $1) }
        uncorrected.merge(other.uncorrected) { $0.merged(with: $1) }
        counts.add(other.counts)
        faults.merge(with: other.faults)
        mergeTimeline(other.timeline)
        mergeDisturbances(other.disturbances)
        health.merge(other.health)
        if relay.isEmpty { relay = other.relay }
        if durability.isEmpty { durability = other.durability }
        // Rates are counts divided by this. With the longest time no rate looks better than it was.
        seconds = max(seconds, other.seconds)
        wasInterrupted = wasInterrupted || other.wasInterrupted
        errors.merge(other.errors, uniquingKeysWith: +)
    }

    private mutating func mergeTimeline(_ others: [Second]) {
        var bySecond: [Int: Second] = [:]
        for one in timeline + others {
            guard var sum = bySecond[one.second] else {
                bySecond[one.second] = one
                continue
            }
            sum.due += one.due
            sum.sent += one.sent
            sum.acked += one.acked
            sum.delivered += one.delivered
            sum.sessions += one.sessions
            sum.behind += one.behind
            sum.delivery.merge(one.delivery)
            bySecond[one.second] = sum
        }
        timeline = bySecond.values.sorted { $0.second < $1.second }
    }

    // All processes run the same scenario, so what has the same number belongs together. Everybody is live when the
    // slowest are, counted from the last `welcome` of all.
    private mutating func mergeDisturbances(_ others: [Disturbance]) {
        for (index, other) in others.enumerated() {
            guard index < disturbances.count else {
                disturbances.append(other)
                continue
            }
            let mine = disturbances[index]
            let welcomed = max(mine.welcomed, other.welcomed)
            let live = max(mine.welcomed + mine.live, other.welcomed + other.live)
            disturbances[index].sessions += other.sessions
            disturbances[index].welcomed = welcomed
            disturbances[index].live = live.isFinite ? live - welcomed : .infinity
            disturbances[index].mergeBystanders(of: other)
        }
    }
}

extension RunResult.Disturbance {
    fileprivate mutating func mergeBystanders(of other: Self) {
        guard let theirs = other.bystanders else { return }
        var spans = bystanders ?? []
        for (number, span) in theirs.enumerated() {
            if number < spans.count { spans[number].merge(span) } else { spans.append(span) }
        }
        bystanders = spans
    }
}

extension RunResult.Counts {
    fileprivate mutating func add(_ other: Self) {
        due += other.due
        sent += other.sent
        acked += other.acked
        delayed += other.delayed
        unsent += other.unsent
        delivered += other.delivered
        expected += other.expected
        missedSignals += other.missedSignals
        sessions += other.sessions
        connects += other.connects
        disconnects += other.disconnects
        lostConnections += other.lostConnections
        caughtUpMessages += other.caughtUpMessages
        // All processes bring their users back at the same time.
        catchUpSeconds = max(catchUpSeconds, other.catchUpSeconds)
        receipts += other.receipts
        presences += other.presences
        presenceFrames += other.presenceFrames
        typings += other.typings
        frames += other.frames
    }
}

extension RunResult.Health {
    // One late process makes the figures wrong, however well the others did.
    fileprivate mutating func merge(_ other: Self) {
        lateness.merge(other.lateness)
        turns.merge(other.turns)
        cpuShare = max(cpuShare, other.cpuShare)
        waitShare = max(waitShare, other.waitShare)
    }
}

extension Distribution {
    fileprivate func merged(with other: Distribution) -> Distribution {
        var sum = self
        sum.merge(other)
        return sum
    }
}
