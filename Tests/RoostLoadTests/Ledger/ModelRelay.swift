/// A relay that follows `roost.v1` and is small enough to be obviously correct: a log, a cursor for each device, and
/// one queue in each direction of each connection. When a connection drops, its queues are lost.
final class ModelRelay {
    enum Command {
        case hello(resume: Int?)
        case send(conversation: Int, number: Int)
        case ack(position: Int)
        case read(conversation: Int, sequence: Int)
    }

    enum Frame {
        case welcome(position: Int)
        case ok(conversation: Int, number: Int, sequence: Int, isDuplicate: Bool)
        case busy(conversation: Int, number: Int)
        case message(Message)
        case gap(conversation: Int, from: Int, to: Int)
        case receipt(conversation: Int, unread: Int, read: Int)
    }

    struct Message {
        var position: Int
        var conversation: Int
        var sequence: Int
        var sender: Int
        var number: Int
    }

    struct Connection {
        var isReady = false
        var isLive = false
        var isFirstPage = true
        var sentPosition = 0
        var commands: [Command] = []
        var frames: [Frame] = []
    }

    private struct Key: Hashable {
        var sender: Int
        var conversation: Int
        var number: Int
    }

    /// The devices of each conversation. Each device is another user.
    let members: [[Int]]
    let backlogMax: Int
    var connections: [Connection?]
    /// Forgets keys, so that a retry is stored twice.
    var isForgetful = false
    private(set) var log: [Message] = []
    private var stored: [Key: Int] = [:]
    private var cursors: [Int]
    private var reads: [[Int]]
    private var lastSequences: [Int]

    init(devices: Int, members: [[Int]], backlogMax: Int) {
        self.members = members
        self.backlogMax = backlogMax
        connections = Array(repeating: nil, count: devices)
        cursors = Array(repeating: 0, count: devices)
        lastSequences = Array(repeating: 0, count: members.count)
        reads = Array(repeating: Array(repeating: 0, count: members.count), count: devices)
    }

    func unread(_ device: Int, in conversation: Int) -> Int {
        max(0, lastSequences[conversation] - reads[device][conversation])
    }

    func tell(_ device: Int, unreadOf conversation: Int) {
        guard connections[device]?.isReady == true else { return }
        let frame = Frame.receipt(
            conversation: conversation, unread: unread(device, in: conversation), read: reads[device][conversation])
        connections[device]?.frames.append(frame)
    }

    /// Takes the next command of a connection. With `isBusy` a `send` is refused.
    func step(_ device: Int, isBusy: Bool) {
        guard let connection = connections[device], !connection.commands.isEmpty else { return }
        let command = connections[device]?.commands.removeFirst()
        switch command {
        case .hello(let resume): hello(device, resume)
        case .send(let conversation, let number) where isBusy:
            connections[device]?.frames.append(.busy(conversation: conversation, number: number))
        case .send(let conversation, let number): send(device, conversation, number)
        case .ack(let position): cursors[device] = max(cursors[device], min(position, connection.sentPosition))
        case .read(let conversation, let sequence):
            reads[device][conversation] = max(reads[device][conversation], sequence)
        case nil: break
        }
    }

    private func hello(_ device: Int, _ resume: Int?) {
        cursors[device] = resume ?? cursors[device]
        connections[device]?.isReady = true
        connections[device]?.sentPosition = cursors[device]
        connections[device]?.frames.append(.welcome(position: cursors[device]))
        catchUp(device)
    }

    private func send(_ device: Int, _ conversation: Int, _ number: Int) {
        let key = Key(sender: device, conversation: conversation, number: number)
        if let sequence = stored[key], !isForgetful {
            connections[device]?.frames.append(
                .ok(conversation: conversation, number: number, sequence: sequence, isDuplicate: true))
            return
        }
        isForgetful = isForgetful && stored[key] == nil
        lastSequences[conversation] += 1
        let sequence = lastSequences[conversation]
        stored[key] = sequence
        let message = Message(
            position: log.count + 1, conversation: conversation, sequence: sequence, sender: device, number: number)
        log.append(message)
        reads[device][conversation] = sequence
        for other in members[conversation] where other != device { deliver(message, to: other) }
        if connections[device]?.isLive == true { connections[device]?.sentPosition = message.position }
        connections[device]?.frames.append(
            .ok(conversation: conversation, number: number, sequence: sequence, isDuplicate: false))
    }

    private func deliver(_ message: Message, to device: Int) {
        guard let connection = connections[device], connection.isLive else { return }
        guard connection.frames.count < 12 else {
            // The device is too slow. It catches up when it has read everything that waits.
            connections[device]?.isLive = false
            connections[device]?.isFirstPage = true
            return
        }
        connections[device]?.frames.append(.message(message))
        connections[device]?.sentPosition = message.position
    }

    /// The next page, once everything before has been read.
    func catchUp(_ device: Int) {
        guard var connection = connections[device], connection.isReady, !connection.isLive else { return }
        var missed = log[connection.sentPosition...].filter { members[$0.conversation].contains(device) }
        if connection.isFirstPage {
            for conversation in members.indices {
                let backlog = missed.filter { $0.conversation == conversation }
                guard backlog.count > backlogMax, let first = backlog.first else { continue }
                let last = backlog[backlog.count - 1 - backlogMax / 2]
                connection.frames.append(
                    .gap(conversation: conversation, from: first.sequence, to: last.sequence))
                missed.removeAll { $0.conversation == conversation && $0.sequence <= last.sequence }
            }
            connection.isFirstPage = false
            // Messages outside of the gap all come, so a later page must not announce another gap.
            connection.frames.append(contentsOf: missed.map(Frame.message))
            connection.sentPosition = log.count
        } else {
            connection.frames.append(contentsOf: missed.prefix(5).map(Frame.message))
            connection.sentPosition = missed.count > 5 ? missed[4].position : log.count
        }
        if connection.sentPosition == log.count {
            connection.isLive = true
            connection.isFirstPage = true
        }
        connections[device] = connection
    }
}
