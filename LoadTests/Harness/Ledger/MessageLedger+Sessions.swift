/// The device's position in `welcome`, as the relay believes it to be.
enum Resumption: Sendable {
    /// The position in `welcome` is the highest that the device ever processed, so nothing may come again.
    case everything
    /// It is the position of the device's last ack. Events processed after that may come again.
    case acked
    /// It is another position, because acks were lost. Any event may come again, once.
    case unknown
}

/// Devices that connect and leave, and their acks.
extension MessageLedger {
    /// A device's session begins: its `welcome` arrived. From now on it must get everything.
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

    /// A device's session ended, by either side. Nothing is expected at it until it returns.
    func left(_ device: Int) {
        guard roster.setPresent(false, device) else { return }
        for seat in roster.seats(of: device) {
            standings[Int(seat.membership)].bits &= ~Standing.presentBit
            outstanding -= missing(seat)
        }
    }

    /// A device acks an event with this sequence. An ack covers everything that the device processed before, in other
    /// conversations too. For those the ledger allows more repetitions than the relay may send.
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
