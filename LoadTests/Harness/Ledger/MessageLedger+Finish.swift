/// The end of a run: whatever has not arrived by now is lost.
extension MessageLedger {
    /// Counts what never came. For connected devices that is everything known to exist; for others, what was skipped
    /// while they were connected. A device that had no time to catch up must be reported by `left` before.
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

    /// Checks the order of messages above a sequence that no device saw.
    private func checkRest(of conversation: Int) {
        while conversations[conversation].frontier < conversations[conversation].entries.count {
            let frontier = conversations[conversation].frontier
            conversations[conversation].frontier += 1
            checkOrder(conversations[conversation].entries[frontier], at: frontier + 1, in: conversation)
        }
    }
}
