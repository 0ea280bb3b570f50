import Foundation
import RoostWire
import Testing

@testable import RoostStore

@Suite struct OutboxTests {
    let file = OutboxFile()
    let outbox: Outbox

    init() throws { outbox = try file.open() }

    private func say(_ text: String, to destination: String = "c1") throws -> OutboxItem {
        try outbox.add(.send(kind: nil, body: Array(text.utf8), replyTo: nil), to: destination, key: text)
    }

    private func taken() -> String? { outbox.takeNext()?.key }

    private func stored(_ sequence: Int64, in conversation: String = "c1") -> StoredMessage {
        StoredMessage(
            conversation: conversation, sequence: SequenceNumber(sequence), position: "p",
            time: Timestamp(milliseconds: 0), isDuplicate: false)
    }

    // MARK: Order

    @Test func oneOfAConversationIsUnderWay() throws {
        let first = try say("a")
        _ = try say("b")
        _ = try say("other", to: "c2")
        #expect(taken() == "a")
        #expect(taken() == "other")
        #expect(taken() == nil)
        try outbox.accepted(first.id, as: stored(1))
        #expect(taken() == "b")
    }

    @Test func aLostConnectionKeepsTheOrder() throws {
        let first = try say("a")
        _ = try say("b")
        #expect(taken() == "a")
        try outbox.refused(first.id, nil)
        #expect(taken() == "a")
        #expect(outbox.items.first?.tries == 0)
    }

    @Test func soManyAreUnderWay() throws {
        var limits = OutboxLimits()
        limits.underWayMax = 2
        let outbox = try OutboxFile().open(limits)
        for number in 1...3 {
            try outbox.add(.send(kind: nil, body: [0x31], replyTo: nil), to: "c\(number)", key: "\(number)")
        }
        #expect(outbox.takeNext() != nil && outbox.takeNext() != nil && outbox.takeNext() == nil)
    }

    @Test func aChildWaitsForItsParent() throws {
        let parent = try say("a")
        try outbox.add(.react(.unsent(parent.id), reaction: "+1", isOn: true), to: "c1", key: "like")
        try outbox.add(.edit(.unsent(parent.id), body: [0x32]), to: "c1", key: "edit")
        #expect(taken() == "a")
        #expect(taken() == nil)
        try outbox.accepted(parent.id, as: stored(7))
        let next = [outbox.takeNext(), outbox.takeNext()]
        #expect(next.map { $0?.target } == [.stored(SequenceNumber(7)), .stored(SequenceNumber(7))])
        #expect(next.map { $0?.key } == ["like", "edit"])
    }

    @Test func itemsForAUserMoveToTheirConversation() throws {
        let first = try say("a", to: "@bob")
        _ = try say("b", to: "@bob")
        #expect(taken() == "a")
        try outbox.accepted(first.id, as: stored(1, in: "c9"))
        #expect(outbox.takeNext()?.destination == "c9")
        #expect(try file.open().items.map(\.destination) == ["c9"])
    }

    @Test func anInvisibleItemHoldsNothingUp() throws {
        let mark = try outbox.add(.read(SequenceNumber(4)), to: "c1", key: "read")
        _ = try say("a")
        #expect(taken() == "read")
        #expect(taken() == "a")
        try outbox.refused(mark.id, OutboxItem.Failure(.badRequest, "no"))
        #expect(outbox.items.map(\.key) == ["a"])
    }

    @Test func aReactionDoesNotWaitBehindMessages() throws {
        _ = try say("a")
        try outbox.add(.react(.stored(SequenceNumber(2)), reaction: "+1", isOn: true), to: "c1", key: "like")
        #expect(taken() == "a")
        #expect(taken() == "like")
    }

    @Test func theLaterOfTwoReadMarksStays() throws {
        try outbox.add(.read(SequenceNumber(4)), to: "c1", key: "r4")
        try outbox.add(.read(SequenceNumber(5)), to: "c2", key: "other")
        try outbox.add(.read(SequenceNumber(9)), to: "c1", key: "r9")
        #expect(outbox.items.map(\.key) == ["other", "r9"])
        #expect(try file.open().items.map(\.key) == ["other", "r9"])
    }

