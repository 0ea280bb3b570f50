import Glibc

@testable import RoostLoad

struct PeerFailure: Error {}

/// A listening socket on 127.0.0.1. The kernel completes connects by itself, so one thread can be both sides of a test.
final class SocketListener {
    let descriptor: Int32
    private(set) var port: UInt16 = 0

    var url: String { "ws://127.0.0.1:\(port)/v1/socket" }

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcome = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) | listen(descriptor, 64) | getsockname(descriptor, $0, &size)
            }
        }
        guard outcome == 0 else { throw PeerFailure() }
        port = UInt16(bigEndian: address.sin_port)
        patience(of: descriptor)
    }

    deinit { close(descriptor) }

    func accept() throws -> SocketPeer {
        let accepted = Glibc.accept(descriptor, nil, nil)
        guard accepted >= 0 else { throw PeerFailure() }
        return SocketPeer(accepted)
    }
}

/// Every blocking call of a test gives up after ten seconds, which fails the test.
private func patience(of descriptor: Int32) {
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
}

/// The server's end of a connection, which sends whatever bytes a test wants. One thread at a time.
final class SocketPeer: @unchecked Sendable {
    static let accepting =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: roost.v1\r\n\r\n"

    private var descriptor: Int32
    private(set) var unread: [UInt8] = []

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        patience(of: descriptor)
    }

    deinit { hangUp() }

    /// Reads one frame on its own thread and sends the same text back.
    func echoOnce() {
        var thread = pthread_t()
        let held = Unmanaged.passRetained(self).toOpaque()
        pthread_create(
            &thread,
            nil,
            { held in
                guard let held else { return nil }
                let peer = Unmanaged<SocketPeer>.fromOpaque(held).takeRetainedValue()
                if let payload = try? peer.readFrame().payload { peer.send(serverFrame(1, payload)) }
                return nil
            },
            held
        )
        pthread_detach(thread)
    }

    var sourceAddress: UInt32 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        return UInt32(bigEndian: address.sin_addr.s_addr)
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

    /// Sends as much as fits without waiting, and returns how much that was.
    func sendAvailable(_ bytes: some Collection<UInt8>) -> Int {
        Array(bytes).withUnsafeBytes {
            max(0, Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)))
        }
    }

    /// Takes what has arrived, without waiting. Returns false once the stream has ended.
    @discardableResult
    func readAvailable() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return count < 0 && errno == EAGAIN }
        unread += buffer[..<count]
        return true
    }

    func read(_ count: Int) throws -> [UInt8] {
        while unread.count < count {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let got = recv(descriptor, &buffer, buffer.count, 0)
            guard got > 0 else { throw PeerFailure() }
            unread += buffer[..<got]
        }
        defer { unread.removeFirst(count) }
        return Array(unread[..<count])
    }

    func readHead() throws -> String {
        var head: [UInt8] = []
        while head.suffix(4) != [13, 10, 13, 10] { head += try read(1) }
        return String(decoding: head, as: UTF8.self)
    }

    /// Returns the next frame, unmasked. A frame without a mask fails the test.
    func readFrame() throws -> (opcode: UInt8, payload: [UInt8]) {
        let start = try read(2)
        guard start[0] & 0x80 != 0, start[1] & 0x80 != 0 else { throw PeerFailure() }
        var length = Int(start[1] & 0x7F)
        if length >= 126 { length = try read(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
        let key = try read(4)
        let payload = try read(length).enumerated().map { $1 ^ key[$0 & 3] }
        return (start[0] & 0x0F, payload)
    }

    /// The errno at the end of the stream: 0 if the other side hung up properly.
    func readEnd() -> Int32 {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, 0)
        return count < 0 ? errno : count == 0 ? 0 : -1
    }

    func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Ends the stream to the client and goes on listening to it.
    func stopSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        hangUp()
    }
}

/// A frame as a server sends it.
func serverFrame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
    let first = opcode | (isFinal ? 0x80 : 0)
    let count = payload.count
    if count < 126 { return [first, UInt8(count)] + payload }
    if count < 65_536 { return [first, 126, UInt8(count >> 8), UInt8(count & 255)] + payload }
    return [first, 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) } + payload
}

func serverText(_ text: String) -> [UInt8] { serverFrame(1, Array(text.utf8)) }

func serverClose(_ code: UInt16, _ reason: String = "") -> [UInt8] {
    serverFrame(8, [UInt8(code >> 8), UInt8(code & 255)] + reason.utf8)
}
