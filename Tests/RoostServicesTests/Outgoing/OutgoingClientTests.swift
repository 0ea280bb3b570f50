import Hummingbird
import RoostConfiguration
import Synchronization
import Testing

@testable import RoostServices

/// A server on a port of its own, while `body` runs with its URL.
private func serving(
    _ routes: (Router<BasicRequestContext>) -> Void, _ body: @escaping @Sendable (String) async throws -> Void
) async throws {
    let router = Router()
    routes(router)
    let (ports, gate) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
        router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in gate.yield(channel.localAddress?.port ?? 0) })
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await application.run() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        try await body("http://127.0.0.1:\(port)")
        group.cancelAll()
    }
}

private func client(_ change: (inout OutgoingBounds) -> Void = { _ in }) throws -> OutgoingClient {
    var bounds = OutgoingBounds()
    bounds.firstWait = .milliseconds(1)
    bounds.longestWait = .milliseconds(2)
    change(&bounds)
    let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }
    return try OutgoingClient(OutgoingSettings(policy: AddressPolicy(allowed: loopback), bounds: bounds))
}

@Suite(.timeLimit(.minutes(1)))
struct OutgoingClientTests {
    @Test("Method, path, fields and body arrive, and status, fields and body come back")
    func exchanges() async throws {
        try await serving { router in
            router.post("echo") { request, _ in
                let body = try await request.body.collect(upTo: 1_000)
                let field = request.headers[.init("x-test")!] ?? ""
                let type = request.headers[.contentType] ?? "none"
                var response = Response(
                    status: .created, body: .init(byteBuffer: body))
                response.headers[.init("x-test")!] = "\(field) \(type) \(request.uri.query ?? "")"
                return response
            }
            router.delete("echo") { request, _ in "deleted" }
            router.get("moved") { _, _ in Response.redirect(to: "/echo") }
        } _: { url in
            let client = try client()
            let response = try await client.send(
                OutgoingRequest("POST", "\(url)/echo?a=b", headers: [("X-Test", "c")], body: Array("hello".utf8)))
            #expect(response.status == 201)
            #expect(response.body == Array("hello".utf8))
            #expect(response.header("x-test") == "c none a=b")
            let empty = try await client.send(OutgoingRequest("POST", "\(url)/echo"))
            #expect(empty.status == 201 && empty.body.isEmpty)
            #expect(try await client.send(OutgoingRequest("DELETE", "\(url)/echo")).body == Array("deleted".utf8))
            #expect(try await client.send(OutgoingRequest("GET", "\(url)/none")).status == 404)
            // Redirects aren't followed.
            #expect(try await client.send(OutgoingRequest("GET", "\(url)/moved")).header("location") == "/echo")
        }
    }

