import RoostWire
import Testing

@testable import RoostCore

/// `Typing` alone: the users who type, and the changes to send to the others.
@Suite struct TypingStateTests {
    let typing: Typing
    let alice: Member
    let bob: Member
    let carol: Member
    let dave: Member

    init() {
        var limits = Limits()
        limits.typersPerConversation = 2
        typing = Typing(.init(limits), at: 0)
        let cast = Cast("alice", "bob", "carol", "dave")
        (alice, bob, carol, dave) = (cast[0], cast[1], cast[2], cast[3])
    }

    private func expire(at now: Int64) -> [String] { typing.expire(at: now).map(\.user.name) }

    private func start(_ member: Member, in thread: Int64 = 0, at now: Int64) -> Bool {
        typing.start(member, in: SequenceNumber(thread), at: now)
    }

    /// Number of times that the others are notified if the member types now.
    private func tellings(_ member: Member, in thread: Int64 = 0, at now: Int64) -> Int {
        typing.tellings(of: typing.step(member, in: SequenceNumber(thread), at: now), in: member.conversation)
    }

    /// Whether several type, if the members must be notified now.
    private func several(at now: Int64) -> Bool? {
        _ = typing.expire(at: now)
        return typing.nextSeveral(at: now)?.typers.isSeveralTold
    }

    @Test func theBeginningIsToldOnce() {
        #expect(start(alice, at: 0))
        #expect(!start(alice, at: 2_000))
        #expect(alice.typing.isActive)
        #expect(alice.conversation.typers.count == 1)
    }

    @Test func theEndIsToldOnce() {
        _ = start(alice, at: 0)
        #expect(typing.stop(alice))
        #expect(!typing.stop(alice))
        #expect(alice.conversation.typers.count == 0)
    }

    @Test func typingEndsAfterItsLife() {
        _ = start(alice, at: 0)
        #expect(expire(at: 2_900).isEmpty)
        #expect(expire(at: 3_200) == ["alice"])
        #expect(!alice.typing.isActive)
        #expect(typing.timerCount == 0)
    }

    @Test func repeatedTypingMovesTheEndAndCostsNoTimer() {
        _ = start(alice, at: 0)
        _ = start(alice, at: 2_000)
        #expect(typing.timerCount == 1)
        #expect(expire(at: 3_200).isEmpty)
        #expect(expire(at: 5_200) == ["alice"])
    }

    @Test func anEndOfTypingIsToldOnlyOnce() {
        _ = start(alice, at: 0)
        _ = typing.stop(alice)
        #expect(expire(at: 3_200).isEmpty)
    }

    @Test func typingThatBeginsAgainSoonIsNotTold() {
        _ = start(alice, at: 0)
        _ = typing.stop(alice)
        #expect(!start(alice, at: 999))
        #expect(start(alice, at: 1_000))
    }

    @Test func movingToAnotherThreadIsSentOnce() {
        #expect(start(alice, in: 7, at: 0))
        #expect(!start(alice, in: 8, at: 999))
        #expect(alice.typing.thread == SequenceNumber(7))
        #expect(tellings(alice, in: 8, at: 1_000) == 1)
        #expect(start(alice, in: 8, at: 1_000))
        #expect(!start(alice, in: 8, at: 2_000))
        #expect(start(alice, at: 2_000))
        #expect(alice.conversation.typers.named == 1)
        #expect(typing.stop(alice))
    }

    @Test func typersBeyondTheBoundAreCountedAndGetAPlaceThatIsFree() {
        #expect(start(alice, at: 0))
        #expect(start(bob, at: 0))
        #expect(!start(carol, at: 0))
        #expect(carol.conversation.typers.unnamed == 1)
        _ = typing.stop(alice)
        #expect(tellings(carol, in: 3, at: 0) == 2)
        #expect(start(carol, in: 3, at: 0))
        #expect(carol.conversation.typers.unnamed == 0)
        #expect(carol.conversation.typers.named == 2)
        #expect(carol.typing.thread == SequenceNumber(3))
    }

    @Test func oneBeyondTheBoundIsNobodysNews() {
        for member in [alice, bob, carol] { _ = start(member, at: 0) }
        #expect(several(at: 10_000) == nil)
        #expect(typing.timerCount == 0)
    }

    @Test func severalBeyondTheBoundAreToldAtMostOnceInFiveSeconds() {
        for member in [alice, bob, carol] { _ = start(member, at: 0) }
        #expect(tellings(dave, at: 0) == 2)
        #expect(!start(dave, at: 0))
        #expect(several(at: 200) == true)
        // They come and go.
        for now in stride(from: Int64(300), to: 5_200, by: 100) {
            for member in [alice, bob, carol] { _ = start(member, at: now) }
            _ = typing.stop(dave)
            #expect(several(at: now) == nil)
            #expect(tellings(dave, at: now) == 0)
            if now < 5_100 { _ = start(dave, at: now) }
        }
        #expect(several(at: 5_300) == false)
        #expect(several(at: 20_000) == nil)
        #expect(typing.timerCount == 0)
    }

    @Test func aStateThatReturnsInTimeIsNotSent() {
        for member in [alice, bob, carol, dave] { _ = start(member, at: 0) }
        #expect(several(at: 200) == true)
        _ = typing.stop(dave)
        _ = start(dave, at: 300)
        for member in [alice, bob, carol, dave] { _ = start(member, at: 2_900) }
        #expect(several(at: 5_300) == nil)
        // It ends when typing does.
        #expect(several(at: 5_900) == nil)
        #expect(several(at: 6_000) == false)
    }

    @Test func onlyWhoMakesThemSeveralPays() {
        for member in [alice, bob] { _ = start(member, at: 0) }
        #expect(tellings(carol, at: 0) == 0)
        _ = start(carol, at: 0)
        #expect(tellings(dave, at: 0) == 2)
        _ = start(dave, at: 0)
        // It is paid for, but not sent yet.
        _ = typing.stop(dave)
        #expect(tellings(dave, at: 0) == 0)
        _ = start(dave, at: 0)
        #expect(several(at: 200) == true)
        _ = typing.stop(dave)
        #expect(several(at: 5_300) == false)
        _ = start(carol, at: 5_300)
        #expect(tellings(dave, at: 5_300) == 2)
    }

    @Test func aTurnTellsOneConversation() {
        let other = Cast("alice", "bob", "carol", "dave")
        for member in [alice, bob, carol, dave] { _ = start(member, at: 0) }
        for index in 0..<4 { _ = start(other[index], at: 0) }
        #expect(several(at: 200) == true)
        #expect(typing.nextDeadline == 201)
        #expect(several(at: 201) == true)
        #expect(several(at: 202) == nil)
    }
}
