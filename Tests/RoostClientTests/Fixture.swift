import RoostLock
import RoostTestClient
import RoostWire

@testable import RoostClient

/// A client whose network, clock and random numbers the test controls.
struct Fixture {
    let connector = FakeConnector()
    let clock = ManualClock()
    let client: ChatClient
    let tokens = Tokens()

    init(
        _ limits: ClientLimits = ClientLimits(), url: String = "ws://relay/v1/socket",
        generator: any RandomNumberGenerator & Sendable = Counting()
    ) {
        let tokens = tokens
        client = ChatClient(
            url: url, device: "phone", limits: limits, connector: connector, clock: clock, generator: generator
        ) { try tokens.next() }
    }

    /// Connects, answers with `welcome`, and takes the `connected` event.
    func connected(_ members: String = "") async -> FakeSocket {
        await client.connect()
        let socket = await connector.next()
        await socket.welcome(members)
        _ = await client.nextEvent()
        return socket
    }
}

final class Tokens: Sendable {
    private let state = Locked((count: 0, fails: false))

    var count: Int { state.withLock { $0.count } }

    func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

    func next() throws -> String {
        try state.withLock { state in
            state.count += 1
            if state.fails { throw RoostFailure.notConnected }
            return "token-\(state.count)"
        }
    }
}

func messageJSON(_ sequence: Int, from: String = "bob", device: String = "laptop", key: String? = nil) -> String {
    """
    {"type":"message","conversation":"c1","sequence":\(sequence),"position":"\(sequence + 100)","from":"\(from)",
    "device":"\(device)","key":"\(key ?? "k\(sequence)")","time":\(sequence * 10),"kind":"text","body":"hi \(sequence)"}
    """
}

extension RoostEvent {
    var sequence: Int64? { if case .message(let message) = self { message.sequence.value } else { nil } }

    var disconnection: Disconnection? {
        if case .disconnected(let disconnection) = self { disconnection } else { nil }
    }

    var isConnected: Bool { if case .connected = self { true } else { false } }
}
