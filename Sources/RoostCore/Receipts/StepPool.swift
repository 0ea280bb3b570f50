import RoostWire

/// The steps of watermarks that may not be durable yet: a list for each member, in memory that is used again, so that
/// an ack allocates nothing. Loop thread only.
struct StepPool {
    /// The steps of one member, oldest first.
    struct Chain {
        fileprivate var first: Int32 = -1
        fileprivate var last: Int32 = -1
        fileprivate var count: UInt16 = 0
        /// The oldest ones that the writer has.
        fileprivate var taken: UInt16 = 0
    }

    private struct Node {
        var step: ReceiptStep
        var next: Int32
    }

    /// Steps of one member. Only on a full disk more than some gather.
    private let most: Int
    private var nodes: [Node] = []
    private var free: Int32 = -1

    init(perMember most: Int) { self.most = most }

    mutating func add(_ step: ReceiptStep, to chain: inout Chain) {
        if Int(chain.count) >= most { removeFirst(of: &chain) }
        let index: Int32
        if free >= 0 {
            index = free
            free = nodes[Int(index)].next
            nodes[Int(index)] = Node(step: step, next: -1)
        } else {
            index = Int32(nodes.count)
            nodes.append(Node(step: step, next: -1))
        }
        if chain.last >= 0 { nodes[Int(chain.last)].next = index } else { chain.first = index }
        chain.last = index
        chain.count += 1
    }

    /// The steps that the writer doesn't have yet. From now on it does.
    mutating func take(_ chain: inout Chain) -> [ReceiptStep] {
        var steps: [ReceiptStep] = []
        var place = 0
        forEach(in: chain) { step in
            if place >= Int(chain.taken) { steps.append(step) }
            place += 1
        }
        chain.taken = chain.count
        return steps
    }

    /// The writer's steps are durable.
    mutating func removeTaken(of chain: inout Chain) {
        while chain.taken > 0 { removeFirst(of: &chain) }
    }

    /// Forgets all of it.
    mutating func removeAll(of chain: inout Chain) {
        while chain.count > 0 { removeFirst(of: &chain) }
    }

    /// Time when a watermark reached a message, if one of the steps has it.
    func time(of sequence: SequenceNumber, isRead: Bool, in chain: Chain) -> Timestamp? {
        var found: Timestamp?
        forEach(in: chain) { step in
            guard found == nil, step.isRead == isRead, step.after < sequence, sequence <= step.sequence else { return }
            found = step.time
        }
        return found
    }

    private func forEach(in chain: Chain, _ body: (ReceiptStep) -> Void) {
        var index = chain.first
        while index >= 0 {
            body(nodes[Int(index)].step)
            index = nodes[Int(index)].next
        }
    }

    private mutating func removeFirst(of chain: inout Chain) {
        let index = chain.first
        guard index >= 0 else { return }
        chain.first = nodes[Int(index)].next
        if chain.first < 0 { chain.last = -1 }
        chain.count -= 1
        if chain.taken > 0 { chain.taken -= 1 }
        nodes[Int(index)].next = free
        free = index
    }
}
