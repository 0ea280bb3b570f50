import Foundation
import RoostClient
import RoostClientLibwebsockets
import RoostClientURLSession
import Testing

/// The promises of `SocketConnector` and `ClientSocket`, for each connector there is.
@Suite(.timeLimit(.minutes(1))) struct ConnectorContract {
    /// A connector under test.
    enum Kind: String, CaseIterable, Sendable {
        case libwebsockets
        case urlSession

        var connector: any SocketConnector {
            switch self {
            case .libwebsockets: LibwebsocketsConnector()
            case .urlSession: URLSessionConnector()
            }
        }

        /// Those that can speak WebSocket on this system.
        static let working: [Kind] = {
            #if canImport(FoundationNetworking)
                [.libwebsockets]  // `URLSession` can't on Linux: `saysThatItCannot` shows it.
            #else
                Kind.allCases
            #endif
        }()
    }

    let server: ContractServer

    init() throws { server = try ContractServer() }

    private func open(
        _ kind: Kind, _ url: String? = nil
    ) throws -> (socket: any ClientSocket, events: AsyncStream<SocketEvent>.Iterator) {
        let (stream, continuation) = AsyncStream.makeStream(of: SocketEvent.self)
        let socket = try kind.connector.connect(to: url ?? server.url) { continuation.yield($0) }
        return (socket, stream.makeAsyncIterator())
    }

    @Test(arguments: Kind.working, [0, 1, 125, 126, 65_535, 65_536, 131_072])
    func bringsEverySizeBack(_ kind: Kind, _ size: Int) async throws {
        var (socket, events) = try open(kind)
        #expect(await events.next() == .opened)
        let text = [UInt8](repeating: 0x71, count: size)
        #expect(socket.send(text))
        #expect(await events.next() == .text(text))
        socket.close(code: 1000, reason: "")
    }

    @Test(arguments: Kind.working) func keepsABurstInOrder(_ kind: Kind) async throws {
        var (socket, events) = try open(kind)
        #expect(await events.next() == .opened)
        for number in 0..<500 { #expect(socket.send(Array("\(number) é".utf8))) }
        for number in 0..<500 { #expect(await events.next() == .text(Array("\(number) é".utf8))) }
        socket.close(code: 1000, reason: "")
    }

    @Test(arguments: Kind.working) func tellsWhyTheServerClosed(_ kind: Kind) async throws {
        var (socket, events) = try open(kind)
        #expect(await events.next() == .opened)
        #expect(socket.send(Array("close".utf8)))
        guard case .closed(let code, _) = await events.next() else {
            Issue.record("no end")
            return
        }
        #expect(code == 4001)
        // It has ended: nothing is taken any more, and a close is harmless.
        #expect(!socket.send([0x61]))
        socket.close(code: 1000, reason: "")
    }

    @Test(arguments: Kind.working) func sendsWhatIsQueuedBeforeItCloses(_ kind: Kind) async throws {
        var (socket, events) = try open(kind)
        #expect(await events.next() == .opened)
        for number in 0..<100 { #expect(socket.send(Array("\(number)".utf8))) }
        socket.close(code: 1000, reason: "done")
        socket.close(code: 1001, reason: "again")
        #expect(!socket.send([0x61]))
        var last: SocketEvent?
        while let event = await events.next() {
            last = event
            if case .closed = event { break }
        }
        #expect(last.map { if case .closed(1000, _) = $0 { true } else { false } } == true)
        #expect(server.texts == 100)
    }

    @Test(arguments: Kind.working) func tellsTheStatusOfARefusal(_ kind: Kind) async throws {
        var (socket, events) = try open(kind, "ws://127.0.0.1:\(server.port)/elsewhere")
        #expect(await events.next() == .failed(reason: "HTTP status 404", isRefused: true))
        #expect(!socket.send([0x61]))
    }

    @Test(arguments: Kind.allCases) func failsWhereNobodyListens(_ kind: Kind) async throws {
        // No process has port 1 of this address.
        var (socket, events) = try open(kind, "ws://127.0.0.254:1/v1/socket")
        guard case .failed(let reason, _) = await events.next() else {
            Issue.record("it didn't fail")
            return
        }
        #expect(!reason.isEmpty)
        #expect(!socket.send([0x61]))
    }

    @Test(
        arguments: Kind.allCases, ["", "relay", "http://relay/v1/socket", "ws://", "wss:///v1/socket", "ws://a b/"]
    )
    func refusesWhatIsNoAddress(_ kind: Kind, _ url: String) {
        #expect(throws: SocketFailure.self) { _ = try kind.connector.connect(to: url) { _ in } }
    }

    #if canImport(FoundationNetworking)
        /// When this fails, `URLSession` has learned it: then `working` may name it.
        @Test func saysThatItCannot() async throws {
            var (_, events) = try open(.urlSession)
            #expect(await events.next() == .failed(reason: "WebSockets not supported by libcurl"))
        }
    #endif
}
