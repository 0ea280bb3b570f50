/// The ledger's judgement of a message event.
enum Reception: Equatable, Sendable {
    /// The expected delivery: it came for the first time, and in order.
    case first
    /// It came in an earlier session. It may come again, because its ack had not arrived.
    case again
    /// The device's own message during catch-up. It isn't one of the expected deliveries.
    case own
    /// It is a fault, already counted.
    case fault(Fault)
}

/// Message events and gaps, as devices read them. Events of an earlier connection of the device must not be reported
/// after `connected`.
extension MessageLedger {
    /// A device read a message event.
    /// - Parameters:
    ///   - membership: of the device in that conversation; `none` if it has none.
    ///   - sender: the sender that the event names; `none` if unknown.
    func received(
        _ conversation: Int, by membership: Membership, sequence: Int, from sender: Membership, number: Int
    ) -> Reception {
        guard roster.contains(conversation, membership) else {
            faults.count(.nonMember, say(conversation, sequence, membership, "got a message and isn't a member"))
            return .fault(.nonMember)
        }
        if !agrees(conversation, sequence, sender, number) {
            if let fault = note(sender, number, at: sequence, in: conversation, witness: membership) {
                if sequence >= 1, sequence <= conversations[conversation].entries.count {
                    _ = take(conversation, membership, sequence, isOwn: sender == membership)
                }
                return .fault(fault)
            }
        }
        return take(conversation, membership, sequence, isOwn: sender == membership)
    }

    @inline(__always)
    private func agrees(_ conversation: Int, _ sequence: Int, _ sender: Membership, _ number: Int) -> Bool {
        guard sequence >= 1, sequence <= conversations[conversation].entries.count else { return false }
        let entry = conversations[conversation].entries[sequence - 1]
        return entry.sender == sender.index && Int(entry.number) == number && number > 0
    }

    @inline(__always)
    private func take(_ conversation: Int, _ membership: Membership, _ sequence: Int, isOwn: Bool) -> Reception {
        let index = Int(membership.index)
        guard Int(standings[index].last) + 1 == sequence else {
            return takeOutOfTurn(conversation, membership, sequence, isOwn: isOwn)
        }
        standings[index].last = Int32(truncatingIfNeeded: sequence)
        standings[index].again = Int32(truncatingIfNeeded: sequence)
        outstanding -= standings[index].presence
        if sequence < conversations[conversation].entries.count { passOwn(index, in: conversation) }
        if isOwn { return .own }
        arrivedDeliveries += 1
        return .first
    }

    @inline(never)
    private func takeOutOfTurn(
        _ conversation: Int, _ membership: Membership, _ sequence: Int, isOwn: Bool
    ) -> Reception {
        let index = Int(membership.index)
        let number = Int32(truncatingIfNeeded: sequence)
        if number > standings[index].last {
            skip(to: number - 1, conversation, membership)
            return take(conversation, membership, sequence, isOwn: isOwn)
        }
        defer { standings[index].again = max(standings[index].again, number) }
        if standings[index].hasHoles, fill(membership, number, number) > 0 {
            outstanding -= standings[index].presence
            if isOwn { return .own }
            arrivedDeliveries += 1
            return .fault(count(.reordered, conversation, sequence, membership, "got it after a later one"))
        }
        guard number <= standings[index].again else { return isOwn ? .own : .again }
        return .fault(count(.duplicated, conversation, sequence, membership, "got it twice"))
    }

    /// A device read `gap`: the relay won't send these sequences.
    func gap(_ conversation: Int, by membership: Membership, from: Int, to: Int) {
        guard roster.contains(conversation, membership) else {
            faults.count(.nonMember, say(conversation, from, membership, "is told of a gap and isn't a member"))
            return
        }
        guard from >= 1, from <= to, to <= conversations[conversation].sequenceMax else {
            _ = count(.altered, conversation, from, membership, "is told of a gap that can't be, up to \(to)")
            return
        }
        _ = count(.gap, conversation, from, membership, "is told that everything up to \(to) is left out")
        raise(conversation, to: to)
        let index = Int(membership.index)
        skip(to: Int32(from - 1), conversation, membership)
        let filled = fill(membership, Int32(from), Int32(to))
        outstanding -= filled * standings[index].presence
        excusedDeliveries += filled + excuse(to: Int32(to), conversation, membership)
        // Own messages in the gap may still come, if the device drops before it has taken later events of others.
        passOwn(index, in: conversation)
    }
}
