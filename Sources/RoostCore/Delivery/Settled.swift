/// Proves that everything gathered has been delivered. A change of a conversation's members or sessions asks for one,
/// so that no member gets an event from before it joined or misses one from before it left. Only `Delivery.settle`
/// makes it.
struct Settled: ~Copyable {
    fileprivate init() {}
}

extension Delivery {
    /// Delivers what was gathered to the outboxes.
    @inline(__always)
    @discardableResult
    func settle() -> Settled {
        deliverGathered()
        return Settled()
    }
}
