import RoostWire

/// A watermark of a member rose.
public struct ReceiptStep: Hashable, Sendable {
    /// Whether the member has read the messages, and not only got them.
    public var isRead: Bool
    /// The watermark before.
    public var after: SequenceNumber
    /// The watermark now.
    public var sequence: SequenceNumber
    /// When it rose.
    public var time: Timestamp

    /// Creates a step.
    public init(isRead: Bool, after: SequenceNumber, to sequence: SequenceNumber, at time: Timestamp) {
        self.isRead = isRead
        self.after = after
        self.sequence = sequence
        self.time = time
    }
}

/// The last steps of one watermark of a member, with the times when the member got, or read, each of the messages that
/// they cover. A value.
public struct ReceiptSteps: Sendable, Equatable {
    /// A step without the watermark before, which is that of the step before.
    public struct Step: Sendable, Equatable {
        /// The watermark.
        public var sequence: SequenceNumber
        /// When it rose to there.
        public var time: Timestamp
        /// Creates one.
        public init(_ sequence: SequenceNumber, at time: Timestamp) {
            self.sequence = sequence
            self.time = time
        }
    }

    /// The result for a message.
    public enum Finding: Sendable, Equatable {
        /// The watermark reached it at this time.
        case at(Timestamp)
        /// It did before the steps that are kept.
        case forgotten
        /// It hasn't yet.
        case notYet
    }

    /// They have no times of messages up to here.
    public private(set) var from: SequenceNumber
    /// In the order in which they came.
    public private(set) var steps: [Step]
    /// The watermark after the last of them.
    public var to: SequenceNumber { steps.last?.sequence ?? from }

    /// Creates steps as they are stored.
    public init(from: SequenceNumber = .none, _ steps: [Step] = []) {
        self.from = from
        self.steps = steps
    }

    /// Adds a step. One that is known already changes nothing, and one that doesn't follow the last begins anew.
    public mutating func add(_ step: ReceiptStep, keeping most: Int = Limits().receiptSteps) {
        guard steps.isEmpty || step.sequence > to else { return }
        if steps.isEmpty || step.after > to {
            self = ReceiptSteps(from: step.after)
        }
        if let last = steps.last, last.time == step.time { steps.removeLast() }
        steps.append(Step(step.sequence, at: step.time))
        while steps.count > max(1, most) { from = steps.removeFirst().sequence }
    }

    /// When the watermark reached a message.
    public func find(_ sequence: SequenceNumber) -> Finding {
        guard sequence > from else { return .forgotten }
        return steps.first { $0.sequence >= sequence }.map { .at($0.time) } ?? .notYet
    }
}

/// When a member got a message, and read it.
public struct ReceiptTimes: Sendable, Equatable {
    /// The member.
    public var user: UserNumber
    /// When some device of the member acked it.
    public var delivered: ReceiptSteps.Finding
    /// When the member read it.
    public var read: ReceiptSteps.Finding

    /// Creates times.
    public init(_ user: UserNumber, delivered: ReceiptSteps.Finding, read: ReceiptSteps.Finding) {
        self.user = user
        self.delivered = delivered
        self.read = read
    }
}
