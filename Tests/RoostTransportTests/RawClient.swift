import Glibc

struct Timeout: Error {}

/// A blocking socket that speaks just enough HTTP and WebSocket to send a server bytes that no proper client sends.
/// Every read gives up after ten seconds and fails the test.
final class RawClient {
    struct Frame: Equatable {
        var opcode: UInt8
        var payload: [UInt8]
        var isFinal = true

        var text: String { String(decoding: payload, as: UTF8.self) }
        var closeCode: UInt16? {
            opcode == 8 && payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
        }
        var closeReason: String { String(decoding: payload.dropFirst(2), as: UTF8.self) }
    }

    let descriptor: Int32
    private var unread: [UInt8] = []

    init(port: UInt16, from source: String = "127.0.0.1", receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4) }
        let own = RawClient.address(source, 0)
        let target = RawClient.address("127.0.0.1", port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        let outcome = withUnsafePointer(to: target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard isBound == 0, outcome == 0 else { throw Timeout() }
    }

    private static func address(_ host: String, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        return address
    }

    deinit { close(descriptor) }

    /// Makes the end of this client reset the connection.
    func resetAtEnd() {
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
    }

    /// Connects and completes the handshake.
    static func open(port: UInt16, from source: String = "127.0.0.1", receiveBuffer: Int32? = nil) throws -> RawClient {
        let client = try RawClient(port: port, from: source, receiveBuffer: receiveBuffer)
        client.send(RawClient.upgrade())
        guard try client.readHead().status == "HTTP/1.1 101 Switching Protocols" else { throw Timeout() }
        return client
    }

    /// Sends a handshake. A nil value leaves the header out.
    static func upgrade(_ line: String = "GET /v1/socket HTTP/1.1", _ changes: [String: String?] = [:]) -> String {
        var headers: [(String, String?)] = [
            ("Host", "localhost"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Protocol", "roost.v1"),
        ]
        for (name, value) in changes {
            headers.removeAll { $0.0 == name }
            headers.append((name, value))
        }
        let lines = headers.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }
        return "\(line)\r\n\(lines.joined())\r\n"
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    func sendFrame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, announced: Int? = nil) {
        send(RawClient.frame(opcode, payload, isFinal: isFinal, announced: announced))
    }

    /// Sends a masked frame. `announced` is another length for the header.
    static func frame(
        _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, announced: Int? = nil
    ) -> [UInt8] {
        let length = announced ?? payload.count
        var frame: [UInt8] = [opcode | (isFinal ? 0x80 : 0)]
        if length < 126 {
            frame.append(0x80 | UInt8(length))
        } else if length < 65_536 {
            frame += [0xFE, UInt8(length >> 8), UInt8(length & 255)]
        } else {
            frame.append(0xFF)
            for shift in stride(from: 56, through: 0, by: -8) { frame.append(UInt8(length >> shift & 255)) }
        }
        let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        frame += mask
        frame += payload.enumerated().map { $1 ^ mask[$0 & 3] }
        return frame
    }

    func sendText(_ text: String) { sendFrame(1, Array(text.utf8)) }

    /// Returns false at the end of the stream, or if the connection was reset.
    private func readMore() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN { throw Timeout() }
        guard count > 0 else { return false }
        unread += buffer[..<count]
        return true
    }

    func read(_ count: Int) throws -> [UInt8] {
        while unread.count < count {
            guard try readMore() else { throw Timeout() }
        }
        defer { unread.removeFirst(count) }
        return Array(unread[..<count])
    }

    struct Head {
        var status = ""
        var headers: [String: String] = [:]
    }

    func readHead() throws -> Head {
        var lines: [String] = []
        while true {
            var line: [UInt8] = []
            while line.suffix(2) != [13, 10] { line += try read(1) }
            if line.count == 2 { break }
            lines.append(String(decoding: line.dropLast(2), as: UTF8.self))
        }
        var head = Head(status: lines.first ?? "")
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            head.headers[String(parts[0])] = String(parts.last?.drop { $0 == " " } ?? "")
        }
        return head
    }

    /// Head and body of a response with a Content-Length.
    func readResponse() throws -> (head: Head, body: String) {
        let head = try readHead()
        let body = try read(Int(head.headers["Content-Length"] ?? "0") ?? 0)
        return (head, String(decoding: body, as: UTF8.self))
    }

    func readFrame() throws -> Frame {
        let start = try read(2)
        var length = Int(start[1] & 0x7F)
        if length >= 126 { length = try read(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
        return Frame(opcode: start[0] & 15, payload: try read(length), isFinal: start[0] & 0x80 != 0)
    }

    /// Returns the bytes that were read already.
    func readAvailable() -> [UInt8] {
        defer { unread = [] }
        return unread
    }

    /// Whether the server ended the connection and nothing more came.
    func isAtEnd() throws -> Bool { try unread.isEmpty && !readMore() }
}
