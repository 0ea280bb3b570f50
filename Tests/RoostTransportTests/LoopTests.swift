import Foundation
import RoostTransport
import Testing

@Suite struct LoopTests {
    let server: TestServer

    init() throws { server = try TestServer() }

    @Test func deliversLettersOfEachThreadInOrder() throws {
        let server = server
        let threads = 4
        let letters = 500
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for number in 0..<letters {
                server.post { $0.journal.add(.note("\(thread) \(number)")) }
            }
        }
        #expect(server.journal.wait { $0.count == threads * letters })
        for thread in 0..<threads {
            let mine = server.journal.all.filter {
                if case .note(let text) = $0 { text.hasPrefix("\(thread) ") } else { false }
            }
            #expect(mine == (0..<letters).map { .note("\(thread) \($0)") })
        }
    }

    @Test func aTimerMovesEarlier() {
        server.post { script in
            script.loop?.setTimer(afterMilliseconds: 600_000)
            script.loop?.setTimer(afterMilliseconds: 20)
        }
        #expect(server.journal.wait { $0.contains { if case .timer = $0 { true } else { false } } })
    }

    @Test func aTimerMovesLaterAndFiresOnce() {
        let start = server.onLoop { script -> Int64 in
            script.loop?.setTimer(afterMilliseconds: 1)
            script.loop?.setTimer(afterMilliseconds: 150)
            return script.loop?.monotonicMilliseconds ?? 0
        }
        #expect(server.journal.wait { $0.contains { if case .timer = $0 { true } else { false } } })
        guard case .timer(let fired)? = server.journal.all.last, let start else { return #expect(Bool(false)) }
        #expect(fired - start >= 150)
        #expect(server.journal.all.count == 1)
    }

    @Test func aTimerFiresWhileConnectionsAreBusy() throws {
        let client = try RawClient.open(port: server.port)
        server.post { $0.loop?.setTimer(afterMilliseconds: 600_000) }
        client.sendText("a")
        #expect(try client.readFrame().text == "a")
        server.post { $0.loop?.setTimer(afterMilliseconds: 10) }
        #expect(server.journal.wait { $0.contains { if case .timer = $0 { true } else { false } } })
    }

    @Test func stopsAcceptingButKeepsConnections() throws {
        let client = try RawClient.open(port: server.port)
        _ = server.onLoop { $0.loop?.stopAccepting() }
        #expect(throws: Timeout.self) { _ = try RawClient(port: server.port) }
        client.sendText("still here")
        #expect(try client.readFrame().text == "still here")
    }

    @Test func loopsCanRunOneAfterAnother() throws {
        for _ in 0..<5 {
            let next = try TestServer()
            let client = try RawClient.open(port: next.port)
            client.sendText("hello")
            #expect(try client.readFrame().text == "hello")
        }
    }
}
