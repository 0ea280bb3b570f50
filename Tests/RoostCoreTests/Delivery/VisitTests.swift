import RoostFraming
import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// A turn visits a part of a large group. Events that arrive meanwhile join the round under way.
@Suite struct VisitTests {
    private let relay: RelayHarness
    private let members: [HarnessClient]
    private let alice: HarnessClient
    private let group: String
    /// Sessions of the group that a turn visits when nothing else happens.
    private let crowdVisits = Limits().crowdVisitsMin

    init() {
        relay = RelayHarness(limits: .with { $0.receiptMembersMax = 0 })
        let relay = relay
        members = (0..<100).map { relay.connect("m\($0)") }
        alice = relay.connect("alice")
        let names = members.indices.map { "m\($0)" }
        group =
            alice.request("conversation.create", ["kind": "group", "name": "all", "members": .list(names)])?[
                "conversation"]?.text("conversation") ?? ""
        visit()
        #expect(!relay.relay.hasWork)
    }

    @Test func aTurnVisitsABoundedNumberAndTheNextTurnTheOthers() {
        signal("one")
        // The signal itself is an arrival, which adds less than what there is at least.
        #expect(visit().count == crowdVisits)
        #expect(relay.relay.hasWork)
        var left = members.count - crowdVisits
        while left > 0 {
            #expect(visit().count == min(left, crowdVisits))
            left -= crowdVisits
        }
        #expect(!relay.relay.hasWork)
        #expect(visit().isEmpty)
    }

    @Test func newMessagesJoinTheRoundUnderWay() {
        signal("one")
        let first = visit()
        signal("two")
        var others: [(session: SessionID, frames: Int)] = []
        while relay.relay.hasWork { others += visit() }
        // The sessions that have waited longest come first, and take both events at once.
        let waiting = members.count - crowdVisits
        #expect(others.prefix(waiting).map(\.frames) == Array(repeating: 2, count: waiting))
        #expect(others.dropFirst(waiting).map(\.frames) == Array(repeating: 1, count: crowdVisits))
        #expect(others.dropFirst(waiting).map(\.session) == first.map(\.session))
    }

    /// A session that gets something else than the crowd is visited first, and the crowd goes on in each turn.
    @Test func aMessageToOnePersonDoesNotWaitBehindACrowd() {
        signal("one")
        let first = visit().map(\.session)
        let last = members[99]
        last.start("ping", id: 1)
        let second = visit().map(\.session)
        #expect(second.first == last.session.id && second.count == 1 + crowdVisits)
        var others = second
        while relay.relay.hasWork { others += visit().map(\.session) }
        // It has taken what the crowd got as well, so it isn't visited again.
        #expect(Set(first + others).count == 100 && first.count + others.count == 100)
        signal("two")
        for member in members { member.start("ping", id: 2) }
        #expect(visit().count == 100)
        signal("three")
        for _ in 0..<2 { for member in members[..<80] { member.start("ping", id: 3) } }
        #expect(visit().count == 100)
    }

    @Test func eachArrivalAllowsOneMoreVisit() {
        for member in members { member.start("ping", id: 1) }
        #expect(visit().count == members.count)
        // The arrivals count for one turn only.
        signal("one")
        #expect(visit().count == crowdVisits)
    }

    @Test func outcomesAreArrivals() throws {
        for (index, member) in members.enumerated() {
            member.start("send", ["to": "@m\((index + 1) % members.count)", "key": "k", "body": "hi"], id: 1)
        }
        visit()
        let batch = try #require(relay.relay.takeBatch(at: relay.now))
        relay.relay.committed(relay.log.commit(batch), at: relay.now)
        #expect(visit().count == members.count)
    }

    @Test func aTurnVisitsAllWhenMuchHasCollected() {
        let body = String(repeating: "s", count: 8_000)
        for _ in 0..<8 { signal(body) }
        #expect(visit().count == crowdVisits)
        while relay.relay.hasWork { visit() }
        for _ in 0..<10 { signal(body) }
        #expect(visit().count == members.count)
    }

    @Test func aSlowSessionDoesNotCauseFurtherVisits() {
        let body = String(repeating: "s", count: 8_000)
        for _ in 0..<10 { signal(body) }
        visit(reading: { $0 !== members[99].session })
        signal("one")
        #expect(members[99].session.outbox.bytes > Limits().outboxCalmBytes)
        #expect(visit().count == crowdVisits)
    }

    /// Sends a signal without an id, so that Alice gets no answer.
    private func signal(_ body: String) { alice.say(#"{"type":"signal","to":"\#(group)","body":"\#(body)"}"#) }

    /// Runs one turn. Returns the sessions that were visited, and how many frames each took.
    @discardableResult
    private func visit(reading: (Session) -> Bool = { _ in true }) -> [(session: SessionID, frames: Int)] {
        var visited: [(session: SessionID, frames: Int)] = []
        relay.relay.visitPart { session in
            visited.append((session.id, session.outbox.count))
            if reading(session) { session.outbox.removeAll() }
        }
        return visited
    }
}
