import Foundation
import RoostAccounts
import RoostLock

/// Gives a test's answers, and keeps the requests.
final class FakeServices: AccountTransport {
    typealias Reply = Result<AccountAnswer, TransportFailure>

    private struct State {
        var replies: [Reply] = []
        var requests: [AccountRequest] = []
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    var requests: [AccountRequest] { state.withLock { $0.requests } }

    var paths: [String] {
        requests.map { "\($0.method) \($0.url.dropFirst("https://services".count))" }
    }

    func body(_ index: Int) -> [String: String] {
        let body = requests[index].body.map { Data($0) } ?? Data()
        return (try? JSONSerialization.jsonObject(with: body)) as? [String: String] ?? [:]
    }

    /// Sets the answers to the next requests, one after the other.
    func reply(_ replies: Reply...) { state.withLock { $0.replies += replies } }

    /// Lets requests wait until `release`.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let held = state.withLock { state in
            state.isHeld = false
            defer { state.held = [] }
            return state.held
        }
        for one in held { one.resume() }
    }

    /// Waits until so many requests have come.
    func asked(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.requests.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func send(_ request: AccountRequest) async throws(TransportFailure) -> AccountAnswer {
        let ready = state.withLock { state in
            state.requests.append(request)
            let ready = state.waiters.filter { $0.count <= state.requests.count }
            state.waiters.removeAll { $0.count <= state.requests.count }
            return ready
        }
        for one in ready { one.continuation.resume() }
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.held.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
        let reply: Reply = state.withLock { $0.replies.isEmpty ? .failure(.notSent) : $0.replies.removeFirst() }
        return try reply.get()
    }

    // MARK: Answers

    /// Tokens that are good for so many seconds by their claims; `expires` is what the answer says.
    static func tokens(_ number: Int, life: Int = 3_600, expires: Int64 = 0) -> Reply {
        let claims = Data("{\"iat\":1000,\"exp\":\(1_000 + life)}".utf8).base64EncodedString()
            .replacingOccurrences(of: "=", with: "")
        return json(
            """
            {"user":"uann","device":"phone","session":"s1","accessToken":"h.\(claims).\(number)",
            "accessExpires":\(expires),"refreshToken":"r\(number)","refreshExpires":0}
            """, status: 200)
    }

    static func json(_ text: String, status: Int = 200) -> Reply {
        .success(AccountAnswer(status: status, body: Array(text.utf8)))
    }

    static func fault(_ status: Int, _ code: String) -> Reply {
        json("{\"code\":\"\(code)\",\"reason\":\"no\"}", status: status)
    }

    static let done = Reply.success(AccountAnswer(status: 204))
}

/// A store that records the calls to it, and fails on demand.
final class FakeStore: TokenStore {
    struct Full: Error {}

    private let state = Locked((bytes: [UInt8]?.none, fails: false, saves: 0))

    var saves: Int { state.withLock { $0.saves } }
    var text: String? { state.withLock { $0.bytes.map { String(decoding: $0, as: UTF8.self) } } }

    func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }
    func put(_ text: String) { state.withLock { $0.bytes = Array(text.utf8) } }

    func load() -> [UInt8]? { state.withLock { $0.bytes } }

    func save(_ bytes: [UInt8]) throws {
        try state.withLock { state in
            if state.fails { throw Full() }
            state.bytes = bytes
            state.saves += 1
        }
    }

    func clear() { state.withLock { $0.bytes = nil } }
}
