import RoostFraming
import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Delivery alone: which frame reaches which outbox, in which order, and what happens to sessions that can't keep up.
@Suite struct DeliveryTests {
    private let cast = Cast("alice", "bob", "carol")
    private let builder = FrameBuilder()
    private let counters = Counters()
    private let delivery: Delivery
    private let alice: Session
    private let bob: Session
    private let carol: Session

    init() {
        var limits = Limits()
        limits.outboxCalmBytes = 1_000
        limits.outboxSpillBytes = 4_000
        limits.outboxMaxBytes = 8_000
        limits.owedMax = 3
        delivery = Delivery(.init(limits), .none(), builder: builder, counters: counters)
        alice = cast.session(on: cast.device(of: 0), numbered: 1)
        bob = cast.session(on: cast.device(of: 1), numbered: 2)
        carol = cast.session(on: cast.device(of: 2), numbered: 3)
    }

    private func gather(_ number: Int64, body: String = "b", from session: Session? = nil, id: CommandID? = nil) {
        let origin = session ?? alice
        let sender = origin.user?.number ?? UserNumber(1)
        var append = Append(.message, in: cast.group.number, by: sender, device: "phone", at: .never)
        append.key = "k\(number)"
        append.label = "text"
        append.body = Array("\"\(body)\"".utf8)
        let event = StoredEvent(append, position: Position(number), sequence: SequenceNumber(number))
        delivery.gather(event, from: origin.user, in: cast.group, except: origin, answering: id)
    }

    private func signal(_ number: Int, from session: Session? = nil, id: CommandID? = nil) {
        builder.begin("signal")
        builder.member("body", Int64(number))
        let origin = session ?? alice
        delivery.gatherSignal(from: origin.user, in: cast.group, except: origin, answering: id)
    }

    private func reply(_ session: Session) {
        builder.begin("pong")
        delivery.reply(builder.finish(), to: session)
    }

    /// Takes everything that waits for a session, and returns the types and numbers.
    private func take(_ session: Session) -> [String] {
        var all: [String] = []
        while let frame = session.outbox.pop() {
            for message in frame.messages() {
                guard let json = JSONValue(parsing: message.payload) else { continue }
                let number = json["sequence"]?.integer ?? json["body"]?.integer
                all.append((json["type"]?.string ?? "?") + (number.map { " \($0)" } ?? ""))
            }
        }
        return all
    }

    /// They may be 64, and a message may be long.
    @Test func theOtherDevicesOfTheSenderShareOneFrame() {
        let tablet = cast.session(on: cast.device(of: 0, named: "tablet"), numbered: 4)
        let laptop = cast.session(on: cast.device(of: 0, named: "laptop"), numbered: 5)
        let slow = cast.session(on: cast.device(of: 0, named: "slow"), numbered: 6)
        while slow.outbox.bytes < 3_900 { reply(slow) }
        gather(1, id: .number(1))
        gather(2, from: bob)
        delivery.settle()
        let frames = [tablet, laptop].map { $0.outbox.pop() }
        #expect(frames[0] != nil && frames[0] === frames[1])
        #expect(tablet.outbox.isEmpty && laptop.outbox.isEmpty)
        let messages = frames[0]?.messages().compactMap { JSONValue(parsing: $0.payload) } ?? []
        #expect(messages.map { $0["key"]?.string } == ["k1", nil])
        #expect(messages.map { $0["sequence"]?.integer } == [1, 2])
        #expect(take(alice) == ["ok 1", "message 2"])
        #expect(take(bob) == ["message 1"])
        #expect(take(carol) == ["message 1", "message 2"])
        // Alice's phone, Bob's and the slow one get less than all of it, or something else.
        #expect(slow.feed.state == .behind)
        #expect(counters.deliveries == 2 + 2 + 2 + 1 + 1)
    }

    @Test func gatheredEventsAreDeliveredBeforeAReply() {
        gather(1)
        gather(2)
        #expect(bob.outbox.count == 0)
        reply(bob)
        #expect(take(bob) == ["message 1", "message 2", "pong"])
        #expect(take(carol) == ["message 1", "message 2"])
    }

    @Test func gatheredEventsAreDeliveredBeforeASessionEnters() {
        gather(1)
        let late = cast.session(on: cast.device(of: 1, named: "tablet"), numbered: 4, after: delivery.settle())
        gather(2)
        delivery.settle()
        #expect(take(bob) == ["message 1", "message 2"])
        #expect(take(late) == ["message 2"])
    }