    // MARK: Versions

    private func change(_ key: String, _ sequence: Int64 = 1, in conversation: String = "c1", ifVersion: Int64?) throws
        -> OutboxItem
    {
        try outbox.add(
            .edit(.stored(SequenceNumber(sequence)), body: [0x31]), to: conversation, key: key, ifVersion: ifVersion)
    }

    /// The user made the second edit after the first one, and another device's edit between them is still found.
    @Test(arguments: [(2, 2), (3, 1)]) func theNextEditNamesTheVersionOfTheOneBefore(
        _ version: Int64, _ named: Int64
    ) throws {
        let first = try change("first", ifVersion: nil)
        _ = try change("second", ifVersion: 1)
        _ = try change("any", ifVersion: nil)
        _ = try change("another", 2, ifVersion: 1)
        _ = try change("elsewhere", in: "c2", ifVersion: 1)
        try outbox.accepted(first.id, version: version)
        #expect(outbox.items.map(\.ifVersion) == [named, nil, 1, 1])
        #expect(try file.open().items.map(\.ifVersion) == [named, nil, 1, 1])
    }

    @Test(arguments: [ErrorCode.conflict, .tooLarge])
    func anEditThatIsReplacedAfterAConflictNamesNoVersion(_ code: ErrorCode) throws {
        let edit = try change("edit", ifVersion: 1)
        #expect(taken() == "edit")
        try outbox.refused(edit.id, OutboxItem.Failure(code, "why"))
        try outbox.replace(edit.id, body: [0x32])
        #expect(outbox.items.map(\.ifVersion) == [code == .conflict ? nil : 1])
        #expect(try file.open().items == outbox.items)
    }

    // MARK: Failures

    @Test(arguments: [ErrorCode.tooLarge, .badRequest]) func aBadMessageStepsAside(_ code: ErrorCode) throws {
        let bad = try say("bad")
        _ = try say("next")
        let edit = try outbox.add(.edit(.stored(SequenceNumber(1)), body: [0x31]), to: "c1", key: "edit")
        #expect(taken() == "bad")
        try outbox.refused(bad.id, OutboxItem.Failure(code, "why"))
        // The next message waits for a choice; what isn't a message needn't.
        #expect(taken() == "edit")
        #expect(taken() == nil)
        #expect(outbox.items.first?.failure == OutboxItem.Failure(code, "why"))
        #expect(try file.open().items.first?.failure == OutboxItem.Failure(code, "why"))
        try outbox.replace(bad.id, body: Array("good".utf8))
        try outbox.accepted(edit.id)
        #expect(taken() == "bad")
        try outbox.accepted(bad.id, as: stored(1))
        #expect(taken() == "next")
    }

    @Test func retryTriesAgain() throws {
        let bad = try say("bad")
        #expect(throws: OutboxFailure.noSuchItem) { try outbox.retry(bad.id) }
        #expect(taken() == "bad")
        try outbox.refused(bad.id, OutboxItem.Failure(.tooLarge, "why"))
        try outbox.retry(bad.id)
        #expect(taken() == "bad")
    }

    @Test func discardTakesTheChildrenAlong() throws {
        let parent = try say("a")
        let reply = try outbox.add(
            .send(kind: nil, body: [0x31], replyTo: .unsent(parent.id)), to: "c1", key: "reply")
        try outbox.add(.react(.unsent(reply.id), reaction: "+1", isOn: true), to: "c1", key: "like")
        _ = try say("b")
        #expect(try outbox.discard(parent.id).map(\.key) == ["a", "reply", "like"])
        #expect(outbox.items.map(\.key) == ["b"])
        #expect(try file.open().items.map(\.key) == ["b"])
        #expect(taken() == "b")
    }

    @Test func itemsUnderWayCannotBeTakenBack() throws {
        let first = try say("a")
        #expect(taken() == "a")
        #expect(throws: OutboxFailure.noSuchItem) { try outbox.discard(first.id) }
        #expect(throws: OutboxFailure.noSuchItem) { try outbox.replace(first.id, body: [0x31]) }
    }

