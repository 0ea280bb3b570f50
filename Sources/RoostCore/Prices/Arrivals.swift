import RoostWire

/// The cost of `hello` and of catching up, and the allowance that pays for them. It is separate from that of commands:
/// a device that sends much delays no other device that connects. Costs are in units of 50 µs of a core, as those of
/// commands are (Docs/Decisions/0065-arrivals.md).
///
/// A `hello` that can't be paid is refused. The cost of catching up is known when it is done, so it is charged then,
/// and a session whose user is in debt waits for its next page. Loop thread only.
final class Arrivals {
    /// The limits of this part.
    struct Bounds {
        /// The allowance of a user, for all devices together.
        let allowance: Spending.Rate
        /// The price of connecting: the upgrade, the token, `welcome`.
        let hello: Int64
        /// Conversations of the user that a `hello`, or a search for what was missed, looks at for one unit.
        let places: Int
        /// Number of sessions that get the user's coming and going, for one unit.
        let deliveries: Int64
        /// Conversations that a page is read from, durable events of a page, and bytes of them, for one unit.
        let spans, rows, bytes: Int

        init(_ limits: Limits) {
            allowance = .init(
                amount: Int64(limits.arrivalsPerSecond), milliseconds: 1_000, burst: Int64(limits.arrivalsMax))
            hello = Int64(limits.helloPrice)
            places = max(1, limits.stepsPerCommand)
            deliveries = max(1, Int64(limits.deliveriesPerCommand))
            (spans, rows, bytes) = (
                max(1, limits.spansPerArrival), max(1, limits.rowsPerArrival), max(1, limits.bytesPerArrival)
            )
        }
    }

    private let bounds: Bounds

    init(_ bounds: Bounds) { self.bounds = bounds }

    /// Pays for a `hello`.
    /// - Parameter told: the sessions that get the user's coming.
    /// - Throws: `rate_limited`, with the time until the price can be paid.
    func pay(for user: User, told: Int, at now: Moment) throws(Refusal) {
        let price = bounds.hello + Int64(user.placeCount / bounds.places) + Int64(told) / bounds.deliveries
        guard let wait = user.spent.arrivals.spend(price, of: bounds.allowance, at: now.monotonic) else { return }
        throw Refusal(
            .rateLimited, "your devices have connected and caught up too often; say hello again later",
            retryAfterMilliseconds: wait)
    }

    /// Charges a search through all conversations of the user.
    func chargeSearch(_ user: User, at now: Moment) { charge(user.placeCount / bounds.places, to: user, at: now) }

    /// Charges a page that is read from this number of conversations.
    func charge(spans: Int, to user: User, at now: Moment) { charge(spans / bounds.spans, to: user, at: now) }

    /// Charges what a session is sent.
    func charge(rows: Int, bytes: Int, to user: User, at now: Moment) {
        charge(1 + rows / bounds.rows + bytes / bounds.bytes, to: user, at: now)
    }

    /// Milliseconds that a session of the user waits before it is sent more; nil if it needn't.
    func wait(for user: User, at now: Moment) -> Int64? {
        user.spent.arrivals.spend(0, of: bounds.allowance, at: now.monotonic)
    }

    private func charge(_ price: Int, to user: User, at now: Moment) {
        user.spent.arrivals.charge(Int64(price), of: bounds.allowance, at: now.monotonic)
    }
}