    @Test func gatheredEventsAreDeliveredBeforeASessionIsClosed() {
        gather(1)
        delivery.shut(bob, .normal)
        gather(2)
        delivery.settle()
        #expect(take(bob) == ["message 1"])
        #expect(take(carol) == ["message 1", "message 2"])
    }

    @Test func theOriginIsAnsweredInThePlaceOfItsEvent() {
        gather(1, from: bob)
        gather(2, id: .number(9))
        gather(3, from: bob)
        delivery.settle()
        #expect(take(alice) == ["message 1", "ok 2", "message 3"])
        #expect(take(bob) == ["message 2"])
        #expect(take(carol) == ["message 1", "message 2", "message 3"])
    }

    @Test func aSignalIsAnsweredInItsPlace() {
        signal(1, from: bob)
        signal(2, id: .number(9))
        signal(3, from: bob)
        delivery.settle()
        #expect(take(alice) == ["signal 1", "ok", "signal 3"])
        #expect(take(bob) == ["signal 2"])
    }

    @Test func signalsAndEventsDontOvertakeEachOther() {
        signal(1)
        gather(2)
        signal(3)
        delivery.settle()
        #expect(take(carol) == ["signal 1", "message 2", "signal 3"])
    }

    @Test func onlySessionsWithoutRoomFallBehind() {
        let body = String(repeating: "x", count: 900)
        for number in 1...3 { gather(Int64(number), body: body) }
        delivery.settle()
        _ = take(carol)
        for number in 4...5 { gather(Int64(number), body: body) }
        delivery.settle()
        #expect(bob.feed.state == .behind)
        #expect(bob.wantsDrained)
        #expect(bob.outbox.bytes <= 4_000)
        #expect(carol.feed.state == .live)
        #expect(counters.behind.spills == 1)
    }

    @Test func aSlowSessionLosesSignalsOnly() {
        let body = String(repeating: "x", count: 1_500)
        gather(1, body: body)
        delivery.visit(.all) { _ in }
        signal(1)
        delivery.settle()
        #expect(take(bob) == ["message 1"])
        #expect(counters.signalsDropped == 2)
    }

    @Test func aSessionThatDoesNotReadItsRepliesIsShutAndListedOnce() {
        builder.begin("ok")
        builder.member("pad", String(repeating: "x", count: 900))
        let frame = builder.finish()
        for _ in 0..<12 { delivery.reply(frame, to: bob) }
        #expect(bob.closing == .tooSlow)
        #expect(bob.outbox.bytes <= 8_000)
        #expect(delivery.takeEnded() === bob)
        #expect(delivery.takeEnded() == nil)
        let waiting = bob.outbox.bytes
        reply(bob)
        #expect(bob.outbox.bytes == waiting)
    }

    @Test func ephemeralEventsAreHeldBackForBusySessions() {
        let body = String(repeating: "x", count: 1_500)
        gather(1, body: body)
        delivery.settle()
        builder.begin("typing")
        let frame = builder.finish()
        let key = Owed.typing(cast.group.number, UserNumber(1))
        delivery.deliver(frame, key, to: bob)
        delivery.deliver(frame, key, to: bob)
        #expect(take(bob) == ["message 1"])
        #expect(bob.wantsDrained)
        #expect(delivery.takeOwed(bob) == [key])
        delivery.deliver(frame, key, to: bob)
        #expect(take(bob) == ["typing"])
        #expect(delivery.takeOwed(bob).isEmpty)
    }

    @Test func aSessionWithTooManyHeldBackEventsIsShut() {
        let body = String(repeating: "x", count: 1_500)
        gather(1, body: body)
        delivery.settle()
        for number in 1...3 { delivery.owe(.presence(UserNumber(Int32(number))), to: bob) }
        #expect(bob.closing == nil)
        delivery.owe(.presence(UserNumber(4)), to: bob)
        #expect(bob.closing == .tooSlow)
    }

    @Test func theHostIsAskedToWriteWhenAnOutboxIsHalfFull() {
        let body = String(repeating: "x", count: 900)
        gather(1, body: body)
        delivery.settle()
        #expect(!delivery.wantsToWrite())
        gather(2, body: body)
        gather(3, body: body)
        delivery.settle()
        #expect(delivery.wantsToWrite())
        #expect(!delivery.wantsToWrite())
    }
}