    @Test func anAppMayGoOn() throws {
        let outbox = try OutboxFile().open(goesOn: true)
        let bad = try outbox.add(.send(kind: nil, body: [0x31], replyTo: nil), to: "c1", key: "bad")
        try outbox.add(.edit(.unsent(bad.id), body: [0x32]), to: "c1", key: "edit")
        try outbox.add(.send(kind: nil, body: [0x31], replyTo: nil), to: "c1", key: "next")
        #expect(outbox.takeNext()?.key == "bad")
        try outbox.refused(bad.id, OutboxItem.Failure(.tooLarge, "why"))
        #expect(outbox.takeNext()?.key == "next")
        #expect(outbox.items.map(\.key) == ["bad", "edit", "next"])
    }

    @Test(arguments: [ErrorCode.forbidden, .notFound, .gone])
    func aConversationThatRefusesWaits(_ code: ErrorCode) throws {
        let first = try say("a")
        _ = try say("b")
        try outbox.add(.read(SequenceNumber(1)), to: "c1", key: "read")
        _ = try say("other", to: "c2")
        #expect(taken() == "a")
        #expect(taken() == "read")
        try outbox.refused(first.id, OutboxItem.Failure(code, "why"))
        #expect(taken() == "other")
        #expect(taken() == nil)
        let again = try file.open()
        #expect(again.parked == ["c1": OutboxItem.Failure(code, "why")])
        try again.resume("c1")
        #expect(again.takeNext()?.key == "a")
        #expect(try file.open().parked.isEmpty)
    }

    @Test func threeTriesAndThenItsUserDecides() throws {
        let outbox = try file.open(policy: .threeTries)
        let item = try outbox.add(.send(kind: nil, body: [0x31], replyTo: nil), to: "c1", key: "a")
        var waits: [Duration?] = []
        for _ in 0..<4 {
            #expect(outbox.takeNext()?.key == "a")
            waits.append(try outbox.refused(item.id, OutboxItem.Failure(.busy, "later")))
        }
        #expect(waits == [.seconds(2), .seconds(4), .seconds(8), nil])
        #expect(outbox.takeNext() == nil)
        #expect(outbox.items.first?.failure?.code == .busy)
        try outbox.retry(item.id)
        #expect(outbox.takeNext()?.tries == 0)
    }

    @Test func forEverIsForEver() throws {
        let item = try say("a")
        for _ in 0..<100 {
            #expect(taken() == "a")
            #expect(try outbox.refused(item.id, OutboxItem.Failure(.unavailable, "later")) == nil)
        }
        #expect(outbox.items.first?.failure == nil)
    }

    // MARK: Bounds

