import RoostCore
import RoostWire

extension ConversationTruth {
    /// The messages with which threads began.
    var roots: [Int64] { Set(messages.map(\.thread)).subtracting([0]).sorted() }

    /// Messages of a thread that weren't deleted.
    func thread(_ root: Int64) -> [Int64] {
        messages.indices.filter { messages[$0].thread == root && !messages[$0].isDeleted }.map { Int64($0) + 1 }
    }

    /// The fault in the thread of a message that was just stored; nil if there is none.
    func mistake(inThreadOf append: Append, by sender: Int) -> String? {
        let root = append.extras.thread.value
        guard root != 0 else { return nil }
        guard root >= 1, root <= messages.count else {
            return "a thread of \(id) began with \(root), which isn't there"
        }
        if messages[Int(root) - 1].thread != 0 { return "a thread of \(id) began with \(root), which is in a thread" }
        if let member = members[sender], root <= member.since {
            return "user \(sender) writes to the thread of message \(root) of \(id), which is hidden"
        }
        return nil
    }
}

/// Checks the threads at clients: the thread of each message, and the number of messages in a thread.
struct ThreadCheck {
    private let world: World
    private let ledger: Ledger

    init(_ world: World, _ ledger: Ledger) {
        self.world = world
        self.ledger = ledger
    }

    /// Whether a message came with the right thread, or hidden.
    func isRight(_ told: JSONValue?, _ sequence: Int64, in conversation: Int) -> Bool {
        let truth = ledger.conversations[conversation].messages[Int(sequence) - 1].thread
        return BlockCheck.isHidden(told) || told?["thread"]?.integer ?? 0 == truth
    }

    /// With what a message may be refused because of its thread.
    func codes(refusing intent: SendIntent) -> Set<String> {
        guard intent.thread != 0, let index = intent.conversation else { return [] }
        let messages = ledger.conversations[index].messages
        guard intent.thread <= messages.count, messages[Int(intent.thread) - 1].thread != 0 else { return [] }
        return ["bad_request"]
    }

    /// A client reads a message in history.
    func take(
        _ message: JSONValue, _ sequence: Int64, in conversation: ConversationTruth, askedAt: Int64,
        on connection: SimulatedConnection
    ) {
        if !isRight(message, sequence, in: conversation.index) {
            world.fail("\(connection.label) is shown message \(sequence) of \(conversation.id) in another thread")
        }
        guard askedAt >= world.restAt, !BlockCheck.isHidden(message) else { return }
        let withheld = conversation.withheld[connection.device.user.index] ?? [:]
        let all = conversation.thread(sequence).filter { withheld[$0] == nil }
        let told = message["replies"]
        let count = min(all.count, Limits().repliesCounted)
        if told?["count"]?.integer ?? 0 != Int64(count) || told?["last"]?.integer != all.last {
            world.fail(
                "\(connection.label) is shown \(told?["count"]?.integer ?? 0) messages in thread \(sequence) of "
                    + "\(conversation.id), which has \(count)")
        }
    }

    /// A client reads a page of a thread.
    func take(
        _ page: JSONValue?, of root: Int64, in conversation: ConversationTruth, askedAt: Int64,
        on connection: SimulatedConnection
    ) {
        let shown = page?["messages"]?.elements?.compactMap { $0["sequence"]?.integer } ?? []
        let isOfThread = shown.allSatisfy { sequence in
            conversation.messages.indices.contains(Int(sequence) - 1)
                && conversation.messages[Int(sequence) - 1].thread == root
        }
        if !isOfThread || shown != Set(shown).sorted() {
            world.fail("\(connection.label) is shown \(shown) as thread \(root) of \(conversation.id)")
        }
        guard askedAt >= world.restAt, let member = conversation.members[connection.device.user.index] else { return }
        let all = conversation.thread(root).filter { $0 > member.since }
        let isShort = shown.count < all.count
        if shown != all.suffix(shown.count) || (page?["more"]?.bool ?? false) != isShort || shown.isEmpty && isShort {
            world.fail("\(connection.label) is shown \(shown) of thread \(root) of \(conversation.id), not \(all)")
        }
    }
}
