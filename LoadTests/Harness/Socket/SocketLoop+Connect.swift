internal import CEpoll
import Glibc
import RoostTLS

extension SocketLoop {
    /// Begins to connect. `source` is the local IPv4 address in the machine's byte order; nil leaves it to the kernel.
    /// `opened` or `ended` follows, from a turn: also when no descriptor or no port is left.
    func connect(to target: SocketTarget, from source: UInt32?, owner: any ClientSocketOwner) -> ClientSocket {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(AF_INET, type, 0)
        let failure = descriptor < 0 ? ("socket", errno) : nil
        let socket = ClientSocket(
            key: nextKey(descriptor),
            subprotocol: target.subprotocol,
            loop: self,
            owner: owner
        )
        if descriptor >= 0 { remember(socket) }
        if let (call, code) = failure ?? begin(socket, target, source) {
            endSoon(socket, .failed("\(call): \(SocketFailure.text(of: code))"))
        }
        return socket
    }

    /// The call that failed, and its errno.
    private func begin(_ socket: ClientSocket, _ target: SocketTarget, _ source: UInt32?) -> (String, Int32)? {
        let descriptor = socket.key.descriptor
        // A message waits for nothing: what a turn has to send leaves in one write anyway.
        enable(Int32(IPPROTO_TCP), TCP_NODELAY, descriptor)
        if let source {
            // Without it `bind` would take a port that is free with all peers; so `connect` chooses one that is free
            // with this one.
            enable(Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, descriptor)
            guard withAddress(source, 0, { Glibc.bind(descriptor, $0, $1) }) == 0 else { return ("bind", errno) }
        }
        let outcome = withAddress(target.address, target.port) { Glibc.connect(descriptor, $0, $1) }
        guard outcome == 0 || errno == EINPROGRESS else { return ("connect", errno) }
        guard watch(socket, EPOLL_CTL_ADD) else { return ("epoll_ctl", errno) }
        if let tls = target.tls {
            guard let stream = try? TLSStream(client: tls, host: target.host) else { return ("SSL_new", ENOMEM) }
            socket.tls = stream
        }
        socket.queueRequest(target, key: masks.handshakeKey())
        handshakes.add(socket.key, now: SocketLoop.now())
        return nil
    }

    /// Sets what epoll reports, once per change (edge-triggered). Measured, that receives as fast as level-triggered;
    /// but neither a full send buffer nor the end of the handshake costs a call.
    @discardableResult
    func watch(_ socket: ClientSocket, _ operation: Int32) -> Bool {
        var event = epoll_event()
        event.events = EPOLLET.rawValue | EPOLLOUT.rawValue
        if socket.isReading { event.events |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
        event.data.u64 = socket.key.packed
        return epoll_ctl(epoll, operation, socket.key.descriptor, &event) == 0
    }

    private func enable(_ level: Int32, _ option: Int32, _ descriptor: Int32) {
        var one: Int32 = 1
        setsockopt(descriptor, level, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    private func withAddress(
        _ address: UInt32,
        _ port: UInt16,
        _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = address.bigEndian
        return withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
