import Testing

@testable import RoostLoad

@Suite struct UpgradeAnswerTests {
    static func read(_ text: String, subprotocol: String? = "roost.v1") -> UpgradeAnswer.Reading {
        Array(text.utf8).withUnsafeBytes { UpgradeAnswer.read($0, subprotocol: subprotocol) }
    }

    @Test func acceptsTheAnswerAndLeavesTheBytesAfterIt() {
        let answer = SocketPeer.accepting
        #expect(Self.read(answer) == .accepted(count: answer.utf8.count))
        #expect(Self.read(answer + "frames") == .accepted(count: answer.utf8.count))
    }

    @Test func waitsForTheEmptyLine() {
        let answer = SocketPeer.accepting
        for count in 0..<answer.utf8.count {
            #expect(Self.read(String(decoding: answer.utf8.prefix(count), as: UTF8.self)) == .incomplete)
        }
    }

    @Test func readsHeadersInAnyCaseAndOrder() {
        let answer =
            "HTTP/1.1 101 ok\r\nsec-websocket-protocol:roost.v1  \r\nSEC-WEBSOCKET-ACCEPT: x\r\nX-Other: a:b\r\n"
            + "connection: keep-alive, upgrade\r\nUPGRADE: WebSocket\r\n\r\n"
        #expect(Self.read(answer) == .accepted(count: answer.utf8.count))
    }

    @Test(arguments: [400, 401, 404, 426, 500, 503, 200, 302])
    func reportsTheStatus(_ status: Int) {
        #expect(Self.read("HTTP/1.1 \(status) Reason\r\nContent-Length: 0\r\n\r\n") == .refused(status: status))
        #expect(Self.read("HTTP/1.1 \(status)\r\n\r\n") == .refused(status: status))
    }

    @Test(arguments: [
        "SSH-2.0-x\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 99\r\n\r\n", "\r\n\r\n", "HTTP/2 101\r\n\r\n",
    ])
    func refusesWhatIsNotHTTP(_ text: String) {
        #expect(Self.read(text) == .bad("the answer is not HTTP"))
    }

    @Test(arguments: [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    ])
    func wantsEachHeader(_ header: String) {
        let without = SocketPeer.accepting.split(separator: "\r\n", omittingEmptySubsequences: false)
            .filter { $0 != header }.joined(separator: "\r\n")
        #expect(without.utf8.count < SocketPeer.accepting.utf8.count)
        #expect(Self.read(without) == .bad("101, but not an upgrade to a WebSocket"))
    }

    @Test func requiresTheOfferedSubprotocol() {
        #expect(Self.read(SocketPeer.accepting, subprotocol: "roost.v2") == .bad("the subprotocol is roost.v1"))
        #expect(Self.read(SocketPeer.accepting, subprotocol: nil) == .bad("the subprotocol is roost.v1"))
        let without = SocketPeer.accepting.split(separator: "\r\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("Sec-WebSocket-Protocol") }.joined(separator: "\r\n")
        #expect(Self.read(without) == .bad("the subprotocol is missing"))
        #expect(Self.read(without, subprotocol: nil) == .accepted(count: without.utf8.count))
    }

    @Test func refusesAnExtension() {
        let answer = String(SocketPeer.accepting.dropLast(1)) + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
        #expect(Self.read(answer) == .bad("an extension that nobody offered"))
    }

    @Test func boundsTheAnswer() {
        let endless = "HTTP/1.1 101 ok\r\nX: " + String(repeating: "x", count: HarnessLimits.handshakeBytesMax)
        #expect(Self.read(endless) == .bad("the answer to the upgrade is too long"))
        let still = endless.utf8.prefix(HarnessLimits.handshakeBytesMax - 1)
        #expect(Self.read(String(decoding: still, as: UTF8.self)) == .incomplete)
    }
}
