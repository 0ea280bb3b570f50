import Testing

@testable import RoostLoad

/// A ledger with one conversation, of devices 0, 1 and 2, which are connected.
struct ThreeDeviceConversation {
    let ledger = MessageLedger()
    let members: [Membership]

    init() {
        members = ledger.addConversation(0, members: [0, 1, 2])
        for device in 0...2 { ledger.connected(device) }
    }
}

/// Short forms of what the tests do.
protocol ThreeDevices {
    var conversation: ThreeDeviceConversation { get }
}

extension ThreeDevices {
    var ledger: MessageLedger { conversation.ledger }
    var members: [Membership] { conversation.members }

    /// The numbers rise from 1.
    func send(_ count: Int, from sender: Int = 0) {
        let first = numbers(of: sender)
        for number in (first + 1)...(first + count) { ledger.sent(0, from: members[sender], number: number) }
    }

    func numbers(of sender: Int) -> Int {
        let place = ledger.standings[Int(members[sender].index)].sender
        return place == 0 ? 0 : ledger.senders[place - 1].sequences.count
    }

    func ack(_ number: Int, at sequence: Int, from sender: Int = 0, isDuplicate: Bool = false) {
        ledger.acked(0, from: members[sender], number: number, sequence: sequence, isDuplicate: isDuplicate)
    }

    @discardableResult
    func take(_ device: Int, _ sequence: Int, from sender: Int = 0, number: Int? = nil) -> Reception {
        ledger.received(
            0, by: members[device], sequence: sequence, from: members[sender], number: number ?? sequence)
    }

    /// Checks that there are exactly these faults.
    func expect(_ counts: [Fault: UInt64], location: SourceLocation = #_sourceLocation) {
        #expect(ledger.faults.counts == counts, sourceLocation: location)
    }
}
