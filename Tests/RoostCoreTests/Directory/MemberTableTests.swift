import RoostWire
import Testing

@testable import RoostCore

/// `MemberTable`: who is a member, in which order, and where each is.
@Suite struct MemberTableTests {
    private let roll = Roll(Counters())
    private let group: Conversation

    init() { group = Conversation(ConversationNumber(1), id: "group", kind: .group, name: "Group", roll) }

    private func member(_ number: Int32, _ role: MemberRole = .member) -> Member {
        let user = User(UserNumber(number), name: "user-\(number)", roll)
        return Member(user, of: group, role: role, since: .none, joinedAt: Position(Int64(number)), joinedAfter: .none)
    }

    private func table(_ count: Int32) -> MemberTable {
        var list = MemberTable()
        for number in 1...count { list.append(member(number, number % 4 == 1 ? .admin : .member)) }
        return list
    }

    private func numbers(_ members: [Member]) -> [Int32] { members.map(\.user.number.value) }

    /// The first, the last, neighbours, one named twice, one who isn't a member, in any order.
    @Test func thoseWhoStayKeepTheirOrderAndAreFound() {
        var list = table(12)
        let users = [12, 5, 1, 6, 5, 99, 9].map { UserNumber(Int32($0)) }
        #expect(numbers(list.remove(users)) == [12, 5, 1, 6, 9])
        #expect(numbers(list.all) == [2, 3, 4, 7, 8, 10, 11])
        #expect(list.places.map(\.ordinal) == list.all.map(\.ordinal))
        #expect(list.leaders.isEmpty)
        for (place, member) in list.all.enumerated() {
            #expect(list[member.user.number] === member)
            #expect(list.place(of: member.ordinal) == place)
        }
        #expect(list[UserNumber(5)] == nil)
        list.append(member(5))
        #expect(numbers(list.all).last == 5 && list.all.last?.ordinal == 12)
    }

    @Test(arguments: [[], [1], [8], [1, 2, 3, 4, 5, 6, 7, 8]] as [[Int32]])
    func anyNumberMayLeave(_ gone: [Int32]) {
        var list = table(8)
        #expect(numbers(list.remove(gone.map { UserNumber($0) })) == gone)
        #expect(numbers(list.all) == (1...8).filter { !gone.contains($0) })
        #expect(list.places.count == list.count)
    }

    @Test func leadersStandInTheOrderInWhichTheyJoined() {
        var list = table(6)
        list.setRole(.owner, of: UserNumber(3))
        #expect(numbers(list.leaders) == [1, 3, 5])
        list.setRole(.member, of: UserNumber(1))
        #expect(numbers(list.leaders) == [3, 5])
        _ = list.remove([UserNumber(5)])
        #expect(numbers(list.leaders) == [3])
    }

    @Test func aPositionFindsWhoJoinedThenOrLater() {
        var list = table(6)
        _ = list.remove([UserNumber(3)])
        #expect(list.ordinal(from: Position(3)) == 3)
        #expect(list.ordinal(from: Position(7)) == 6)
    }
}
