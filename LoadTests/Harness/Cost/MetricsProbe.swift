import Foundation
import Glibc

/// Fetches a relay's `/metrics` with one HTTP/1.1 request on a blocking socket, bounded in time and size. Each fetch
/// opens a connection and closes it. A value. Must not be used on the engine's thread, because it blocks.
struct MetricsProbe: Sendable {
    /// Most bytes of an answer. Roost's own has some 10 KiB.
    static let bytesMax = 1_048_576

    let host: String
    let port: UInt16
    let token: String?
    /// Most seconds for a fetch, without the look-up of the host's name.
    let seconds: Double

    /// Returns nil if this isn't a `ws://` address with a host. TLS is not supported.
    init?(url: String, token: String? = nil, seconds: Double = 1) {
        guard let parts = URLComponents(string: url), parts.scheme == "ws", let host = parts.host, !host.isEmpty,
            let port = UInt16(exactly: parts.port ?? 80)
        else { return nil }
        // The URL has an IPv6 address in brackets.
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        self.port = port
        self.token = token
        self.seconds = seconds
    }

    /// Returns nil if no answer with status 200 arrives in time.
    func fetch() -> MetricsText? {
        let deadline = Deadline(seconds: seconds)
        guard let file = connect(until: deadline) else { return nil }
        defer { close(file) }
        guard send(request, to: file) else { return nil }
        return Self.body(ofAnswer: receive(from: file, until: deadline)).map(MetricsText.init)
    }

    private var request: String {
        var lines = ["GET /metrics HTTP/1.1", "Host: \(host.contains(":") ? "[\(host)]" : host):\(port)"]
        if let token { lines.append("Authorization: Bearer \(token)") }
        // The answer ends with the connection, so its length doesn't matter.
        lines.append("Connection: close")
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Returns the body of an answer with status 200 that isn't chunked; nil for any other answer.
    static func body(ofAnswer bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = text[..<end.lowerBound].lowercased().split(separator: "\r\n")
        let status = (head.first ?? "").split(separator: " ")
        guard status.count >= 2, status[0].hasPrefix("http/1."), status[1] == "200" else { return nil }
        guard !head.contains(where: { $0.hasPrefix("transfer-encoding:") }) else { return nil }
        return String(text[end.upperBound...])
    }

    // MARK: Socket

    private func connect(until deadline: Deadline) -> Int32? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return nil }
        defer { freeaddrinfo(list) }
        var next = list
        while let address = next?.pointee, !deadline.isOver {
            next = address.ai_next
            let file = socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard file >= 0 else { continue }
            // On Linux, the timeout for sending also bounds connecting (socket(7)).
            bound(file, SO_SNDTIMEO, deadline)
            if Glibc.connect(file, address.ai_addr, address.ai_addrlen) == 0 { return file }
            close(file)
        }
        return nil
    }

    private func bound(_ file: Int32, _ option: Int32, _ deadline: Deadline) {
        // 0 would mean no timeout.
        let left = max(1_000, Int(deadline.nanosecondsLeft / 1_000))
        var time = timeval(tv_sec: left / 1_000_000, tv_usec: left % 1_000_000)
        setsockopt(file, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    private func send(_ text: String, to file: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    // Returns nil when time or room is used up, because half a page would be misleading.
    private func receive(from file: Int32, until deadline: Deadline) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while !deadline.isOver, bytes.count < Self.bytesMax {
            bound(file, SO_RCVTIMEO, deadline)
            let count = recv(file, &piece, piece.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return [] }
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
        return []
    }
}
