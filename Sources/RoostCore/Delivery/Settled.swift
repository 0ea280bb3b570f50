/// Proof that everything gathered was delivered. Whatever changes who hears of a conversation asks for one, so that
/// nobody hears of what came before it entered, or misses what came before it left. Only `Delivery.settle` makes one.
struct Settled: ~Copyable {
    fileprivate init() {}
}

extension Delivery {
    /// Puts what was gathered into the outboxes.
    @inline(__always)
    @discardableResult
    func settle() -> Settled {
        deliverGathered()
        return Settled()
    }
}
