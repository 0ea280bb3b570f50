import RoostWire

/// Numbers of one kind that the store has leased to this relay, so that two relays on one store never assign the same
/// number. More are leased in good time and arrive with a batch's outcomes, so nothing waits for them. Loop thread
/// only.
struct LeasedNumbers {
    private let kind: NumberKind
    private var free: Range<Int32>
    private var following: Range<Int32>?
    private let low: Int
    private var isAsked = false
    private var isExhausted = false

    /// - Parameter lease: the lease that the store gave at the start.
    init(_ kind: NumberKind, _ lease: Range<Int32>) {
        self.kind = kind
        free = lease
        low = lease.count / 2
        isExhausted = lease.isEmpty
    }

    /// Checks that there are enough numbers.
    /// - Throws: `busy` while more are being leased; `tooLarge` if the store has no more.
    func check(_ count: Int, retryMilliseconds: Int64) throws(Refusal) {
        if free.count + (following?.count ?? 0) < count { throw refusal(retryMilliseconds) }
    }

    private func refusal(_ retryMilliseconds: Int64) -> Refusal {
        isAsked && !isExhausted
            ? Refusal(.busy, "the store has not assigned more numbers yet", retryAfterMilliseconds: retryMilliseconds)
            : Refusal(.tooLarge, "the relay can't store more \(kind.plural)")
    }

    /// Takes a number, or throws as `check` does.
    mutating func take(retryMilliseconds: Int64) throws(Refusal) -> Int32 {
        if free.isEmpty, let following {
            free = following
            self.following = nil
        }
        guard let number = free.first else { throw refusal(retryMilliseconds) }
        free = (number + 1)..<free.upperBound
        return number
    }

    /// Whether to ask the store for more now. True only once for each request that is due.
    mutating func mustAsk() -> Bool {
        guard !isAsked, !isExhausted, following == nil, free.count <= low else { return false }
        isAsked = true
        return true
    }

    /// Adds what the store has leased; empty if it has no more.
    mutating func add(_ lease: Range<Int32>) {
        precondition(following == nil, "one lease is requested at a time")
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
