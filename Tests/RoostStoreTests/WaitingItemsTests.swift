import RoostWire
import Testing

@testable import RoostStore

/// Waiting items in a device's store, when the relay confirms them in another way than by an answer.
@Suite struct WaitingItemsTests {
    private let file = OutboxFile()

    private func open() throws -> LocalStore { try LocalStore(path: file.path, device: "phone") }

    /// A store of alice's, with the empty group c1.
    private func begun() throws -> LocalStore {
        let store = try open()
        try store.begin(Told.welcome(), isResumed: false)
        try store.take(Told.summary(#""sequence":0,"unread":0,"read":0,"time":1"#))
        return store
    }

    private func take(_ store: LocalStore, _ events: Event...) throws { _ = try store.take(events, position: nil) }

    private func sequences(_ store: LocalStore) throws -> [Int64] {
        try store.messages(of: "c1", limit: 1_000).map(\.sequence.value)
    }

    @Test func anOwnMessageIsTakenFromWhateverTellsIt() throws {
        let store = try begun()
        for (index, key) in ["k1", "k2"].enumerated() {
            let action = OutboxItem.Action.send(kind: nil, body: Array(#""x""#.utf8), replyTo: nil)
            let item = try store.outbox.add(action, to: "c1", key: key)
            #expect(store.outbox.takeNext()?.id == item.id)
            let message = """
                {"conversation":"c1","sequence":\(index + 1),"position":"e-1","from":"alice","time":2,"body":"x",
                 "device":"phone","key":"\(key)"}
                """
            if index == 0 {
                try store.take(Told.summary(#""sequence":1,"unread":0,"read":1,"time":2,"message":\#(message)"#))
            } else {
                let page = #"{"type":"ok","re":1,"conversation":"c1","messages":[\#(message)],"more":false}"#
                try store.take(#require(HistoryPage(reading: Told.members(page))), before: SequenceNumber(.max))
            }
            #expect(store.outbox.items.isEmpty)
            // The answer, if it comes after all, says nothing new.
            #expect(try store.accepted(item.id, at: Timestamp(milliseconds: 2)) == nil)
        }
        #expect(try sequences(store) == [1, 2])
    }

    private func say(_ key: String, in outbox: Outbox) throws -> OutboxItem {
        try outbox.add(.send(kind: nil, body: Array("1".utf8), replyTo: nil), to: "c1", key: key)
    }

    @Test func aSlowGroupHoldsItsMessagesAndNothingElse() throws {
        let outbox = try begun().outbox
        let (first, second) = (try say("k1", in: outbox), try say("k2", in: outbox))
        let other = try outbox.add(.send(kind: nil, body: Array("1".utf8), replyTo: nil), to: "c2", key: "k3")
        let edit = try outbox.add(.edit(.stored(SequenceNumber(1)), body: Array("2".utf8)), to: "c1", key: "k4")
        #expect(outbox.takeNext()?.id == first.id)
        outbox.rest(first.id)
        #expect(outbox.takeNext()?.id == other.id)
        #expect(outbox.takeNext()?.id == edit.id)
        #expect(outbox.takeNext() == nil)
        #expect(outbox.items.allSatisfy { $0.tries == 0 && $0.failure == nil } && outbox.parked.isEmpty)
        try outbox.accepted(edit.id)
        #expect(outbox.wake("c1") && !outbox.wake("c1"))
        #expect(outbox.takeNext()?.id == first.id)
        try outbox.accepted(first.id)
        #expect(outbox.takeNext()?.id == second.id)
        // A session begins without waits.
        outbox.rest(second.id)
        outbox.shut()
        #expect(outbox.takeNext()?.id == second.id)
    }

    /// Two messages of a conversation that has refused the first one.
    private func refused() throws -> (Outbox, first: OutboxItem, second: OutboxItem) {
        let outbox = try begun().outbox
        let (first, second) = (try say("k1", in: outbox), try say("k2", in: outbox))
        _ = outbox.takeNext()
        try outbox.refused(first.id, OutboxItem.Failure(.forbidden, "no"))
        return (outbox, first, second)
    }

    @Test func aConversationIsTriedByOneItem() throws {
        let (outbox, first, second) = try refused()
        #expect(outbox.takeNext() == nil)
        try outbox.probe("c1")
        // A start after it has to know that this one may have been sent, and the other one not.
        let again = try open().outbox
        #expect(!again.mayChange(first.id) && again.mayChange(second.id))
        #expect(outbox.takeNext()?.id == first.id && outbox.takeNext() == nil)
        try outbox.refused(first.id, OutboxItem.Failure(.forbidden, "no"))
        #expect(outbox.takeNext() == nil && outbox.parked["c1"] != nil && outbox.mayChange(first.id))
        // Without an answer it is tried again.
        try outbox.probe("c1")
        _ = outbox.takeNext()
        try outbox.refused(first.id, nil)
        #expect(outbox.takeNext()?.id == first.id && outbox.parked["c1"] != nil)
        try outbox.accepted(first.id)
        #expect(try outbox.parked.isEmpty && open().outbox.parked.isEmpty)
        #expect(outbox.takeNext()?.id == second.id)
    }

    @Test func nothingWaitsWhereAllWasDiscarded() throws {
        let (outbox, first, second) = try refused()
        try outbox.discard(first.id)
        #expect(outbox.parked["c1"] != nil)
        try outbox.discard(second.id)
        #expect(try outbox.parked.isEmpty && open().outbox.parked.isEmpty)
        let next = try say("k3", in: outbox)
        #expect(outbox.takeNext()?.id == next.id)
    }

    @Test func whoSignsOutLeavesNoTextBehind() throws {
        let store = try begun()
        try take(store, Told.message(1, "told in confidence"))
        try store.outbox.add(
            .send(kind: nil, body: Array(#""typed in confidence""#.utf8), replyTo: nil), to: "c1", key: "k1")
        try store.drafts.keep("begun in confidence", for: "c1")
        #expect(try file.contains("in confidence"))
        try store.signOut()
        #expect(try !file.contains("in confidence"))
    }
}
