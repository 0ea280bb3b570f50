/// Records the content of a conversation. The ledger learns a sequence from the first device that sees it, its sender
/// or a receiver. All later sightings must agree.
extension MessageLedger {
    /// Compares a sighting of a sequence with what is known of it, and learns it if it is new.
    /// - Returns: the fault, already counted. `entries` then shows whether the sequence exists.
    func note(
        _ sender: Membership, _ number: Int, at sequence: Int, in conversation: Int, witness: Membership
    ) -> Fault? {
        guard sequence >= 1, sequence <= conversations[conversation].sequenceMax else {
            return count(.altered, conversation, sequence, witness, "was told of a sequence that can't be")
        }
        let known = conversations[conversation].entries.count
        let old = sequence <= known ? conversations[conversation].entries[sequence - 1] : .unknown
        guard roster.contains(conversation, sender), let place = place(of: sender, number) else {
            // If it is the next sequence it exists, whatever is in it; others will see what it is.
            if sequence == known + 1 { raise(conversation, to: sequence) }
            return count(.altered, conversation, sequence, witness, "got number \(number), which was never sent")
        }
        let new = Entry(sender: sender.index, number: Int32(number))
        guard old != new else { return nil }
        guard old == .unknown else {
            let what = "got number \(number) of \(roster.device(of: sender)), where others got number \(old.number)"
            return count(.reordered, conversation, sequence, witness, what)
        }
        raise(conversation, to: sequence)
        conversations[conversation].entries[sequence - 1] = new
        let fault = enter(new, place, at: sequence, in: conversation, witness)
        settleOwn(sender, sequence, in: conversation)
        advanceFrontier(of: conversation)
        return fault
    }

    private func enter(
        _ entry: Entry, _ place: Int, at sequence: Int, in conversation: Int, _ witness: Membership
    ) -> Fault? {
        let before = senders[place].sequences[Int(entry.number) - 1]
        senders[place].highest = max(senders[place].highest, Int32(sequence))
        guard before <= 0 else {
            let what = "got number \(entry.number), which is stored at \(before) already"
            return count(.duplicated, conversation, sequence, witness, what)
        }
        senders[place].sequences[Int(entry.number) - 1] = Int32(sequence)
        guard before == Sender.refused else { return nil }
        return count(.altered, conversation, sequence, witness, "got number \(entry.number), which was refused")
    }

    /// Records that a sequence exists, and with it all below.
    func raise(_ conversation: Int, to sequence: Int) {
        let more = sequence - conversations[conversation].entries.count
        guard more > 0 else { return }
        for _ in 0..<more { conversations[conversation].entries.append(.unknown) }
        outstanding += more * Int(roster.spans[conversation].present)
        // The sender of each is a member and gets no delivery.
        expectedDeliveries += more * (Int(roster.spans[conversation].members) - 1)
    }

    /// A sender doesn't get its own message, so it counts as received.
    private func settleOwn(_ sender: Membership, _ sequence: Int, in conversation: Int) {
        let index = Int(sender.index)
        guard Int(standings[index].last) >= sequence else {
            if Int(standings[index].last) + 1 == sequence { passOwn(index, in: conversation) }
            return
        }
        if standings[index].hasHoles, fill(sender, Int32(sequence), Int32(sequence)) > 0 {
            outstanding -= standings[index].presence
        } else {
            // The device has passed the sequence and there is no hole, so a gap was announced before the sender was
            // known.
            excusedDeliveries -= 1
        }
    }

    /// Advances past the membership's own messages that come next.
    @inline(__always)
    func passOwn(_ index: Int, in conversation: Int) {
        var last = Int(standings[index].last)
        while last < conversations[conversation].entries.count,
            conversations[conversation].entries[last].sender == index
        {
            last += 1
            outstanding -= standings[index].presence
        }
        standings[index].last = Int32(last)
    }

    /// Checks that each sender's numbers rise with the sequences. Each sequence is checked once, when all below are
    /// known.
    private func advanceFrontier(of conversation: Int) {
        while conversations[conversation].frontier < conversations[conversation].entries.count {
            let frontier = conversations[conversation].frontier
            let entry = conversations[conversation].entries[frontier]
            guard entry != .unknown else { return }
            conversations[conversation].frontier += 1
            checkOrder(entry, at: frontier + 1, in: conversation)
        }
    }

    func checkOrder(_ entry: Entry, at sequence: Int, in conversation: Int) {
        let sender = Membership(index: entry.sender)
        guard let place = place(of: sender, Int(entry.number)),
            // Otherwise the message is stored twice, which is counted already.
            senders[place].sequences[Int(entry.number) - 1] == Int32(sequence)
        else { return }
        let last = senders[place].lastInOrder
        senders[place].lastInOrder = max(last, entry.number)
        guard entry.number < last, !retried.contains(Self.key(sender, Int(entry.number))) else { return }
        let what = "sent number \(entry.number) before \(last), and it stands behind it"
        _ = count(.reordered, conversation, sequence, sender, what)
    }

    func count(
        _ fault: Fault, _ conversation: Int, _ sequence: Int, _ membership: Membership,
        _ what: @autoclosure () -> String
    ) -> Fault {
        faults.count(fault, say(conversation, sequence, membership, what()))
        return fault
    }
}
