import RoostKit
import RoostStore
import RoostTestClient
import RoostWire

/// Alice and Bob, who are online and look at their conversation.
@MainActor
struct Pair {
    let relay: TestRelay
    let alice: Device
    let bob: Device
    let one: Roost
    let other: Roost
    let writing: ConversationTimeline
    let reading: ConversationTimeline

    init(
        on relay: TestRelay = TestRelay(), policy: RetryPolicy = .forever,
        adjust: @escaping @MainActor (inout RoostSettings) -> Void = { _ in }
    ) async throws {
        self.relay = relay
        (alice, bob) = (try Device("alice", on: relay), try Device("bob", on: relay))
        alice.policy = policy
        alice.adjust = adjust
        (one, other) = (try await alice.online(), try await bob.online())
        (writing, reading) = (try await one.timeline(with: "@bob"), try await other.timeline(with: "@alice"))
    }

    /// Alice has written to Bob, and both know the conversation.
    func greeted() async throws {
        try await writing.send("hello")
        await reading.until { $0.texts.last == "hello" }
        await writing.until { $0.states.last == .delivered(count: 1, others: 1) }
    }

    /// Alice's device has no network.
    func cutOff() {
        relay.setReachable(false)
        relay.cut("alice")
    }

    /// Alice's device has a network again.
    func back() async {
        relay.setReachable(true)
        await one.wake()
    }

    /// The conversation as the relay has stored it.
    var stored: [String?] {
        writing.conversation.map { relay.bodies(of: $0.id, seenBy: "alice") } ?? []
    }
}

extension TimelineSnapshot {
    /// The failure of the first message that was refused.
    var firstFailure: SendFailure? {
        for case .failed(let failure)? in states { return failure }
        return nil
    }

    /// The messages.
    var messages: [TimelineMessage] { items.compactMap(\.message) }
}
