import Glibc
import RoostTransport
import Testing

@Suite struct LimitTests {
    private func isAnswered(_ client: RawClient) throws -> Bool {
        client.send("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n")
        return try client.readResponse().head.status == "HTTP/1.1 200 OK"
    }

    @Test func aRelayFullOfGuestsAnswers503() throws {
        let server = try TestServer {
            $0.connectionsMax = 2
            $0.reserveMax = 2
            $0.reservedPaths = ["/echo"]
        }
        let first = try RawClient.open(port: server.port)
        let second = try RawClient.open(port: server.port)
        // Health checks still work, one request on each connection.
        let check = try RawClient(port: server.port)
        #expect(try isAnswered(check))
        #expect(try check.isAtEnd())
        let third = try RawClient(port: server.port)
        third.send(RawClient.upgrade())
        try expectRefusal(third, "503 Service Unavailable", "full")
        let page = try RawClient(port: server.port)
        page.send("GET /big HTTP/1.1\r\nHost: h\r\n\r\n")
        try expectRefusal(page, "503 Service Unavailable", "full")
        #expect(server.onLoop { $0.loop?.counters.refusedFull } == 2)
        #expect(server.onLoop { $0.loop?.connectionCount } == 2)
        second.sendText("still served")
        #expect(try second.readFrame().text == "still served")
        // A place that becomes free is used again.
        first.sendFrame(8, [0x03, 0xE8])
        #expect(server.journal.wait(for: .closed(1, .peer)))
        let next = try RawClient.open(port: server.port)
        next.sendText("in")
        #expect(try next.readFrame().text == "in")
    }

    /// A silent client in the reserve can't keep health checks out.
    @Test func theOldestOfAFullReserveGivesWay() throws {
        let server = try TestServer {
            $0.connectionsMax = 1
            $0.reserveMax = 2
            $0.reservedPaths = ["/echo"]
        }
        let guest = try RawClient.open(port: server.port)
        let silent = try (0..<5).map { _ in try RawClient(port: server.port) }
        let check = try RawClient(port: server.port)
        #expect(try isAnswered(check))
        for one in silent.prefix(4) { #expect(try one.isAtEnd()) }
        #expect(try isAnswered(silent[4]))
        #expect(server.onLoop { $0.loop?.counters.gaveWay } == 4)
        guest.sendText("still served")
        #expect(try guest.readFrame().text == "still served")
    }

    @Test func anAddressWithEnoughConnectionsGets429() throws {
        let server = try TestServer {
            $0.connectionsPerAddressMax = 2
            $0.reservedPaths = ["/echo"]
        }
        let first = try RawClient.open(port: server.port)
        let second = try RawClient.open(port: server.port)
        let third = try RawClient(port: server.port)
        third.send(RawClient.upgrade())
        try expectRefusal(third, "429 Too Many Requests", "too_many_connections")
        #expect(server.onLoop { $0.loop?.counters.refusedAddress } == 1)
        #expect(try isAnswered(RawClient(port: server.port)))
        // Other addresses aren't concerned.
        let other = try RawClient.open(port: server.port, from: "127.0.0.2")
        other.sendText("in")
        #expect(try other.readFrame().text == "in")
        first.sendFrame(8, [0x03, 0xE8])
        #expect(server.journal.wait(for: .closed(1, .peer)))
        let next = try RawClient.open(port: server.port)
        next.sendText("in")
        #expect(try next.readFrame().text == "in")
        second.sendText("still served")
        #expect(try second.readFrame().text == "still served")
    }

    @Test func anAddressWithEnoughRequestsGets429() throws {
        let server = try TestServer {
            $0.requestsPerSecond = 3
            $0.unmeteredPaths = ["/health"]
        }
        let client = try RawClient(port: server.port)
        // A second begins anew while these are sent at most once, so one of seven is refused.
        var refused: RawClient.Head?
        for _ in 0..<7 where refused == nil {
            client.send("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n")
            let response = try client.readResponse()
            if response.head.status != "HTTP/1.1 200 OK" { refused = response.head }
        }
        #expect(refused?.status == "HTTP/1.1 429 Too Many Requests")
        #expect(refused?.headers["Retry-After"] == "1")
        #expect(try client.isAtEnd())
        let count = server.onLoop { $0.loop?.counters.refusedRate } ?? 0
        #expect(count == 1)
        // Health pages and upgrades aren't counted.
        let other = try RawClient(port: server.port)
        for _ in 0..<10 {
            other.send("GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try other.readResponse().head.status == "HTTP/1.1 200 OK")
        }
        for _ in 0..<5 { _ = try RawClient.open(port: server.port) }
        #expect(server.onLoop { $0.loop?.counters.refusedRate } == 1)
    }

    private func expectRefusal(_ client: RawClient, _ status: String, _ code: String) throws {
        let response = try client.readResponse()
        #expect(response.head.status == "HTTP/1.1 \(status)")
        #expect(response.head.headers["Retry-After"] == "5")
        #expect(response.head.headers["Connection"] == "close")
        #expect(response.body.hasPrefix("{\"code\":\"\(code)\",\"reason\":\""))
        #expect(try client.isAtEnd())
    }

    /// Runs in its own process, because the limit on descriptors applies to the whole process.
    @Test func answersWithoutFreeDescriptors() async {
        await #expect(processExitsWith: .success) {
            let server = try TestServer()
            // Sockets of tests that run meanwhile may have come along and hold every lower number.
            let free = dup(0)
            var limit = rlimit(rlim_cur: rlim_t(free) + 64, rlim_max: rlim_t(free) + 64)
            guard free >= 0, close(free) == 0,
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
            else { exit(2) }
            var taken: [Int32] = []
            while let descriptor = Optional(dup(0)), descriptor >= 0 { taken.append(descriptor) }
            // One descriptor for the client's end. The server must use its spare one.
            close(taken.removeLast())
            // Another thread of the process may have it for a moment, as when the runtime looks how many cores there
            // are.
            var waiting: RawClient?
            for _ in 0..<10_000 where waiting == nil { waiting = try? RawClient(port: server.port) }
            guard let refused = waiting else { exit(7) }
            let response = try refused.readResponse()
            guard response.head.status == "HTTP/1.1 503 Service Unavailable" else { exit(3) }
            guard response.head.headers["Retry-After"] == "5", try refused.isAtEnd() else { exit(4) }
            guard server.onLoop({ $0.loop?.counters.refusedDescriptor }) == 1 else { exit(5) }
            for descriptor in taken { close(descriptor) }
            let client = try RawClient.open(port: server.port)
            client.sendText("in")
            exit(try client.readFrame().text == "in" ? 0 : 6)
        }
    }

    @Test func reportsAnAddressInUse() throws {
        let server = try TestServer()
        let port = server.port
        #expect(throws: TransportFailure.addressInUse(host: "127.0.0.1", port: port)) {
            _ = try TestServer { $0.port = port }
        }
        #expect(throws: TransportFailure.badAddress("nowhere")) { _ = try TestServer { $0.host = "nowhere" } }
        _ = server
    }
}
