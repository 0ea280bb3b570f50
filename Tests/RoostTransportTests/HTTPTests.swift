import Foundation
import RoostTransport
import Testing

@Suite struct HTTPTests {
    let server: TestServer
    let client: RawClient

    init() throws {
        server = try TestServer()
        client = try RawClient(port: server.port)
    }

    @Test func keepsTheConnectionForTheNextRequest() throws {
        for path in ["/echo?a=1&b=x%20y", "/echo", "/echo?c"] {
            client.send("GET \(path) HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer t\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.head.status == "HTTP/1.1 200 OK")
            #expect(response.head.headers["Connection"] == "keep-alive")
            #expect(response.head.headers["Content-Type"] == "text/plain")
            let query = ["/echo?a=1&b=x%20y": "a=1&b=x%20y", "/echo?c": "c"][path] ?? ""
            #expect(response.body == "GET /echo \(query) Bearer t 127.0.0.1")
        }
        #expect(server.onLoop { $0.loop?.counters.accepted } == 1)
        #expect(server.onLoop { $0.loop?.counters.requests } == 3)
    }

    @Test func answersPipelinedRequestsInOrder() throws {
        client.send(
            "GET /echo?n=1 HTTP/1.1\r\nHost: h\r\n\r\nGET /big HTTP/1.1\r\nHost: h\r\n\r\n"
                + "GET /echo?n=2 HTTP/1.1\r\nHost: h\r\n\r\n"
        )
        #expect(try client.readResponse().body.contains("n=1"))
        #expect(try client.readResponse().body.count == 3_000_000)
        #expect(try client.readResponse().body.contains("n=2"))
    }

    /// They come in one packet. All of them in one turn would keep the other connections waiting.
    @Test func answersOneRequestInATurn() throws {
        client.send(String(repeating: "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", count: 50))
        for _ in 0..<50 { #expect(try client.readResponse().head.status == "HTTP/1.1 200 OK") }
        let turns = server.onLoop { $0.turnsOfRequests } ?? []
        #expect(turns.count == 50)
        #expect(Set(turns).count == 50)
    }

    /// They are more bytes than one head may have, and arrive faster than they are answered.
    @Test func answersManyRequestsOfAPeerThatReads() throws {
        let requests = (0..<1_000).map { "GET /echo?n=\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }
        client.send(requests.joined())
        for n in 0..<1_000 { #expect(try client.readResponse().body.contains("n=\(n) ")) }
        #expect(server.onLoop { $0.loop?.counters.cutUnread } == 0)
    }

    @Test func upgradesBehindOtherRequests() throws {
        let requests = String(repeating: "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", count: 3) + RawClient.upgrade()
        client.send(Array(requests.utf8) + RawClient.frame(1, Array("early".utf8)))
        for _ in 0..<3 { #expect(try client.readResponse().head.status == "HTTP/1.1 200 OK") }
        #expect(try client.readHead().status == "HTTP/1.1 101 Switching Protocols")
        #expect(try client.readFrame().text == "early")
        client.sendText("late")
        #expect(try client.readFrame().text == "late")
    }

    @Test func closesBehindOtherRequests() throws {
        client.send("GET /echo HTTP/1.1\r\nHost: h\r\n\r\nGET /echo HTTP/1.0\r\n\r\nGET /echo HTTP/1.0\r\n\r\n")
        for _ in 0..<2 { #expect(try client.readResponse().head.status == "HTTP/1.1 200 OK") }
        #expect(try client.isAtEnd())
    }

    @Test(arguments: ["/big", "/echo"])
    func cutsAPeerThatSendsRequestsWithoutReading(_ path: String) throws {
        // Enough requests for the responses to fill every buffer on the way. They are put together before the server
        // begins to wait for them.
        let request = Array("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        let requests = Array(repeatElement(request, count: 100_000).joined())
        let greedy = try RawClient(port: server.port, receiveBuffer: 4_096)
        greedy.send(requests)
        let limit = Date(timeIntervalSinceNow: 30)
        while server.onLoop({ $0.loop?.counters.cutUnread }) == 0, Date() < limit {}
        #expect(server.onLoop { $0.loop?.counters.cutUnread } == 1)
        while try !greedy.isAtEnd() { _ = greedy.readAvailable() }
    }

    @Test func closesWhenThePeerAsksForIt() throws {
        client.send("GET /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        #expect(try client.readResponse().head.headers["Connection"] == "close")
        #expect(try client.isAtEnd())
    }

    @Test func closesAfterHTTP10() throws {
        client.send("GET /big HTTP/1.0\r\n\r\n")
        let response = try client.readResponse()
        #expect(response.head.headers["Connection"] == "close")
        #expect(response.body.count == 3_000_000)
        #expect(try client.isAtEnd())
    }

    @Test func answersHeadWithoutABody() throws {
        client.send("HEAD /big HTTP/1.1\r\nHost: h\r\n\r\nGET /echo HTTP/1.1\r\nHost: h\r\n\r\n")
        let head = try client.readHead()
        #expect(head.status == "HTTP/1.1 200 OK")
        #expect(head.headers["Content-Length"] == "3000000")
        #expect(try client.readResponse().body.hasPrefix("GET /echo"))
    }

    @Test(arguments: [
        "HEAD /nowhere HTTP/1.1\r\nHost: h\r\n\r\n", "HEAD /v1/socket HTTP/1.1\r\nHost: h\r\n\r\n",
        "HEAD /echo HTTP/1.1\r\n\r\n", "HEAD /echo HTTP/2.0\r\n\r\n",
        RawClient.upgrade("HEAD /v1/socket HTTP/1.1"), "\r\n" + RawClient.upgrade("HEAD /nowhere HTTP/1.1"),
    ])
    func refusesHeadWithoutABody(_ request: String) throws {
        client.send(request)
        let head = try client.readHead()
        #expect(head.status.hasPrefix("HTTP/1.1 4") || head.status.hasPrefix("HTTP/1.1 5"))
        #expect(head.headers["Content-Length"] != "0")
        #expect(try client.isAtEnd())
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
    func allowsNoOtherMethod(_ method: String) throws {
        client.send("\(method) /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
        let response = try client.readResponse()
        #expect(response.head.status == "HTTP/1.1 405 Method Not Allowed")
        #expect(response.head.headers["Allow"] == "GET, HEAD")
        #expect(response.body.hasPrefix("{\"code\":\"method_not_allowed\""))
        #expect(try client.isAtEnd())
    }

    @Test(arguments: ["Content-Length: 5", "Content-Length: -5", "Transfer-Encoding: chunked"])
    func closesAfterARequestWithABody(_ header: String) throws {
        client.send("GET /echo HTTP/1.1\r\nHost: h\r\n\(header)\r\n\r\n")
        #expect(try client.readResponse().head.headers["Connection"] == "close")
        #expect(try client.isAtEnd())
    }

    @Test func theSocketPathRequiresAnUpgrade() throws {
        client.send("GET /v1/socket HTTP/1.1\r\nHost: h\r\n\r\n")
        let response = try client.readResponse()
        #expect(response.head.status == "HTTP/1.1 426 Upgrade Required")
        #expect(response.head.headers["Sec-WebSocket-Version"] == "13")
        #expect(response.head.headers["Connection"] == "close, Upgrade")
        #expect(response.body.hasPrefix("{\"code\":\"upgrade_required\""))
        #expect(try client.isAtEnd())
    }

    struct Refused: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var request: String
        var status: String
        var code: String
    }

    static let bad = "400 Bad Request"
    static let refused: [Refused] = [
        Refused(testDescription: "no Host", request: "GET /echo HTTP/1.1\r\n\r\n", status: bad, code: "bad_request"),
        Refused(
            testDescription: "two Hosts", request: "GET /echo HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", status: bad,
            code: "bad_request"),
        Refused(
            testDescription: "a Host that is none", request: "GET /echo HTTP/1.1\r\nHost: a/b\r\n\r\n", status: bad,
            code: "bad_request"),
        Refused(testDescription: "TLS", request: "\u{16}\u{3}\u{1} hello", status: bad, code: "bad_request"),
        Refused(testDescription: "no HTTP", request: "hello, are you there?\r\n", status: bad, code: "bad_request"),
        Refused(
            testDescription: "bare line feeds", request: "GET /echo HTTP/1.1\nHost: a\n\n", status: bad,
            code: "bad_request"),
        Refused(
            testDescription: "a folded header", request: "GET /echo HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
            status: bad, code: "bad_request"),
        Refused(
            testDescription: "a space before the colon", request: "GET /echo HTTP/1.1\r\nHost : a\r\n\r\n", status: bad,
            code: "bad_request"),
        Refused(
            testDescription: "HTTP/2", request: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            status: "505 HTTP Version Not Supported", code: "http_version"),
        Refused(
            testDescription: "CONNECT", request: "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n",
            status: "405 Method Not Allowed", code: "method_not_allowed"),
        Refused(
            testDescription: "an unknown method", request: "FETCH /echo HTTP/1.1\r\nHost: a\r\n\r\n",
            status: "405 Method Not Allowed", code: "method_not_allowed"),
        Refused(
            testDescription: "a long path",
            request: "GET /\(String(repeating: "x", count: 5_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
            status: "414 URI Too Long", code: "uri_too_long"),
        Refused(
            testDescription: "a long header",
            request: "GET /echo HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n",
            status: "431 Request Header Fields Too Large", code: "headers_too_large"),
        Refused(
            testDescription: "many headers",
            request: "GET /echo HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 500))\r\n",
            status: "431 Request Header Fields Too Large", code: "headers_too_large"),
        Refused(
            testDescription: "empty lines only", request: String(repeating: "\r\n", count: 10_000), status: bad,
            code: "bad_request"),
        Refused(
            testDescription: "an escaped path", request: "GET /ech%6f HTTP/1.1\r\nHost: a\r\n\r\n",
            status: "404 Not Found", code: "not_found"),
        Refused(
            testDescription: "two slashes", request: "GET //echo HTTP/1.1\r\nHost: a\r\n\r\n",
            status: "404 Not Found", code: "not_found"),
        Refused(
            testDescription: "a way around", request: "GET /x/../echo HTTP/1.1\r\nHost: a\r\n\r\n",
            status: "404 Not Found", code: "not_found"),
        Refused(
            testDescription: "a wrong escape", request: "GET /echo%zz HTTP/1.1\r\nHost: a\r\n\r\n",
            status: "404 Not Found", code: "not_found"),
    ]

    /// The same on a connection that was kept, and beside another one that must not notice.
    @Test(arguments: refused, [false, true])
    func refuses(_ refused: Refused, _ isKept: Bool) throws {
        let other = try RawClient.open(port: server.port)
        if isKept {
            client.send("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try client.readResponse()
        }
        client.send(refused.request)
        let response = try client.readResponse()
        #expect(response.head.status == "HTTP/1.1 \(refused.status)")
        #expect(response.head.headers["Content-Type"] == "application/json")
        #expect(response.head.headers["Connection"] == "close")
        #expect(response.body.hasPrefix("{\"code\":\"\(refused.code)\",\"reason\":\""))
        #expect(try client.isAtEnd())
        other.sendText("still here")
        #expect(try other.readFrame().text == "still here")
    }

    @Test func ignoresAnUnknownUpgrade() throws {
        client.send("GET /echo HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n")
        let response = try client.readResponse()
        #expect(response.head.status == "HTTP/1.1 200 OK")
        #expect(response.head.headers["Connection"] == "close")
    }

    @Test func ignoresEmptyLinesBeforeARequest() throws {
        client.send("\r\n\r\nGET /echo HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try client.readResponse().head.status == "HTTP/1.1 200 OK")
    }

    @Test func theHandlerAnswersUnknownPaths() throws {
        client.send("GET /nowhere HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try client.readResponse().head.status == "HTTP/1.1 404 Not Found")
    }
}
