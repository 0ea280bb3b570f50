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
            let query = ["/echo?a=1&b=x%20y": "a=1&b=x y", "/echo?c": "c"][path] ?? ""
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

    /// libwebsockets would poll without end for input that it doesn't read until the response has been sent.
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
        #expect(response.body.hasPrefix("{\"code\":\"upgrade_required\""))
        #expect(try client.isAtEnd())
    }

    @Test func theHandlerAnswersUnknownPaths() throws {
        client.send("GET /nowhere HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try client.readResponse().head.status == "HTTP/1.1 404 Not Found")
    }
}
