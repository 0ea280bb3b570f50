import Foundation
import RoostTransport
import Testing

@Suite struct HandshakeTests {
    let server: TestServer

    init() throws { server = try TestServer() }

    @Test func acceptsAndNamesTheSubprotocol() throws {
        let client = try RawClient(port: server.port)
        client.send(
            RawClient.upgrade(
                "GET /v1/socket?a=1 HTTP/1.1",
                [
                    "Sec-WebSocket-Protocol": "other, roost.v1", "Connection": "keep-alive, Upgrade",
                    "Origin": "https://example.org", "Authorization": "Bearer x", "User-Agent": "tester",
                ]
            )
        )
        let head = try client.readHead()
        #expect(head.status == "HTTP/1.1 101 Switching Protocols")
        // The value of RFC 6455, section 1.3, for its sample nonce.
        #expect(head.headers["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(head.headers["Sec-WebSocket-Protocol"] == "roost.v1")
        #expect(head.headers["Sec-WebSocket-Extensions"] == nil)
        #expect(
            server.journal.wait(
                for: .admit(origin: "https://example.org", authorization: "Bearer x", userAgent: "tester")
            )
        )
        #expect(server.journal.wait(for: .opened(1)))
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var line = "GET /v1/socket HTTP/1.1"
        var changes: [String: String?] = [:]
        var status: String
        var code: String
    }

    static let malformed = "malformed_upgrade"
    static let cases: [Case] = [
        Case(
            testDescription: "unknown path",
            line: "GET /v2/socket HTTP/1.1",
            status: "404 Not Found",
            code: "not_found"
        ),
        Case(testDescription: "POST", line: "POST /v1/socket HTTP/1.1", status: "400 Bad Request", code: malformed),
        Case(testDescription: "HTTP/1.0", line: "GET /v1/socket HTTP/1.0", status: "400 Bad Request", code: malformed),
        Case(
            testDescription: "version 8",
            changes: ["Sec-WebSocket-Version": "8"],
            status: "426 Upgrade Required",
            code: "upgrade_required"
        ),
        Case(
            testDescription: "no version",
            changes: ["Sec-WebSocket-Version": nil],
            status: "426 Upgrade Required",
            code: "upgrade_required"
        ),
        Case(
            testDescription: "no subprotocol",
            changes: ["Sec-WebSocket-Protocol": nil],
            status: "400 Bad Request",
            code: "no_subprotocol"
        ),
        Case(
            testDescription: "unknown subprotocol",
            changes: ["Sec-WebSocket-Protocol": "roost.v2, chat"],
            status: "400 Bad Request",
            code: "no_subprotocol"
        ),
        Case(testDescription: "no host", changes: ["Host": nil], status: "400 Bad Request", code: "bad_request"),
        Case(
            testDescription: "no key",
            changes: ["Sec-WebSocket-Key": nil],
            status: "400 Bad Request",
            code: malformed
        ),
        Case(
            testDescription: "short key",
            changes: ["Sec-WebSocket-Key": "abcd"],
            status: "400 Bad Request",
            code: malformed
        ),
        Case(
            testDescription: "24 characters that aren't base64",
            changes: ["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZ!=="],
            status: "400 Bad Request",
            code: malformed
        ),
        Case(
            testDescription: "18 bytes in base64",
            changes: ["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZWFh"],
            status: "400 Bad Request",
            code: malformed
        ),
        Case(
            testDescription: "Connection: close",
            changes: ["Connection": "close"],
            status: "400 Bad Request",
            code: malformed
        ),
    ]

    @Test(arguments: cases)
    func refuses(_ refused: Case) throws {
        let client = try RawClient(port: server.port)
        client.send(RawClient.upgrade(refused.line, refused.changes))
        let response = try client.readResponse()
        #expect(response.head.status == "HTTP/1.1 \(refused.status)")
        #expect(response.head.headers["Content-Type"] == "application/json")
        let isUpgradeNamed = refused.code == "upgrade_required"
        #expect(response.head.headers["Connection"] == (isUpgradeNamed ? "close, Upgrade" : "close"))
        #expect(response.body.hasPrefix("{\"code\":\"\(refused.code)\",\"reason\":\""))
        if refused.code == "upgrade_required" { #expect(response.head.headers["Sec-WebSocket-Version"] == "13") }
        #expect(try client.isAtEnd())
        // A request that isn't HTTP isn't counted as an upgrade.
        let isUpgrade = refused.code != "bad_request"
        #expect(server.onLoop { $0.loop?.counters.refusedUpgrade } == (isUpgrade ? 1 : 0))
        #expect(server.onLoop { $0.loop?.connectionCount } == 0)
    }

    @Test(arguments: [401, 403, 503])
    func theHandlerRefuses(_ status: Int) throws {
        _ = server.onLoop {
            $0.refusal = .refusal(status, code: "some_code", reason: "a \"reason\"", retryAfterSeconds: 7)
        }
        let client = try RawClient(port: server.port)
        client.send(RawClient.upgrade())
        let response = try client.readResponse()
        let phrases = [401: "Unauthorized", 403: "Forbidden", 503: "Service Unavailable"]
        #expect(response.head.status == "HTTP/1.1 \(status) \(phrases[status] ?? "")")
        #expect(response.head.headers["Retry-After"] == "7")
        #expect(response.body == #"{"code":"some_code","reason":"a \"reason\""}"#)
        #expect(try client.isAtEnd())
        #expect(server.onLoop { $0.loop?.counters.refusedByHandler } == 1)
    }

    @Test func ignoresAnUpgradeToHTTP2() throws {
        let client = try RawClient(port: server.port)
        client.send(
            "GET /echo HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                + "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n"
        )
        let response = try client.readResponse()
        #expect(response.head.status == "HTTP/1.1 200 OK")
        #expect(response.head.headers["Connection"] == "close")
        #expect(try client.isAtEnd())
    }

    @Test(arguments: [
        "GET /v1%2fsocket HTTP/1.1", "GET //v1/socket HTTP/1.1", "GET /x/../v1/socket HTTP/1.1",
        "GET /v1/socket/ HTTP/1.1", "GET http://localhost/v1/socket HTTP/1.1",
    ])
    func comparesThePathAsItWasSent(_ line: String) throws {
        let client = try RawClient(port: server.port)
        client.send(RawClient.upgrade(line))
        let response = try client.readResponse()
        #expect(response.head.status == "HTTP/1.1 404 Not Found")
        #expect(response.body.hasPrefix("{\"code\":\"not_found\""))
        #expect(try client.isAtEnd())
    }

    @Test func takesFramesThatCameWithTheHandshake() throws {
        let client = try RawClient(port: server.port)
        client.send(Array(RawClient.upgrade().utf8) + RawClient.frame(1, Array("early".utf8)))
        #expect(try client.readHead().status == "HTTP/1.1 101 Switching Protocols")
        #expect(try client.readFrame().text == "early")
    }

    /// It has reset the connection before the server reads its handshake, so the response can't be sent.
    @Test func opensNothingForAPeerThatIsGone() throws {
        var client: RawClient? = try RawClient(port: server.port)
        client?.send("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = try client?.readResponse()
        let isGone = DispatchSemaphore(value: 0)
        let isHeld = DispatchSemaphore(value: 0)
        server.post { _ in
            isHeld.signal()
            isGone.wait()
        }
        isHeld.wait()
        client?.send(RawClient.upgrade())
        client?.resetAtEnd()
        client = nil
        isGone.signal()
        #expect(server.journal.wait(for: .admit(origin: nil, authorization: nil, userAgent: nil)))
        #expect(server.onLoop { $0.loop?.counters.opened } == 0)
        #expect(!server.journal.all.contains(.opened(1)))
    }

    @Test func readsAHandshakeInPieces() throws {
        let client = try RawClient(port: server.port)
        for byte in Array(RawClient.upgrade().utf8) + RawClient.frame(1, Array("late".utf8)) { client.send([byte]) }
        #expect(try client.readHead().status == "HTTP/1.1 101 Switching Protocols")
        #expect(try client.readFrame().text == "late")
    }

    @Test func cutsAConnectionThatSendsNothing() throws {
        let impatient = try TestServer { $0.headerTimeoutSeconds = 1 }
        let silent = try RawClient(port: impatient.port)
        let slow = try RawClient(port: impatient.port)
        slow.send("GET /v1/socket HTTP/1.1\r\nHost: h\r\n")
        #expect(try silent.isAtEnd())
        #expect(try slow.isAtEnd())
    }

    /// The library's libev plugin looks after new timers only when the loop is idle, which this one never is.
    @Test func cutsASilentConnectionOnABusyLoop() throws {
        let busy = try TestServer { $0.headerTimeoutSeconds = 1 }
        busy.post { $0.keepBusy() }
        let silent = try RawClient(port: busy.port)
        #expect(try silent.isAtEnd())
        _ = busy.onLoop { $0.isBusy = false }
    }
}
