/// Records the harness's messages and the relay's answers. A message may be neither acked nor refused, because the
/// connection dropped or the answer was `unavailable`. It may then be stored or not, and nothing is reported here.
extension MessageLedger {
    /// A message is sent for the first time. Its number is the sender's next in this conversation, from 1.
    func sent(_ conversation: Int, from sender: Membership, number: Int) {
        precondition(roster.contains(conversation, sender), "a sender is a member")
        conversations[conversation].attempts += 1
        let index = Int(sender.index)
        if standings[index].sender == 0 {
            senders.append(Sender())
            standings[index].bits |= UInt32(senders.count)
        }
        let place = standings[index].sender - 1
        precondition(number == senders[place].sequences.count + 1, "numbers are given without holes")
        senders[place].sequences.append(0)
    }

    /// The same message is sent again with the same key. It may now be stored after later messages, even if it was
    /// refused before.
    func resent(_ conversation: Int, from sender: Membership, number: Int) {
        guard let place = place(of: sender, number) else { return }
        conversations[conversation].attempts += 1
        retried.insert(Self.key(sender, number))
        if senders[place].sequences[number - 1] == Sender.refused { senders[place].sequences[number - 1] = 0 }
    }

    /// The relay answered `ok`.
    /// - Parameter isDuplicate: as in the answer; it may only be true for a message sent more than once.
    func acked(
        _ conversation: Int, from sender: Membership, number: Int, sequence: Int, isDuplicate: Bool = false
    ) {
        guard roster.contains(conversation, sender) else { return }
        if isDuplicate, !retried.contains(Self.key(sender, number)) {
            faults.count(
                .altered, say(conversation, sequence, sender, "sent \(number) once and is told of a repetition"))
        }
        _ = note(sender, number, at: sequence, in: conversation, witness: sender)
    }

    /// The relay answered `error` (not `unavailable`). The message must not appear unless it is sent again.
    func refused(_ conversation: Int, from sender: Membership, number: Int) {
        // An earlier attempt may have been stored.
        guard let place = place(of: sender, number), !retried.contains(Self.key(sender, number)) else { return }
        let sequence = senders[place].sequences[number - 1]
        guard sequence <= 0 else {
            faults.count(.altered, say(conversation, Int(sequence), sender, "is refused \(number), which is stored"))
            return
        }
        senders[place].sequences[number - 1] = Sender.refused
    }

    /// The sender's place, if this number was sent.
    func place(of sender: Membership, _ number: Int) -> Int? {
        guard standings.indices.contains(Int(sender.index)) else { return nil }
        let place = standings[Int(sender.index)].sender - 1
        guard place >= 0, number >= 1, number <= senders[place].sequences.count else { return nil }
        return place
    }
}
