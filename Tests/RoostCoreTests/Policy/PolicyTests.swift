import RoostWire
import Testing

@testable import RoostCore

/// `Policy`: every rule about who may do what.
@Suite struct PolicyTests {
    let policy = Policy()
    let cast = Cast("alice", "bob")
    let stranger = User(UserNumber(9), name: "stranger", Roll(Counters()))

    private func code(_ check: () throws(Refusal) -> Void) -> ErrorCode? {
        do throws(Refusal) { try check() } catch { return error.code }
        return nil
    }

    private func mayWrite(_ user: User, to conversation: Conversation?) -> ErrorCode? {
        code { () throws(Refusal) in _ = try policy.checkWriting(by: user, to: conversation) }
    }

    private func direct() -> Conversation {
        Conversation(ConversationNumber(2), id: "direct", kind: .direct, name: "", Roll(Counters()))
    }

    /// Whether `user` may see `other`; nil if the search takes more steps.
    private func maySee(
        _ user: User, _ other: User, direct: Conversation? = nil, steps: Int = 10
    ) -> Bool? {
        var sight = policy.sight(of: other, by: user, direct: direct)
        var steps = steps
        switch sight.search(&steps) {
        case .allowed: return true
        case .refused: return false
        case .open: return nil
        }
    }

    @Test func usersWhoShareAConversationSeeEachOther() {
        #expect(maySee(cast[0].user, cast[1].user) == true)
        #expect(maySee(stranger, stranger, steps: 0) == true)
        #expect(maySee(cast[0].user, stranger) == false)
        #expect(maySee(stranger, cast[0].user) == false)
    }

    /// One step for each conversation of the user with fewer conversations.
    @Test func theSearchTakesAStepForEachConversation() {
        #expect(maySee(cast[0].user, cast[1].user, steps: 0) == nil)
        #expect(maySee(cast[0].user, cast[1].user, steps: 1) == true)
        // Their direct conversation is known without a search.
        #expect(maySee(cast[0].user, cast[1].user, direct: cast.group, steps: 0) == true)
    }

    @Test func onlyAMemberHasARole() throws {
        #expect(try policy.role(of: cast[0].user, in: cast.group) == .member)
        #expect(code { () throws(Refusal) in _ = try policy.role(of: stranger, in: cast.group) } == .notFound)
        #expect(code { () throws(Refusal) in _ = try policy.role(of: stranger, in: nil) } == .notFound)
    }

    @Test func aRoleThatIsUnderWayCounts() throws {
        cast.group.expect(stranger.number, role: .admin, isCertain: true)
        cast.group.expect(cast[0].user.number, role: nil, isCertain: true)
        #expect(try policy.role(of: stranger, in: cast.group) == .admin)
        #expect(code { () throws(Refusal) in _ = try policy.role(of: cast[0].user, in: cast.group) } == .notFound)
    }

    @Test func usersCannotWriteToThemselves() {
        #expect(code { () throws(Refusal) in try policy.checkWriting(by: stranger, to: stranger) } == .badRequest)
        #expect(code { () throws(Refusal) in try policy.checkWriting(by: stranger, to: cast[0].user) } == nil)
    }

    @Test func formerMembersMayNameTheirConversation() {
        #expect(mayWrite(cast[0].user, to: cast.group) == nil)
        #expect(mayWrite(stranger, to: cast.group) == .notFound)
        stranger.leave(cast.group.number, Departure(joinedAt: .start, leftAt: .start, since: .none))
        #expect(mayWrite(stranger, to: cast.group) == nil)
        #expect(mayWrite(stranger, to: nil) == .notFound)
    }

    @Test func aDirectConversationThatEndsTakesNobodyBack() {
        let direct = direct()
        stranger.leave(direct.number, Departure(joinedAt: .start, leftAt: .start, since: .none))
        #expect(mayWrite(stranger, to: direct) == nil)
        direct.beginToEnd()
        #expect(mayWrite(stranger, to: direct) == .notFound)
    }

    @Test func groupsAreChangedByRole() {
        let may = { (role: MemberRole, needed: MemberRole) in
            code { () throws(Refusal) in try policy.checkChange(of: cast.group, by: role, needing: needed) }
        }
        #expect([may(.member, .admin), may(.admin, .admin), may(.owner, .admin)] == [.forbidden, nil, nil])
        #expect([may(.admin, .owner), may(.owner, .owner)] == [.forbidden, nil])
        let direct = direct()
        #expect(
            code { () throws(Refusal) in try policy.checkChange(of: direct, by: .owner, needing: .admin) } == .conflict)
    }

    @Test func onlyALowerRoleIsRemoved() {
        let may = { (role: MemberRole, other: MemberRole) in
            code { () throws(Refusal) in try policy.checkRemoval(of: other, by: role) }
        }
        #expect([may(.owner, .admin), may(.admin, .member)] == [nil, nil])
        #expect([may(.admin, .admin), may(.admin, .owner)] == [.forbidden, .forbidden])
    }

    @Test func adminsDeleteWhatOthersWrote() {
        #expect([MemberRole.member, .admin, .owner].map(policy.mayDeleteOfOthers) == [false, true, true])
    }
}