    @Test("A private address is refused, by number and by name, and isn't tried")
    func refusesPrivateAddresses() async throws {
        let requests = Mutex(0)
        try await serving { router in
            router.get("") { _, _ in
                requests.withLock { $0 += 1 }
                return "secret"
            }
        } _: { url in
            let client = try OutgoingClient()
            let port = url.split(separator: ":").last ?? ""
            for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "0.0.0.0"] {
                await #expect(throws: OutgoingFailure.refusedAddress, "\(host)") {
                    _ = try await client.send(OutgoingRequest("GET", "http://\(host):\(port)/"))
                }
            }
        }
        let count = requests.withLock { $0 }
        #expect(count == 0)
    }

    @Test("What fails is tried again if that does no harm, and the last answer is returned")
    func triesAgain() async throws {
        let requests = Mutex([String: Int]())
        @Sendable func count(_ name: String) -> Int {
            requests.withLock { counts in
                counts[name, default: 0] += 1
                return counts[name, default: 0]
            }
        }
        try await serving { router in
            router.get("third") { _, _ in Response(status: count("third") < 3 ? .serviceUnavailable : .ok) }
            router.get("never") { _, _ in
                _ = count("never")
                return Response(status: .badGateway)
            }
            router.post("post") { _, _ in
                _ = count("post")
                return Response(status: .badGateway)
            }
            router.post("limited") { _, _ in
                var response = Response(status: count("limited") < 2 ? .tooManyRequests : .ok)
                response.headers[.init("retry-after")!] = "0"
                return response
            }
            router.get("later") { _, _ in
                _ = count("later")
                var response = Response(status: .serviceUnavailable)
                response.headers[.init("retry-after")!] = "3600"
                return response
            }
        } _: { url in
            let client = try client { $0.failures = 100 }
            #expect(try await client.send(OutgoingRequest("GET", "\(url)/third")).status == 200)
            #expect(try await client.send(OutgoingRequest("GET", "\(url)/never")).status == 502)
            #expect(try await client.send(OutgoingRequest("POST", "\(url)/post")).status == 502)
            #expect(try await client.send(OutgoingRequest("POST", "\(url)/limited")).status == 200)
            #expect(try await client.send(OutgoingRequest("GET", "\(url)/later")).status == 503)
        }
        let count = requests.withLock { $0 }
        #expect(count == ["third": 3, "never": 4, "post": 1, "limited": 2, "later": 1])
    }

    @Test("A host that fails is left alone")
    func breaks() async throws {
        let requests = Mutex(0)
        try await serving { router in
            router.post("") { _, _ in
                requests.withLock { $0 += 1 }
                return Response(status: .internalServerError)
            }
        } _: { url in
            let client = try client()
            for _ in 0..<5 { _ = try await client.send(OutgoingRequest("POST", "\(url)/")) }
            await #expect(throws: OutgoingFailure.resting) {
                _ = try await client.send(OutgoingRequest("POST", "\(url)/"))
            }
        }
        let count = requests.withLock { $0 }
        #expect(count == 5)
    }

    @Test("A response is taken up to its bound")
    func boundsResponses() async throws {
        try await serving { router in
            router.get("size/:count") { _, context in
                String(repeating: "a", count: try context.parameters.require("count", as: Int.self))
            }
        } _: { url in
            let client = try client { $0.responseBytes = 1_000 }
            #expect(try await client.send(OutgoingRequest("GET", "\(url)/size/1000")).body.count == 1_000)
            await #expect(throws: OutgoingFailure.tooLarge) {
                _ = try await client.send(OutgoingRequest("GET", "\(url)/size/1001"))
            }
            let large = OutgoingRequest("GET", "\(url)/size/100000", responseBytes: 100_000)
            #expect(try await client.send(large).body.count == 100_000)
        }
    }

    @Test("Who is slow is given up, and cancelling ends at once, also what waits for its turn")
    func endsInTime() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        try await serving { router in
            router.get("slow") { _, _ in
                arrived.yield()
                try await Task.sleep(for: .seconds(60))
                return "late"
            }
        } _: { url in
            let hasty = try client { $0.whole = .milliseconds(200) }
            await #expect(throws: OutgoingFailure.timeout) {
                _ = try await hasty.send(OutgoingRequest("GET", "\(url)/slow", mayRepeat: false))
            }
            let patient = try client { $0.atOncePerHost = 1 }
            var iterator = arrivals.makeAsyncIterator()
            _ = await iterator.next()
            let tasks = (0..<3).map { _ in
                Task { try await patient.send(OutgoingRequest("GET", "\(url)/slow")) }
            }
            _ = await iterator.next()
            for task in tasks { task.cancel() }
            for task in tasks {
                await #expect(throws: OutgoingFailure.cancelled) { _ = try await task.value }
            }
        }
    }

    @Test("More than the queue takes is refused at once, and the end of the client ends the rest")
    func boundsQueue() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        try await serving { router in
            router.get("slow") { _, _ in
                arrived.yield()
                try await Task.sleep(for: .seconds(60))
                return "late"
            }
        } _: { url in
            let client = try client {
                $0.atOnce = 1
                $0.queue = 1
            }
            let first = Task { try await client.send(OutgoingRequest("GET", "\(url)/slow")) }
            var iterator = arrivals.makeAsyncIterator()
            _ = await iterator.next()
            let others = (0..<2).map { _ in Task { try await client.send(OutgoingRequest("GET", "\(url)/slow")) } }
            await withTaskGroup(of: OutgoingFailure?.self) { group in
                for other in others {
                    group.addTask {
                        do { _ = try await other.value } catch { return error as? OutgoingFailure }
                        return nil
                    }
                }
                // One of them finds no room; the other one has to be cancelled.
                #expect(await group.next() == .busy)
                for other in others { other.cancel() }
                #expect(await group.next() == .cancelled)
            }
            first.cancel()
            await #expect(throws: OutgoingFailure.cancelled) { _ = try await first.value }
        }
    }

    @Test("Nobody listens, or there is no such name")
    func unreachable() async throws {
        let client = try client { $0.tries = 1 }
        for url in ["http://127.0.0.1:1/", "http://name.invalid/"] {
            let failure = await #expect(throws: OutgoingFailure.self) {
                _ = try await client.send(OutgoingRequest("GET", url))
            }
            guard case .unreachable = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
        }
    }

    @Test(
        "A request that could be read as two isn't sent",
        arguments: [
            OutgoingRequest("GET", "http://127.0.0.1/", headers: [("a", "b\r\nc: d")]),
            OutgoingRequest("GET", "http://127.0.0.1/", headers: [("a: b\r\nc", "d")]),
            OutgoingRequest("GET", "http://127.0.0.1/", headers: [("", "d")]),
            OutgoingRequest("GET", "http://127.0.0.1/", headers: [("a", "b\0")]),
            OutgoingRequest("GET /\r\n", "http://127.0.0.1/"), OutgoingRequest("", "http://127.0.0.1/"),
            OutgoingRequest("GET", "http://127.0.0.1/\r\nHost: b"),
            OutgoingRequest("PUT", "http://127.0.0.1/", body: [UInt8](repeating: 0, count: 1_048_577)),
        ])
    func refuses(_ request: OutgoingRequest) async throws {
        let failure = await #expect(throws: OutgoingFailure.self) { _ = try await client().send(request) }
        guard case .unusable = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }
}
