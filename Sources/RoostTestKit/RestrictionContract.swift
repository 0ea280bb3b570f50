import RoostCore
import RoostWire

/// The promises of both stores about bans, time-outs and writing rights in groups.
enum RestrictionContract {
    /// A ban removes a member and stays; a time-out goes with the first change behind its end; what is so already isn't
    /// stored again.
    @Sendable static func restricting(_ store: inout StoreDriver) throws {
        func restriction(of user: Int32, until: Int64 = 0, at time: Int64) -> StoredRestriction {
            StoredRestriction(
                of: UserNumber(user), until: Timestamp(milliseconds: until), user == 2 ? .spam : nil, by: UserNumber(1),
                at: Timestamp(milliseconds: time))
        }
        func restrict(_ user: Int32, _ one: StoredRestriction?, at time: Int64) -> Append {
            var append = store.change(1, by: 1, .restrict(UserNumber(user), one))
            append.time = Timestamp(milliseconds: time)
            return append
        }
        func stored() throws -> [StoredRestriction] { try store.load().conversations[0].restrictions }
        func isStored(_ outcomes: [Outcome]) -> [Bool] {
            outcomes.map { if case .stored = $0 { true } else { false } }
        }
        func roles() throws -> [MemberRole?] {
            try store.load().members.sorted { $0.user.value < $1.user.value }.map(\.role)
        }

        try store.create(1, members: [1, 2, 3])
        let before = try roles()
        let (ban, timeout) = (restriction(of: 2, at: 100), restriction(of: 3, until: 500, at: 200))
        let all = restriction(of: 0, at: 300)
        let outcomes = try store.commit([
            restrict(2, ban, at: 100), restrict(2, ban, at: 150), restrict(3, timeout, at: 200),
            restrict(0, all, at: 300), restrict(0, all, at: 310), restrict(1, nil, at: 320),
        ])
        try StoreContract.expect(isStored(outcomes), [true, false, true, true, false, false])
        try StoreContract.expect(outcomes[1], .unchanged)
        try store.goOn()
        try StoreContract.expect(try stored(), [all, ban, timeout])
        try StoreContract.expect(try roles(), [before[0], nil, before[2]])
        // It is set anew, and what is over goes.
        let longer = restriction(of: 3, until: 900, at: 400)
        try StoreContract.expect(isStored(try store.commit([restrict(3, longer, at: 400)])), [true])
        try StoreContract.expect(try stored(), [all, ban, longer])
        let lifted = try store.commit([restrict(0, nil, at: 900), restrict(2, nil, at: 901)])
        try StoreContract.expect(isStored(lifted), [true, true])
        try store.goOn()
        try StoreContract.expect(try stored(), [])
    }

    /// The slow mode of a group is kept, and a repetition isn't stored again.
    @Sendable static func slowing(_ store: inout StoreDriver) throws {
        func slow() throws -> Int64 { try store.load().conversations[0].slow }
        try store.create(1, members: [1, 2])
        try StoreContract.expect(try slow(), 0)
        let outcomes = try store.commit([0, 30_000, 30_000].map { store.change(1, by: 1, .slow($0)) })
        let areStored = outcomes.map { if case .stored = $0 { true } else { false } }
        try StoreContract.expect(areStored, [false, true, false])
        try store.goOn()
        try StoreContract.expect(try slow(), 30_000)
        _ = try store.commit([store.change(1, by: 1, .slow(0))])
        try store.goOn()
        try StoreContract.expect(try slow(), 0)
    }

    /// The rule for links stays, what is so already isn't stored again, and a request stays until it ends.
    @Sendable static func joining(_ store: inout StoreDriver) throws {
        func rule() throws -> JoiningRule { try store.load().conversations[0].joining }
        try store.create(1, members: [1, 2])
        try StoreContract.expect(try rule(), .open)
        let outcomes = try store.commit([.open, .ask, .ask].map { store.change(1, by: 1, .joining($0)) })
        let areStored = outcomes.map { if case .stored = $0 { true } else { false } }
        try StoreContract.expect(areStored, [false, true, false])
        let request = StoredInvite(
            hash: Array(repeating: 7, count: 32), conversation: ConversationNumber(1), kind: StoredInvite.asking,
            uses: 1, created: Timestamp(milliseconds: 1), expires: Timestamp(milliseconds: 2))
        // Others wait by the same link.
        for user: Int32 in [1, 2] { try store.apply([.invite(UserNumber(user), id: "i1", request)]) }
        try store.goOn()
        try StoreContract.expect(try rule(), .ask)
        try StoreContract.expect(try store.load().invites.map(\.stored), [request, request])
        _ = try store.commit([store.change(1, by: 1, .joining(.open))])
        try store.apply([.invite(UserNumber(1), id: "i1", nil)])
        try store.goOn()
        try StoreContract.expect(try rule(), .open)
        try StoreContract.expect(try store.load().invites.map(\.user), [UserNumber(2)])
    }
}
