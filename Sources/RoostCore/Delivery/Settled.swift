/// Proves that everything gathered has been delivered. A change of a conversation's members or sessions asks for one,
/// so that nobody gets an event from before they joined or misses one from before they left. Only `Delivery.settle`
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
