import Foundation
import Glibc
import RoostLock
import Testing

@testable import RoostAccounts

/// Requests by `URLSession` to a server of the test's own.
struct URLSessionTransportTests {
    private func request(
        _ port: UInt16, body: String? = nil, token: String? = nil, timeout: Duration = .seconds(20), bytes: Int = 100
    ) -> AccountRequest {
        AccountRequest(
            method: body == nil ? "GET" : "POST", url: "http://127.0.0.1:\(port)/v1/x", token: token,
            body: body.map { Array($0.utf8) }, timeout: timeout, answerBytes: bytes)
    }

    private func failure(_ request: AccountRequest) async -> TransportFailure? {
        do throws(TransportFailure) { _ = try await URLSessionTransport().send(request) } catch { return error }
        return nil
    }

    private static func answer(_ status: String, _ body: String, _ fields: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(fields)\r\n\(body)"
    }

    @Test func aRequestIsAnsweredWhateverTheStatus() async throws {
        let server = try OneAnswerServer(Self.answer("422 Unprocessable", "{\"code\":\"invalid\"}"))
        defer { server.stop() }
        let transport = URLSessionTransport()
        for _ in 0..<2 {
            let answer = try await transport.send(request(server.port, body: "{}", token: "a.b.c"))
            #expect(answer == AccountAnswer(status: 422, body: Array("{\"code\":\"invalid\"}".utf8)))
        }
        let asked = server.asked.joined()
        #expect(asked.contains("POST /v1/x HTTP/1.1\r\n") && asked.contains("Authorization: Bearer a.b.c\r\n"))
        #expect(asked.contains("Content-Type: application/json\r\n") && !asked.contains("Cookie"))
    }

    @Test func redirectsAreNotFollowed() async throws {
        let other = try OneAnswerServer(Self.answer("200 OK", ""))
        defer { other.stop() }
        let server = try OneAnswerServer(
            Self.answer("307 Temporary Redirect", "", "Location: http://127.0.0.1:\(other.port)/\r\n"))
        defer { server.stop() }
        #expect(try await URLSessionTransport().send(request(server.port, token: "a.b.c")).status == 307)
        #expect(other.asked.isEmpty)
    }

    @Test func anAnswerHasABound() async throws {
        for (count, fits) in [(100, true), (101, false)] {
            let body = String(repeating: "x", count: count)
            let server = try OneAnswerServer(Self.answer("200 OK", body))
            defer { server.stop() }
            #expect(await failure(request(server.port)) == (fits ? nil : .noAnswer))
        }
    }

    @Test func anUnreachableServerIsReportedAsNotSent() async throws {
        let server = try OneAnswerServer("")
        server.stop()
        #expect(await failure(request(server.port)) == .notSent)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"])
    func aConnectionThatEndsIsNoAnswer(_ answer: String) async throws {
        let server = try OneAnswerServer(answer)
        defer { server.stop() }
        #expect(await failure(request(server.port)) == .noAnswer)
    }

    @Test func aSlowAnswerIsGivenUp() async throws {
        let server = try OneAnswerServer(nil)
        defer { server.stop() }
        #expect(await failure(request(server.port, timeout: .milliseconds(300))) == .noAnswer)
    }

    @Test(arguments: 0..<20) func aCancelledRequestGetsNoAnswer(_ turn: Int) async throws {
        let server = try OneAnswerServer(nil)
        defer { server.stop() }
        let task = Task { await failure(request(server.port)) }
        for _ in 0..<turn { await Task.yield() }
        task.cancel()
        #expect(await task.value != nil)
    }

    @Test func manyRequestsShareATransport() async throws {
        let server = try OneAnswerServer(Self.answer("200 OK", "x"))
        defer { server.stop() }
        let transport = URLSessionTransport()
        let count = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var count = 0
                    for _ in 0..<10 {
                        let answer = try? await transport.send(request(server.port))
                        if answer?.body == Array("x".utf8) { count += 1 }
                    }
                    return count
                }
            }
            return await group.reduce(0, +)
        }
        #expect(count == 80)
    }
}

/// A server that reads a request, writes one text, and closes; with none it never answers. It ends by `stop`.
private final class OneAnswerServer: Sendable {
    struct Failed: Error {}

    let port: UInt16
    private let listener: Int32
    private let requests = Asked()

    var asked: [String] { requests.requests.withLock { $0 } }

    init(_ answer: String?) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isOpen else { throw Failed() }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [requests] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                var room = [UInt8](repeating: 0, count: 8_192)
                let count = read(connection, &room, room.count)
                requests.requests.withLock { $0.append(String(decoding: room[..<max(0, count)], as: UTF8.self)) }
                guard let answer else { continue }
                _ = write(connection, answer, answer.utf8.count)
                close(connection)
            }
        }
    }

    /// The requests that came, for the server and its thread.
    private final class Asked: Sendable {
        let requests = Locked<[String]>([])
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}
