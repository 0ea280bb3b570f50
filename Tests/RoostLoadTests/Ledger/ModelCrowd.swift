import SeededRandom

@testable import RoostLoad

/// Uses the ledgers as the harness does, with `ModelRelay`: devices come, go, send, retry, read and ack at random. At
/// one moment the test may change what arrives, which plants a fault.
final class ModelCrowd {
    enum Plant: CaseIterable {
        case lost
        case duplicated
        case storedTwice
        case reordered
        case swapped
        case nonMember
        case altered
        case wrongUnread

        var fault: Fault {
            switch self {
            case .lost: .lost
            case .duplicated, .storedTwice: .duplicated
            case .reordered, .swapped: .reordered
            case .nonMember: .nonMember
            case .altered: .altered
            case .wrongUnread: .wrongUnread
            }
        }
    }

    struct Device {
        var isWelcome = false
        var taken = 0
        var lastAck = 0
        /// Sent messages in each conversation.
        var sent: [Int]
        var unanswered: [(conversation: Int, number: Int)] = []
        /// Highest sequence read on this connection.
        var seen: [Int]
    }

    static let devices = 6
    static let members = [[0, 1], [0, 1, 2, 3, 4, 5], [2, 3, 4], [5, 0]]

    let relay: ModelRelay
    let ledger = MessageLedger()
    let unreads = UnreadLedger()
    var devices: [Device]
    var dice: SeededGenerator
    var plant: Plant?
    /// The messages that must not come, for each device.
    var skipped: [(device: Int, position: Int)] = []
    var memberships: [[Membership]] = []
    var readers: [[Int]] = []

    init(seed: UInt64, backlogMax: Int = .max, plant: Plant? = nil) {
        dice = SeededGenerator(seed: seed)
        self.plant = plant
        relay = ModelRelay(devices: Self.devices, members: Self.members, backlogMax: backlogMax)
        let none = Array(repeating: 0, count: Self.members.count)
        devices = Array(repeating: Device(sent: none, seen: none), count: Self.devices)
        for (conversation, members) in Self.members.enumerated() {
            memberships.append(ledger.addConversation(conversation, members: members))
            readers.append(members.map { unreads.add($0, in: conversation) })
        }
    }

    var faults: FaultCounts {
        var all = ledger.faults
        all.merge(with: unreads.faults)
        return all
    }

    func membership(_ device: Int, in conversation: Int) -> Membership {
        place(of: device, in: conversation).map { memberships[conversation][$0] } ?? .none
    }

    func place(of device: Int, in conversation: Int) -> Int? { Self.members[conversation].firstIndex(of: device) }

    func run(steps: Int) {
        for _ in 0..<steps { step(dice.below(Self.devices)) }
        settle()
    }

    private func step(_ device: Int) {
        guard relay.connections[device] != nil else {
            if dice.chance(20) { connect(device) }
            return
        }
        switch dice.below(100) {
        case 0..<2: drop(device)
        case 2..<25: if devices[device].isWelcome { send(device) }
        case 25..<55: relay.step(device, isBusy: dice.chance(5))
        case 55..<58: relay.tell(device, unreadOf: conversation(of: device))
        default: read(device)
        }
    }

    private func conversation(of device: Int) -> Int {
        let own = Self.members.indices.filter { Self.members[$0].contains(device) }
        return own[dice.below(own.count)]
    }

    private func connect(_ device: Int) {
        let resume = dice.chance(50) ? devices[device].taken : nil
        relay.connections[device] = ModelRelay.Connection()
        relay.connections[device]?.commands.append(.hello(resume: resume))
        for conversation in devices[device].seen.indices { devices[device].seen[conversation] = 0 }
    }

    private func drop(_ device: Int) {
        // Some of the commands on their way still arrive at the relay.
        for _ in 0..<dice.below(4) { relay.step(device, isBusy: false) }
        relay.connections[device] = nil
        devices[device].isWelcome = false
        ledger.left(device)
        for conversation in Self.members.indices {
            if let place = place(of: device, in: conversation) { unreads.dropped(readers[conversation][place]) }
        }
    }

    private func send(_ device: Int) {
        let retry = devices[device].unanswered.randomElement(using: &dice)
        if let retry, dice.chance(20) {
            ledger.resent(retry.conversation, from: membership(device, in: retry.conversation), number: retry.number)
            relay.isForgetful = plant == .storedTwice
            relay.connections[device]?.commands.append(
                .send(conversation: retry.conversation, number: retry.number))
            return
        }
        let conversation = conversation(of: device)
        devices[device].sent[conversation] += 1
        let number = devices[device].sent[conversation]
        devices[device].unanswered.append((conversation, number))
        ledger.sent(conversation, from: membership(device, in: conversation), number: number)
        relay.connections[device]?.commands.append(.send(conversation: conversation, number: number))
    }

    private func read(_ device: Int) {
        guard relay.connections[device]?.frames.isEmpty == false else { return relay.catchUp(device) }
        disturb(device)
        guard let frame = relay.connections[device]?.frames.first else { return }
        relay.connections[device]?.frames.removeFirst()
        take(frame, device)
    }

    private var isQuiet: Bool {
        relay.connections.allSatisfy { $0.map { $0.isLive && $0.commands.isEmpty && $0.frames.isEmpty } ?? false }
    }

    /// All devices come back, and everything on its way arrives.
    private func settle() {
        for device in 0..<Self.devices where relay.connections[device] == nil { connect(device) }
        var rounds = 0
        while !isQuiet, rounds < 10_000 {
            rounds += 1
            for device in 0..<Self.devices {
                relay.step(device, isBusy: false)
                read(device)
            }
        }
        for (conversation, members) in Self.members.enumerated() {
            for (place, device) in members.enumerated() {
                let own = ledger.lastSequence(by: memberships[conversation][place])
                unreads.wrote(readers[conversation][place], own)
                let isWrong = plant == .wrongUnread && conversation == 0 && place == 0
                if isWrong { plant = nil }
                unreads.settled(
                    readers[conversation][place],
                    unread: relay.unread(device, in: conversation) + (isWrong ? 1 : 0),
                    last: ledger.lastSequence(of: conversation),
                    isOpen: devices[device].unanswered.contains { $0.conversation == conversation })
            }
        }
    }
}
