import RoostWire

/// The connected users: the ready sessions of each, in flat memory. A search for the sessions of ten thousand members
/// follows no pointer to a member who is away. It borrows the sessions. Loop thread only.
final class Roll {
    /// A user's place in the roll. Places are used again, so they stay close together.
    struct Seat {
        fileprivate let index: Int32
    }

    /// The ready sessions of one user.
    enum Presence: UInt8 {
        case none
        /// `first` is the only one.
        case one
        /// The user knows them.
        case several
    }

    private var presences: [Presence] = []
    private var firsts: [Unmanaged<Session>?] = []
    private var free: [Int32] = []
    /// Changes whenever a session comes or goes.
    private(set) var changes: UInt64 = 1

    /// Places that take as long to look at as one step: they are next to each other, and what is looked up for a step
    /// is anywhere in memory.
    static let placesPerStep = 16

    private let counters: Counters

    init(_ counters: Counters) { self.counters = counters }

    /// Counts the steps of a search for this number of members' sessions.
    func noteSearch(of members: Int) { counters.steps += (members + Roll.placesPerStep - 1) / Roll.placesPerStep }

    /// A place for another user.
    func take() -> Seat {
        if let index = free.popLast() { return Seat(index: index) }
        presences.append(.none)
        firsts.append(nil)
        return Seat(index: Int32(presences.count - 1))
    }

    /// The user is forgotten.
    func leave(_ seat: Seat) {
        note([], of: seat)
        free.append(seat.index)
    }

    /// Notes the ready sessions of a user.
    func note(_ sessions: [Session], of seat: Seat) {
        presences[Int(seat.index)] = sessions.isEmpty ? .none : sessions.count == 1 ? .one : .several
        firsts[Int(seat.index)] = sessions.first.map(Unmanaged.passUnretained)
        changes += 1
    }

    /// Number of ready sessions of the user.
    @inline(__always)
    func presence(of seat: Seat) -> Presence { presences[Int(seat.index)] }

    /// The user's first ready session.
    @inline(__always)
    func first(of seat: Seat) -> Unmanaged<Session>? { firsts[Int(seat.index)] }
}
