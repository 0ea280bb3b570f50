import RoostFraming
import RoostWire
import Testing

@testable import RoostCore

/// `Directory` alone: what it finds, what it stores, and how memberships change it.
@Suite struct DirectoryTests {
    let journal: Journal
    let directory: Directory
    private let delivery = Delivery(.init(Limits()), .none(), builder: FrameBuilder(), counters: Counters())

    init() {
        var snapshot = Snapshot()
        snapshot.leases = NumberLeases(users: 10..<16, devices: 20..<26, conversations: 30..<36)
        // Numbers with holes between them.
        snapshot.users = [.init(UserNumber(3), name: "alice"), .init(UserNumber(7), name: "bob")]
        snapshot.devices = [.init(DeviceNumber(4), user: UserNumber(3), name: "phone", cursor: Position(5))]
        snapshot.conversations = [.init(ConversationNumber(2), id: "direct", kind: .direct, name: "")]
        var left = Snapshot.Member(ConversationNumber(2), UserNumber(7), role: nil)
        left.leftAt = Position(9)
        snapshot.members = [.init(ConversationNumber(2), UserNumber(3), role: .member), left]
        var limits = Limits()
        limits.devicesPerUser = 2
        limits.conversationsPerUser = 2
        journal = Journal(.init(limits), head: .start)
        directory = Directory(
            snapshot, .init(limits), Policy(), journal: journal, counters: Counters(),
            random: RandomSource(SystemRandomNumberGenerator()), at: Moment(0), delivery.settle())
    }

    private func user(_ name: String) throws(Refusal) -> User { try directory.introduce(name) }

    private func code(_ body: () throws(Refusal) -> Void) -> ErrorCode? {
        do throws(Refusal) { try body() } catch { return error.code }
        return nil
    }

    /// The changes that the journal was given, in words.
    private var stored: [String] {
        (journal.takeBatch(at: 0) ?? []).map { mutation in
            switch mutation {
            case .user(let number, let name): "user \(number.value) \(name)"
            case .device(let number, let user, let name, let cursor):
                "device \(number.value) of \(user.value) \(name) at \(cursor.value)"
            case .forgetDevice(let number): "forget \(number.value)"
            case .lease(let kind): "lease \(kind)"
            default: "other"
            }
        }
    }

    @Test func storedUsersAndConversationsAreFound() throws {
        let alice = try user("alice")
        let bob = try user("bob")
        #expect(directory.user(UserNumber(7)) === bob)
        #expect(directory.user(UserNumber(4)) == nil)
        #expect(directory.everybody.map(\.name) == ["alice", "bob"])
        #expect(directory.direct(bob, alice)?.id == "direct")
        #expect(alice.conversations.count == 1)
        #expect(bob.conversations.isEmpty && bob.departures.count == 1)
        // One of the two has left.
        #expect(alice.peers.values.isEmpty)
        #expect(stored.isEmpty)
    }

    @Test func aNewUserIsStoredOnce() throws {
        let carol = try user("carol")
        #expect(try user("carol") === carol)
        #expect(directory.user(UserNumber(10)) === carol)
        #expect(stored == ["user 10 carol"])
    }

    @Test func theNextLeaseIsRequestedEarlyAndNeverWaitedFor() throws {
        for index in 0..<6 { _ = try user("user-\(index)") }
        #expect(code { () throws(Refusal) in _ = try user("seventh") } == .busy)
        #expect(stored.filter { $0.hasPrefix("lease") } == ["lease user"])
        directory.add(100..<200, of: .user)
        #expect(try user("seventh").number == UserNumber(100))
    }

    @Test func aNewDeviceBeginsWhereTheFurthestIs() throws {
        let (tablet, forgotten) = try directory.device(named: "tablet", of: user("alice"), at: Moment(0))
        #expect(tablet.cursor == Position(5) && forgotten == nil)
        #expect(stored == ["device 20 of 3 tablet at 5"])
    }

    @Test func theDeviceAwayLongestIsForgotten() throws {
        let alice = try user("alice")
        let tablet = try directory.device(named: "tablet", of: alice, at: Moment(10)).device
        tablet.disconnect(at: 20)
        let (_, forgotten) = try directory.device(named: "desk", of: alice, at: Moment(30))
        #expect(forgotten?.name == "phone")
        #expect(alice.devices.map(\.name) == ["tablet", "desk"])
        #expect(stored.contains("forget 4"))
    }

