/// The end: what has not come by now is lost.
extension MessageLedger {
    /// Counts what never came: at connected devices everything that is known to exist, at others what was skipped while
    /// they were there. A device that was not given the time to catch up has to be told to have `left` before.
    func finish() {
        guard !isFinished else { return }
        isFinished = true
        for conversation in roster.spans.indices {
            let span = roster.spans[conversation]
            for index in span.first..<(span.first + span.members) {
                let membership = Membership(index: index)
                let standing = standings[Int(index)]
                let known = Int32(conversations[conversation].entries.count)
                if standing.presence == 1, standing.last < known { skip(to: known, conversation, membership) }
                guard let holes = holes[index] else { continue }
                for hole in holes.holes { countLost(hole, conversation, membership) }
            }
            checkRest(of: conversation)
        }
        holes.removeAll()
        outstanding = 0
    }

    /// The order of what lies above a sequence that nobody saw.
    private func checkRest(of conversation: Int) {
        while conversations[conversation].frontier < conversations[conversation].entries.count {
            let frontier = conversations[conversation].frontier
            conversations[conversation].frontier += 1
            checkOrder(conversations[conversation].entries[frontier], at: frontier + 1, in: conversation)
        }
    }
}
