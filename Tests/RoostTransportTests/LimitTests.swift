import Glibc
import RoostTransport
import Testing

@Suite struct LimitTests {
    @Test func aFullRelayAnswers503() throws {
        let server = try TestServer {
            $0.connectionsMax = 2
            $0.requestSocketsMax = 1
        }
        let first = try RawClient.open(port: server.port)
        let second = try RawClient.open(port: server.port)
        // A third connection is answered but not upgraded, so that health checks still work.
        let third = try RawClient(port: server.port)
        third.send("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try third.readResponse().head.status == "HTTP/1.1 200 OK")
        // A fourth connection is refused, whatever it asks for.
        let fourth = try RawClient(port: server.port)
        fourth.send(RawClient.upgrade())
        try expectRefusal(fourth, "503 Service Unavailable", "full")
        third.send(RawClient.upgrade())
        try expectRefusal(third, "503 Service Unavailable", "full")
        #expect(server.onLoop { $0.loop?.counters.refusedFull } == 1)
        #expect(server.onLoop { $0.loop?.connectionCount } == 2)
        second.sendText("still served")
        #expect(try second.readFrame().text == "still served")
        // A place that becomes free is used again.
        first.sendFrame(8, [0x03, 0xE8])
        #expect(server.journal.wait(for: .closed(1, isClean: true)))
        let next = try RawClient.open(port: server.port)
        next.sendText("in")
        #expect(try next.readFrame().text == "in")
    }

    @Test func anAddressWithEnoughConnectionsGets429() throws {
        let server = try TestServer { $0.connectionsPerAddressMax = 2 }
        let first = try RawClient.open(port: server.port)
        let idle = try RawClient(port: server.port)
        idle.send("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try idle.readResponse().head.status == "HTTP/1.1 200 OK")
        let third = try RawClient(port: server.port)
        third.send(RawClient.upgrade())
        try expectRefusal(third, "429 Too Many Requests", "too_many_connections")
        #expect(server.onLoop { $0.loop?.counters.refusedAddress } == 1)
        first.sendFrame(8, [0x03, 0xE8])
        #expect(server.journal.wait(for: .closed(1, isClean: true)))
        let next = try RawClient.open(port: server.port)
        next.sendText("in")
        #expect(try next.readFrame().text == "in")
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
            var limit = rlimit(rlim_cur: 256, rlim_max: 256)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(2) }
            var taken: [Int32] = []
            while let descriptor = Optional(dup(0)), descriptor >= 0 { taken.append(descriptor) }
            // One descriptor for the client's end. The server must use its spare one.
            close(taken.removeLast())
            let refused = try RawClient(port: server.port)
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
