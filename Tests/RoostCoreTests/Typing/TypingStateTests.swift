import RoostWire
import Testing

@testable import RoostCore

/// `Typing` alone: who is typing, and which changes the others must be told.
@Suite struct TypingStateTests {
    let typing: Typing
    let alice: Member
    let bob: Member
    let carol: Member

    init() {
        var limits = Limits()
        limits.typersPerConversation = 2
        typing = Typing(.init(limits), at: 0)
        let cast = Cast("alice", "bob", "carol")
        (alice, bob, carol) = (cast[0], cast[1], cast[2])
    }

    private func expire(at now: Int64) -> [String] { typing.expire(at: now).map(\.user.name) }

    @Test func theBeginningIsToldOnce() {
        #expect(typing.start(alice, at: 0))
        #expect(!typing.start(alice, at: 2_000))
        #expect(alice.typing.isActive)
        #expect(alice.conversation.typers.count == 1)
    }

    @Test func theEndIsToldOnce() {
        _ = typing.start(alice, at: 0)
        #expect(typing.stop(alice))
        #expect(!typing.stop(alice))
        #expect(alice.conversation.typers.count == 0)
    }

    @Test func typingEndsAfterItsLife() {
        _ = typing.start(alice, at: 0)
        #expect(expire(at: 2_900).isEmpty)
        #expect(expire(at: 3_200) == ["alice"])
        #expect(!alice.typing.isActive)
        #expect(typing.timerCount == 0)
    }

    @Test func repeatedTypingMovesTheEndAndCostsNoTimer() {
        _ = typing.start(alice, at: 0)
        _ = typing.start(alice, at: 2_000)
        #expect(typing.timerCount == 1)
        #expect(expire(at: 3_200).isEmpty)
        #expect(expire(at: 5_200) == ["alice"])
    }

    @Test func anEndOfTypingIsToldOnlyOnce() {
        _ = typing.start(alice, at: 0)
        _ = typing.stop(alice)
        #expect(expire(at: 3_200).isEmpty)
    }

    @Test func typingThatBeginsAgainSoonIsNotTold() {
        _ = typing.start(alice, at: 0)
        _ = typing.stop(alice)
        #expect(!typing.start(alice, at: 999))
        #expect(typing.start(alice, at: 1_000))
    }

    @Test func typersBeyondTheBoundAreIgnored() {
        #expect(typing.start(alice, at: 0))
        #expect(typing.start(bob, at: 0))
        #expect(!typing.start(carol, at: 0))
        _ = typing.stop(alice)
        #expect(typing.start(carol, at: 0))
    }
}
