import RoostWire
import Testing

@testable import RoostCore

/// The position of a device, judged by its acks.
@Suite struct FeedTests {
    @Test func whileLiveAnAckCoversWhatItNames() {
        var feed = Feed()
        let covered = feed.acked(Position(7))
        #expect(covered == Position(7))
    }

    @Test func whileBehindAnAckCoversNoMoreThanWasSent() {
        var feed = Feed()
        feed.begin(at: Position(5))
        feed.fallBehind()
        let covered = feed.acked(Position(7))
        #expect(covered == Position(5))
        let less = feed.acked(Position(3))
        #expect(less == Position(3))
    }

    @Test func aPositionToldByAReplyWhileBehindSaysNothing() {
        var feed = Feed()
        feed.begin(at: Position(5))
        feed.fallBehind()
        feed.tellAhead(Position(9), standsForEvent: false)
        let covered = feed.acked(Position(9))
        #expect(covered == nil)
        let sent = feed.acked(Position(8))
        #expect(sent == Position(5))
    }

    @Test func aPositionToldByAReplyIsForgottenWhenItIsCovered() {
        var feed = Feed()
        feed.fallBehind()
        feed.tellAhead(Position(4), standsForEvent: false)
        feed.sent(upTo: Position(6))
        let covered = feed.acked(Position(6))
        #expect(covered == Position(6))
        let left = feed.toldAheadCount
        #expect(left == 0)
    }

    @Test func whileLiveARepliesPositionCountsAsSent() {
        var feed = Feed()
        feed.tellAhead(Position(4), standsForEvent: false)
        let ahead = feed.toldAheadCount
        #expect(ahead == 0)
    }

    @Test func anEndedSessionIsNotLive() {
        var feed = Feed()
        feed.end()
        let state = feed.state
        #expect(state == .behind)
    }
}
