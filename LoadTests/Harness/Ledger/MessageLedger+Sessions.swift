/// What is known, when `welcome` comes, of how far the relay takes the device to have got.
enum Resumption: Sendable {
    /// The position in `welcome` is the highest of the events that the device ever took: none of them may come again.
    case everything
    /// It is that of the ack that the device sent last: what it took after that may come again.
    case acked
    /// It is another one; acks were lost on the way. Anything may come again, once.
    case unknown
}

/// Devices that come and go, and what they ack.
extension MessageLedger {
    /// A device's session begins: its `welcome` came. From now on it is expected to get everything.
    func connected(_ device: Int, resuming: Resumption = .everything) {
        for seat in roster.seats(of: device) {
            let index = Int(seat.membership)
            switch resuming {
            case .everything:
                standings[index].acked = max(standings[index].acked, standings[index].again)
                standings[index].again = standings[index].acked
            case .acked: standings[index].again = standings[index].acked
            case .unknown:
                standings[index].acked = 0
                standings[index].again = 0
            }
        }
        guard roster.setPresent(true, device) else { return }
        for seat in roster.seats(of: device) {
            standings[Int(seat.membership)].bits |= Standing.presentBit
            outstanding += missing(seat)
        }
    }

    /// A device's session ended, by whomever. Nothing is expected at it until it comes back.
    func left(_ device: Int) {
        guard roster.setPresent(false, device) else { return }
        for seat in roster.seats(of: device) {
            standings[Int(seat.membership)].bits &= ~Standing.presentBit
            outstanding -= missing(seat)
        }
    }

    /// A device sends an ack for an event with this sequence. One ack covers everything that the device took before,
    /// in other conversations too; where that isn't told, more is taken to be allowed than is.
    func acknowledged(_ membership: Membership, upTo sequence: Int) {
        let index = Int(membership.index)
        guard standings.indices.contains(index), sequence <= Int(standings[index].last) else { return }
        standings[index].acked = max(standings[index].acked, Int32(truncatingIfNeeded: sequence))
    }

    private func missing(_ seat: Roster.Seat) -> Int {
        let standing = standings[Int(seat.membership)]
        let behind = conversations[Int(seat.conversation)].entries.count - Int(standing.last)
        return behind + (standing.hasHoles ? holes[seat.membership]?.count ?? 0 : 0)
    }
}