    @Test func conversationsOfAUserAreBounded() throws {
        let alice = try user("alice")
        try directory.naming.checkOpening(by: alice)
        _ = try directory.begin(.group, name: "G", by: alice)
        try directory.naming.checkOpening(by: alice)
        let group = try directory.begin(.group, name: "G", by: alice)
        let change = ConversationChange.create(
            id: group.id, kind: .group, name: "G", members: [NewMember(alice.number, .owner)])
        directory.expect(change, of: group, isCertain: true)
        #expect(code { () throws(Refusal) in try directory.naming.checkOpening(by: alice) } == .tooLarge)
        directory.settle(change, of: group)
        directory.undo(change, of: group)
        #expect(alice.conversationsJoining == 0 && alice.opening == 1)
        #expect(code { () throws(Refusal) in try directory.naming.checkOpening(by: alice) } == nil)
    }

    @Test func theTwoOfADirectConversationArePeersWhileBothAreMembers() throws {
        let (alice, bob) = (try user("alice"), try user("bob"))
        guard let direct = directory.direct(alice, bob) else {
            Issue.record("no direct conversation")
            return
        }
        directory.admit([NewMember(bob.number, .member)], to: direct, at: Position(11), delivery.settle())
        #expect(alice.peers[bob.number] === bob && bob.departures.isEmpty)
        let gone = directory.dismiss([alice.number], from: direct, at: Position(12), delivery.settle())
        #expect(gone.map(\.user.name) == ["alice"])
        #expect(bob.peers.values.isEmpty && alice.departures[direct.number]?.leftAt == Position(12))
    }

    @Test func aMemberWhoIsAdmittedAgainStaysAsBefore() throws {
        let alice = try user("alice")
        let group = try directory.begin(.group, name: "G", by: alice)
        directory.admit([NewMember(alice.number, .owner)], to: group, at: Position(11), delivery.settle())
        directory.admit([NewMember(alice.number, .member)], to: group, at: Position(12), delivery.settle())
        #expect(group.members.map(\.role) == [.owner] && group.members.map(\.joinedAt) == [Position(11)])
    }

    @Test func rolesAreGivenToMembersOnly() throws {
        let (alice, bob) = (try user("alice"), try user("bob"))
        let group = try directory.begin(.group, name: "G", by: alice)
        directory.admit([NewMember(alice.number, .member)], to: group, at: Position(11), delivery.settle())
        directory.setRoles([NewMember(alice.number, .admin), NewMember(bob.number, .owner)], in: group)
        #expect(group.members.map(\.role) == [.admin])
    }

    @Test func nothingIsKeptOfAnErasedConversation() throws {
        let (alice, bob) = (try user("alice"), try user("bob"))
        guard let direct = directory.direct(alice, bob) else {
            Issue.record("no direct conversation")
            return
        }
        directory.expect(.erase, of: direct, isCertain: true)
        // The two users may begin a new direct conversation at once.
        #expect(directory.direct(alice, bob) == nil && direct.isEnding)
        _ = directory.erase(direct, at: Position(12), delivery.settle())
        let rest = ForgottenDepartures(of: direct, directory)
        var steps = 1
        #expect(!rest.work(&steps))
        steps = 1
        #expect(rest.work(&steps))
        #expect(alice.conversations.isEmpty && alice.departures.isEmpty && bob.departures.isEmpty)
        #expect(directory.conversation(ConversationNumber(2)) == nil)
    }

    /// Its key turns out to be used, so the conversation doesn't end.
    @Test func anUncertainEndCanBeUndone() throws {
        let (alice, bob) = (try user("alice"), try user("bob"))
        guard let direct = directory.direct(alice, bob) else {
            Issue.record("no direct conversation")
            return
        }
        directory.expect(.erase, of: direct, isCertain: false)
        #expect(directory.direct(alice, bob) === direct && direct.isEnding)
        directory.settle(.erase, of: direct)
        directory.undo(.erase, of: direct)
        #expect(!direct.isEnding && direct.standings().count == direct.members.count)
    }

    @Test func commandsAreJudgedByExpectedChanges() throws {
        let carol = try user("carol")
        let group = try directory.begin(.group, name: "G", by: carol)
        let adding = ConversationChange.add([NewMember(carol.number, .admin)])
        directory.expect(adding, of: group, isCertain: true)
        #expect(group.standing(of: carol.number) == .admin && group.member(carol.number) == nil)
        let removing = ConversationChange.remove([carol.number])
        directory.expect(removing, of: group, isCertain: true)
        #expect(group.standing(of: carol.number) == nil)
        directory.settle(adding, of: group)
        #expect(group.standing(of: carol.number) == nil)
        directory.settle(removing, of: group)
        #expect(group.isAtRest)
    }
}
