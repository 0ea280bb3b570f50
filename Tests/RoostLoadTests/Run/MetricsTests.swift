import Foundation
import Synchronization
import Testing

@testable import RoostLoad

@Suite struct MetricsTextTests {
    private let page = """
        # HELP roost_messages_total Messages stored.
        # TYPE roost_messages_total counter
        roost_messages_total 17
        # TYPE roost_errors_total counter
        roost_errors_total{code="busy"} 2
        roost_errors_total{code="a \\"b\\" } c"} 3 1700000000000
        # TYPE roost_connections gauge
        roost_connections 5
        # TYPE roost_commit_seconds histogram
        roost_commit_seconds_bucket{le="0.01"} 9
        roost_commit_seconds_bucket{le="+Inf"} 10
        roost_commit_seconds_sum 1.5
        roost_commit_seconds_count 10
        odd NaN
        big +Inf
        nonsense
         leading 1
        half{a="b 1

        """

    @Test func readsNamesWithTheirLabels() {
        let text = MetricsText(page)
        #expect(text.values["roost_messages_total"] == 17)
        #expect(text.values["roost_errors_total{code=\"busy\"}"] == 2)
        #expect(text.values["roost_errors_total{code=\"a \\\"b\\\" } c\"}"] == 3)
        #expect(text.values["roost_commit_seconds_bucket{le=\"+Inf\"}"] == 10)
        #expect(text.values["roost_commit_seconds_sum"] == 1.5)
        #expect(text.values["big"] == .infinity)
        #expect(text.values.count == 9)
    }

    @Test func knowsWhichSamplesOnlyRise() {
        let text = MetricsText(page)
        #expect(text.isCounter("roost_messages_total"))
        #expect(text.isCounter("roost_errors_total{code=\"busy\"}"))
        #expect(text.isCounter("roost_commit_seconds_bucket{le=\"0.01\"}"))
        #expect(text.isCounter("roost_commit_seconds_count"))
        #expect(!text.isCounter("roost_connections"))
    }

    @Test func countersAreDifferencesAndGaugesAreNot() {
        let before = MetricsText("# TYPE a counter\na 5\nb 5\n# TYPE c counter\nc 9\n")
        let after = MetricsText("# TYPE a counter\na 7\nb 3\n# TYPE c counter\nc 4\n# TYPE d counter\nd 1\n")
        // Counter c has fallen, so the relay was started again, and the whole value counts.
        #expect(after.change(since: before) == ["a": 2, "b": 3, "c": 4, "d": 1])
    }
}

@Suite struct MetricsProbeTests {
    @Test func readsTheBodyOfAnAnswer() {
        let body = { (text: String) in MetricsProbe.body(ofAnswer: Array(text.utf8)) }
        #expect(body("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\na 1\n") == "a 1\n")
        #expect(body("HTTP/1.1 401 Unauthorized\r\n\r\na 1\n") == nil)
        #expect(body("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na 1\r\n0\r\n\r\n") == nil)
        #expect(body("HTTP/1.1 200 OK\r\n") == nil)
        #expect(body("") == nil)
    }

    @Test func acceptsOnlySupportedAddresses() throws {
        let probe = try #require(MetricsProbe(url: "ws://127.0.0.1:8080/v1/socket"))
        #expect(probe.host == "127.0.0.1")
        #expect(probe.port == 8_080)
        #expect(MetricsProbe(url: "ws://[::1]:9/v1/socket")?.host == "::1")
        #expect(MetricsProbe(url: "wss://host/v1/socket") == nil)
        #expect(MetricsProbe(url: "not an address") == nil)
        #expect(MetricsProbe(url: "ws://host:70000/") == nil)
    }

    @Test func asksWithItsTokenAndReadsTheAnswer() throws {
        let server = try OneAnswer("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\na 1\n")
        let probe = try #require(MetricsProbe(url: server.url, token: "secret", seconds: 10))
        #expect(probe.fetch()?.values == ["a": 1])
        let request = server.request()
        #expect(request.hasPrefix("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"))
        #expect(request.contains("\r\nAuthorization: Bearer secret\r\n"))
        #expect(request.hasSuffix("\r\n\r\n"))
    }

    @Test func givesUpOnASilentServer() throws {
        let server = try OneAnswer(nil)
        let probe = try #require(MetricsProbe(url: server.url, seconds: 0.2))
        #expect(probe.fetch() == nil)
    }

    @Test func givesUpOnAnEndlessAnswer() throws {
        let server = try OneAnswer(
            "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "a 1\n", count: MetricsProbe.bytesMax / 4))
        let probe = try #require(MetricsProbe(url: server.url, seconds: 20))
        #expect(probe.fetch() == nil)
    }

    @Test func givesUpWhenNobodyListens() throws {
        let server = try OneAnswer(nil)
        server.stop()
        let probe = try #require(MetricsProbe(url: server.url, seconds: 1))
        #expect(probe.fetch() == nil)
    }
}

/// A server on loopback that answers one request and closes; with nil it takes the connection and never answers.
private final class OneAnswer: Sendable {
    let port: UInt16
    var url: String { "ws://127.0.0.1:\(port)/v1/socket" }
    private let listener: Int32
    private let received = Mutex("")
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ answer: String?) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 4) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        try #require(isBound)
        port = UInt16(bigEndian: address.sin_port)
        guard let answer else { return }
        Thread.detachNewThread { self.serve(answer) }
    }

    private func serve(_ answer: String) {
        let file = accept(listener, nil, nil)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(file, &bytes, bytes.count)
        received.withLock { $0 = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) }
        var rest = Array(answer.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        close(file)
        hasEnded.signal()
    }

    func request() -> String {
        hasEnded.wait()
        return received.withLock { $0 }
    }

    func stop() { close(listener) }
}