    @Test func itemsAndBytesAreBounded() throws {
        var limits = OutboxLimits()
        limits.itemsMax = 2
        let few = try OutboxFile().open(limits)
        for key in ["a", "b"] { try few.add(.read(SequenceNumber(1)), to: "c" + key, key: key) }
        #expect(throws: OutboxFailure.full) { try few.add(.read(SequenceNumber(1)), to: "c", key: "c") }

        limits = OutboxLimits()
        limits.bytesMax = 100
        let small = try OutboxFile().open(limits)
        let item = try small.add(
            .send(kind: nil, body: [UInt8](repeating: 0x31, count: 90), replyTo: nil), to: "c1", key: "a")
        #expect(throws: OutboxFailure.full) {
            try small.add(.delete(.stored(SequenceNumber(1))), to: "c1234567", key: "b")
        }
        #expect(throws: OutboxFailure.full) {
            try small.replace(item.id, body: [UInt8](repeating: 0x31, count: 98))
        }
        try small.discard(item.id)
        try small.add(.delete(.stored(SequenceNumber(1))), to: "c1234567", key: "b")
    }

    @Test func bytesStayRightWhenItemsMove() throws {
        var limits = OutboxLimits()
        limits.bytesMax = 200
        let outbox = try OutboxFile().open(limits)
        let first = try outbox.add(.send(kind: nil, body: [0x31], replyTo: nil), to: "@b", key: "a")
        let second = try outbox.add(.send(kind: nil, body: [0x31], replyTo: nil), to: "@b", key: "b")
        #expect(outbox.takeNext()?.key == "a")
        try outbox.accepted(first.id, as: stored(1, in: String(repeating: "c", count: 60)))
        try outbox.discard(second.id)
        let tooLong = [UInt8](repeating: 0x31, count: 200)
        #expect(throws: OutboxFailure.full) {
            try outbox.add(.send(kind: nil, body: tooLong, replyTo: nil), to: "c1", key: "c")
        }
    }

    @Test func aKeyIsTakenOnce() throws {
        _ = try say("a")
        #expect(throws: OutboxFailure.keyIsTaken) { _ = try say("a") }
        #expect(throws: OutboxFailure.noSuchItem) {
            try outbox.add(.delete(.unsent(99)), to: "c1", key: "b")
        }
        #expect(outbox.items.count == 1)
    }

    @Test func signingOutForgetsAll() throws {
        let first = try say("a")
        #expect(taken() == "a")
        try outbox.refused(first.id, OutboxItem.Failure(.gone, "why"))
        try outbox.removeAll()
        let again = try file.open()
        #expect(again.items.isEmpty && again.parked.isEmpty)
        // A number is never given twice, or an answer to an old item could end a new one.
        #expect(try again.add(.read(SequenceNumber(1)), to: "c1", key: "a").id > first.id)
    }

    // MARK: Items that may have reached the relay

    @Test func itemsThatMayBeStoredAreNotChangedHere() throws {
        let outbox = try file.open()
        try outbox.open()
        let item = try outbox.add(.send(kind: nil, body: Array("1".utf8), replyTo: nil), to: "c", key: "k1")
        #expect(outbox.mayChange(item.id), "nobody has tried it")
        _ = outbox.takeNext()
        // The answer is lost.
        try outbox.refused(item.id, nil)
        #expect(!outbox.mayChange(item.id))
        #expect(throws: OutboxFailure.noSuchItem) { try outbox.replace(item.id, body: Array("2".utf8)) }
        #expect(throws: OutboxFailure.noSuchItem) { try outbox.discard(item.id) }
        #expect(try !file.open().mayChange(item.id), "nor after a restart")
        // A refusal says that it isn't stored.
        _ = outbox.takeNext()
        try outbox.refused(item.id, OutboxItem.Failure(.tooLarge, "test"))
        #expect(outbox.mayChange(item.id))
    }

    @Test func itemsUnseenByASessionMayChangeAlsoAfterARestart() throws {
        let item = try file.open().add(.send(kind: nil, body: Array("1".utf8), replyTo: nil), to: "c", key: "k1")
        let outbox = try file.open()
        #expect(outbox.mayChange(item.id))
        // A session has begun: it may be sent at any moment, whether or not this process lives to see it.
        try outbox.open()
        #expect(outbox.mayChange(item.id))
        #expect(try !file.open().mayChange(item.id))
    }

    @Test func refusedItemsMayBeTakenBack() throws {
        let outbox = try file.open()
        try outbox.open()
        let item = try outbox.add(.send(kind: nil, body: Array("1".utf8), replyTo: nil), to: "c", key: "k1")
        let next = try outbox.add(.send(kind: nil, body: Array("2".utf8), replyTo: nil), to: "c", key: "k2")
        _ = outbox.takeNext()
        try outbox.refused(item.id, OutboxItem.Failure(.gone, "test"))
        let again = try file.open()
        try again.open()
        for one in [outbox, again] { #expect(one.mayChange(item.id) && one.mayChange(next.id)) }
        #expect(try file.open().mayChange(item.id), "no session may send it")
        try again.resume("c")
        #expect(try !file.open().mayChange(item.id), "now one may")
        _ = again.takeNext()
        try again.refused(item.id, OutboxItem.Failure(.gone, "test"))
        try again.discard(item.id)
        try again.resume("c")
        #expect(again.takeNext()?.id == next.id, "the conversation goes on")
    }
}
