import RoostWire

/// The members of a conversation in the order in which they joined. It keeps flat copies of what is looked at for all
/// of them, because ten thousand members don't fit into the processor's cache. Loop thread only.
struct MemberTable {
    /// The facts known of a member without looking at it.
    struct Place {
        /// The member's place among all who have joined since the start.
        let ordinal: Int64
        let seat: Roll.Seat
        /// Messages up to this one are not shown to the member.
        var since: SequenceNumber
    }

    /// In the order in which they joined.
    private(set) var all: [Member] = []
    /// The places of the members, in the same order.
    private(set) var places: [Place] = []
    /// Admins and the owner, in the same order.
    private(set) var leaders: [Member] = []
    private var byUser: [UserNumber: Member] = [:]
    private var nextOrdinal: Int64 = 0

    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }

    subscript(user: UserNumber) -> Member? { byUser[user] }

    /// Prepares for this number of further members.
    mutating func reserve(_ count: Int) {
        // Memory for twice as many as there are, or those who come one by one would have all others moved each time.
        let needed = byUser.count + count
        if byUser.capacity < needed { byUser.reserveCapacity(max(needed, 2 * byUser.count)) }
    }

    mutating func append(_ member: Member) {
        let former = byUser.updateValue(member, forKey: member.user.number)
        precondition(former == nil, "a user has one membership of a conversation")
        member.ordinal = nextOrdinal
        nextOrdinal += 1
        all.append(member)
        places.append(Place(ordinal: member.ordinal, seat: member.user.seat, since: member.since))
        if member.role >= .admin { leaders.append(member) }
    }

    /// Removes the users who are members, in one pass, however many they are.
    mutating func remove(_ users: [UserNumber]) -> [Member] {
        let gone = users.compactMap { byUser.removeValue(forKey: $0) }
        let holes = gone.map { place(of: $0.ordinal) }.sorted()
        all.removeAll(at: holes)
        places.removeAll(at: holes)
        if gone.contains(where: { $0.role >= .admin }) { leaders.removeAll { byUser[$0.user.number] == nil } }
        return gone
    }

    /// Gives a member a new role.
    mutating func setRole(_ role: MemberRole, of user: UserNumber) {
        guard let member = byUser[user] else { return }
        member.become(role)
        leaders.removeAll { $0 === member }
        guard role >= .admin else { return }
        leaders.insert(member, at: leaders.firstIndex { $0.ordinal > member.ordinal } ?? leaders.endIndex)
    }

    /// The conversation begins for a member with the event at this position.
    mutating func beginAnew(_ user: UserNumber, at position: Position, after last: SequenceNumber) {
        guard let member = byUser[user] else { return }
        member.beginAnew(at: position, after: last)
        let place = place(of: member.ordinal)
        if place < places.count { places[place].since = last }
    }

    /// Where the members with this ordinal or a higher one begin.
    func place(of ordinal: Int64) -> Int { firstPlace { places[$0].ordinal >= ordinal } }

    /// The ordinal of the first member who joined at this position or later.
    func ordinal(from position: Position) -> Int64 {
        let place = firstPlace { all[$0].joinedAt >= position }
        return place < places.count ? places[place].ordinal : nextOrdinal
    }

    /// The first place for which `isBehind` is true, as it is for all that follow.
    private func firstPlace(_ isBehind: (Int) -> Bool) -> Int {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Array {
    /// Removes the elements at these places, which are in order. The others move down, each once, and none is copied: a
    /// copy would count a reference, and that is slower than everything else.
    fileprivate mutating func removeAll(at holes: [Int]) {
        guard let first = holes.first else { return }
        var end = first
        withUnsafeMutableBufferPointer { elements in
            var passed = 0
            for index in first..<elements.count {
                if passed < holes.count, holes[passed] == index {
                    passed += 1
                } else {
                    elements.swapAt(end, index)
                    end += 1
                }
            }
        }
        removeLast(count - end)
    }
}
