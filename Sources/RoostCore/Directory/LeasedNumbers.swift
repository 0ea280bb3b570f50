import RoostWire

/// Numbers of one kind that the store leased to this relay, so that two relays on one store never give out the same.
/// More are asked for in good time, and come with a batch's outcomes; nothing waits for them. Loop thread only.
struct LeasedNumbers {
    private let kind: NumberKind
    private var free: Range<Int32>
    private var following: Range<Int32>?
    private let low: Int
    private var isAsked = false
    private var isExhausted = false

    /// - Parameter lease: what the store gave at the start.
    init(_ kind: NumberKind, _ lease: Range<Int32>) {
        self.kind = kind
        free = lease
        low = lease.count / 2
        isExhausted = lease.isEmpty
    }

    /// Makes sure that there is one.
    /// - Throws: `busy` while more are on their way; `tooLarge` if the store has no more.
    func check(retryMilliseconds: Int64) throws(Refusal) {
        if free.isEmpty, following == nil { throw refusal(retryMilliseconds) }
    }

    private func refusal(_ retryMilliseconds: Int64) -> Refusal {
        isAsked && !isExhausted
            ? Refusal(.busy, "the store is behind", retryAfterMilliseconds: retryMilliseconds)
            : Refusal(.tooLarge, "the relay has no more \(kind.plural)")
    }

    /// Takes one, or throws as `check` does.
    mutating func take(retryMilliseconds: Int64) throws(Refusal) -> Int32 {
        if free.isEmpty, let following {
            free = following
            self.following = nil
        }
        guard let number = free.first else { throw refusal(retryMilliseconds) }
        free = (number + 1)..<free.upperBound
        return number
    }

    /// Whether to ask the store for more now; true once for each time it has to be asked.
    mutating func mustAsk() -> Bool {
        guard !isAsked, !isExhausted, following == nil, free.count <= low else { return false }
        isAsked = true
        return true
    }

    /// What the store gave; empty if it has no more.
    mutating func add(_ lease: Range<Int32>) {
        isAsked = false
        if lease.isEmpty { isExhausted = true } else { following = lease }
    }
}

extension NumberKind {
    fileprivate var plural: String {
        switch self {
        case .user: "users"
        case .device: "devices"
        case .conversation: "conversations"
        }
    }
}
