/// Sequences that a device skipped. If one arrives later, it was reordered; if it never arrives, it is lost.
extension MessageLedger {
    /// Advances to `sequence`. Skipped sequences become holes, except the device's own messages.
    func skip(to sequence: Int32, _ conversation: Int, _ membership: Membership) {
        let index = Int(membership.index)
        var from = standings[index].last + 1
        guard from <= sequence else { return }
        for passed in from...sequence where isOwn(passed, conversation, membership) {
            outstanding -= standings[index].presence
            open(from, passed - 1, conversation, membership)
            from = passed + 1
        }
        open(from, sequence, conversation, membership)
        standings[index].last = sequence
    }

    /// Advances to `sequence` because the relay announced a gap.
    /// - Returns: how many deliveries the gap leaves out.
    func excuse(to sequence: Int32, _ conversation: Int, _ membership: Membership) -> Int {
        let index = Int(membership.index)
        let last = standings[index].last
        guard last < sequence else { return 0 }
        standings[index].last = sequence
        outstanding -= Int(sequence - last) * standings[index].presence
        return (last + 1...sequence).reduce(0) { $0 + (isOwn($1, conversation, membership) ? 0 : 1) }
    }

    private func isOwn(_ sequence: Int32, _ conversation: Int, _ membership: Membership) -> Bool {
        conversations[conversation].entries[Int(sequence) - 1].sender == membership.index
    }

    private func open(_ from: Int32, _ to: Int32, _ conversation: Int, _ membership: Membership) {
        guard from <= to else { return }
        standings[Int(membership.index)].bits |= Standing.holesBit
        let hole = HoleList.Hole(from: from, to: to)
        guard let old = holes[membership.index, default: HoleList()].append(hole) else { return }
        outstanding -= old.count * standings[Int(membership.index)].presence
        countLost(old, conversation, membership)
    }

    /// - Returns: how many of these were missing until now.
    func fill(_ membership: Membership, _ from: Int32, _ to: Int32) -> Int {
        guard let filled = holes[membership.index]?.remove(from, to) else { return 0 }
        if holes[membership.index]?.count == 0 {
            holes[membership.index] = nil
            standings[Int(membership.index)].bits &= ~Standing.holesBit
        }
        return filled
    }

    func countLost(_ hole: HoleList.Hole, _ conversation: Int, _ membership: Membership) {
        let what = hole.count == 1 ? "never got it" : "never got it, nor any more up to \(hole.to)"
        faults.count(.lost, times: hole.count, say(conversation, Int(hole.from), membership, what))
    }
}
