import SeededRandom

@testable import RoostLoad

/// The reading of a device, and the faults that a test can plant in it.
extension ModelCrowd {
    func take(_ frame: ModelRelay.Frame, _ device: Int) {
        switch frame {
        case .welcome(let position):
            devices[device].isWelcome = true
            let isEverything = position == devices[device].taken
            ledger.connected(
                device,
                resuming: isEverything ? .everything : position == devices[device].lastAck ? .acked : .unknown)
        case .ok(let conversation, let number, let sequence, let isDuplicate):
            answered(device, conversation, number)
            devices[device].seen[conversation] = max(devices[device].seen[conversation], sequence)
            if let place = place(of: device, in: conversation) {
                unreads.wrote(readers[conversation][place], sequence)
            }
            let own = membership(device, in: conversation)
            ledger.acked(conversation, from: own, number: number, sequence: sequence, isDuplicate: isDuplicate)
        case .busy(let conversation, let number):
            ledger.refused(conversation, from: membership(device, in: conversation), number: number)
        case .message(let message): take(message, device)
        case .gap(let conversation, let from, let to):
            ledger.gap(conversation, by: membership(device, in: conversation), from: from, to: to)
        case .receipt(let conversation, let unread, let read):
            guard let place = place(of: device, in: conversation) else { return }
            unreads.shown(
                readers[conversation][place], unread: unread, read: read, seen: devices[device].seen[conversation],
                possible: ledger.attempts(in: conversation),
                isOpen: devices[device].unanswered.contains { $0.conversation == conversation })
        }
    }

    private func answered(_ device: Int, _ conversation: Int, _ number: Int) {
        devices[device].unanswered.removeAll { $0 == (conversation, number) }
    }

    private func take(_ message: ModelRelay.Message, _ device: Int) {
        let own = membership(device, in: message.conversation)
        _ = ledger.received(
            message.conversation, by: own, sequence: message.sequence,
            from: membership(message.sender, in: message.conversation), number: message.number)
        devices[device].taken = max(devices[device].taken, message.position)
        let seen = devices[device].seen[message.conversation]
        devices[device].seen[message.conversation] = max(seen, message.sequence)
        if dice.chance(30) {
            devices[device].lastAck = message.position
            relay.connections[device]?.commands.append(.ack(position: message.position))
            ledger.acknowledged(own, upTo: message.sequence)
        }
        if dice.chance(10), relay.connections[device] != nil, let place = place(of: device, in: message.conversation) {
            relay.connections[device]?.commands.append(
                .read(conversation: message.conversation, sequence: message.sequence))
            unreads.said(readers[message.conversation][place], upTo: message.sequence)
        }
    }

    // MARK: Faults

    /// Changes the next event of the device, if it is of the kind that the planted fault needs.
    func disturb(_ device: Int) {
        guard case .message(var message) = relay.connections[device]?.frames.first else { return }
        if skipped.contains(where: { $0 == (device, message.position) }) {
            relay.connections[device]?.frames.removeFirst()
            return disturb(device)
        }
        guard let plant, relay.log.count > 30, message.sender != device, isNext(message, device) else { return }
        switch plant {
        case .lost:
            skipped.append((device, message.position))
            relay.connections[device]?.frames.removeFirst()
        case .duplicated:
            relay.connections[device]?.frames.insert(.message(message), at: 0)
        case .reordered, .swapped:
            guard relay.connections[device].map({ $0.frames.count > 1 }) == true,
                case .message(var other) = relay.connections[device]?.frames[1], other.sender != device,
                other.conversation == message.conversation, other.sequence == message.sequence + 1
            else { return }
            if plant == .swapped {
                // The two events are exchanged, for this device only.
                guard areKnown(message, other) else { return }
                (message.sender, other.sender) = (other.sender, message.sender)
                (message.number, other.number) = (other.number, message.number)
                relay.connections[device]?.frames[0] = .message(message)
                relay.connections[device]?.frames[1] = .message(other)
            } else {
                // Reads both at once, because a drop in between would lose one.
                relay.connections[device]?.frames.removeFirst(2)
                take(other, device)
                take(message, device)
            }
        case .nonMember:
            guard let outsider = (0..<Self.devices).first(where: { place(of: $0, in: message.conversation) == nil })
            else { return }
            _ = ledger.received(
                message.conversation, by: membership(outsider, in: message.conversation), sequence: message.sequence,
                from: membership(message.sender, in: message.conversation), number: message.number)
        case .altered:
            message.number += 1_000_000
            relay.connections[device]?.frames[0] = .message(message)
        case .storedTwice, .wrongUnread: return
        }
        self.plant = nil
    }

    /// Whether the message is the next one for this device: not seen before, and nothing before it is missing.
    private func isNext(_ message: ModelRelay.Message, _ device: Int) -> Bool {
        let own = membership(device, in: message.conversation)
        return Int(ledger.standings[Int(own.index)].last) + 1 == message.sequence
    }

    private func areKnown(_ one: ModelRelay.Message, _ other: ModelRelay.Message) -> Bool {
        let entries = ledger.conversations[one.conversation].entries
        return other.sequence <= entries.count && entries[one.sequence - 1] != .unknown
            && entries[other.sequence - 1] != .unknown
    }
}
