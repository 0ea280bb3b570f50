import Dispatch
import RoostWire
import Testing

@testable import RoostTransport

/// A turn in which many connections come or go is cut, and who talks goes on between them.
@Suite struct TurnTests {
    /// Number of connections that had ended before each message.
    private func endsBeforeMessages(_ journal: Journal) -> [Int] {
        var ended = 0
        var before: [Int] = []
        for event in journal.all {
            switch event {
            case .closed: ended += 1
            case .received: before.append(ended)
            default: break
            }
        }
        return before
    }

    /// Holds the loop while `meanwhile` runs, so that all of it happens before the loop looks.
    private func hold(_ server: TestServer, _ meanwhile: () -> Void) {
        let isHeld = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)
        server.post { _ in
            isHeld.signal()
            goesOn.wait()
        }
        isHeld.wait()
        meanwhile()
        goesOn.signal()
    }

    // More than libev fetches at first (64), and than it fetches then (128): else it hands out the newest first.
    private static let crowd = 300

    @Test func sendingConnectionsGoOnWhileOthersHangUp() throws {
        let server = try TestServer {
            $0.changesPerTurn = 8
            $0.talkersPerCut = 2
        }
        var leaving = try (0..<Self.crowd / 2).map { _ in try RawClient.open(port: server.port) }
        let talking = try (0..<5).map { _ in try RawClient.open(port: server.port) }
        leaving += try (0..<Self.crowd / 2).map { _ in try RawClient.open(port: server.port) }
        hold(server) {
            leaving.removeAll()
            for (number, one) in talking.enumerated() { one.sendText("\(number)") }
        }
        #expect(server.journal.wait { $0.filter { if case .closed = $0 { true } else { false } }.count == Self.crowd })
        // Two for each eight who went; and they were answered where the turn was cut.
        #expect(endsBeforeMessages(server.journal) == [8, 8, 16, 16, 24])
        for (number, one) in talking.enumerated() { #expect(try one.readFrame().text == "\(number)") }
        #expect(server.onLoop { $0.loop?.connectionCount } == 5)
        // libev fetches them in three parts, and the count begins anew with each.
        #expect((server.onLoop { $0.loop?.counters.turnsCut } ?? 0) ?? 0 >= (Self.crowd - 3 * 7) / 8)
    }

    /// A client that said goodbye or has not been welcomed isn't preferred.
    @Test func onlyGuestsWhoStayArePreferred() throws {
        let server = try TestServer { $0.changesPerTurn = 8 }
        var leaving = try (0..<Self.crowd).map { _ in try RawClient.open(port: server.port) }
        var farewell: RawClient? = try RawClient.open(port: server.port)
        _ = server.onLoop { $0.standing = .stranger }
        let stranger = try RawClient.open(port: server.port)
        hold(server) {
            leaving.removeAll()
            farewell?.sendText("goodbye")
            farewell = nil
            stranger.sendText("hello")
        }
        #expect(server.journal.wait { $0.contains(.received("hello")) && $0.contains(.received("goodbye")) })
        #expect(endsBeforeMessages(server.journal).allSatisfy { $0 >= 192 })
    }

    /// Sockets that we close ourselves are as dear, so a turn has only so many of them.
    @Test func closesAreSpreadOverTurns() throws {
        let server = try TestServer {
            $0.changesPerTurn = 8
            $0.leaversMax = 0
        }
        _ = server.onLoop { $0.standing = .stranger }
        let clients = try (0..<30).map { _ in try RawClient.open(port: server.port) }
        let turn = server.onLoop { script in
            for session in script.sessions.values { session.connection.close(.helloTimeout) }
            return script.turn
        }
        for one in clients {
            #expect(try one.readFrame().closeCode == 4003)
            #expect(try one.isAtEnd())
        }
        let turns = try #require(server.onLoop { $0.turnsOfEnds })
        #expect(turns.count == 30)
        let perTurn = Dictionary(grouping: turns) { $0 }.mapValues(\.count)
        #expect(perTurn.values.max() == 8)
        #expect(turns.first.map { $0 > turn ?? .max } == true)
    }
}
