internal import CLibwebsockets
internal import Glibc
internal import RoostTLS

/// A listening socket, and a spare descriptor with which a process that has no free ones can still answer. Owned
/// by one loop.
struct ListeningSocket: ~Copyable {
    private(set) var descriptor: Int32
    private var spare: Int32
    /// With what connections speak TLS from now on; nil for plain text.
    var certificate: TLSContext?
    /// 0 for a Unix socket.
    let port: UInt16

    /// Binds and listens. SO_REUSEADDR lets a restarted relay bind at once. There is no SO_REUSEPORT, so starting a
    /// second relay by mistake is an error.
    init(_ settings: TransportSettings) throws(TransportFailure) {
        guard let address = ListenAddress(settings.host) else { throw .badAddress(settings.host) }
        let socket = shim_listen_socket(address.family)
        guard socket >= 0 else { throw .system(call: "socket", code: errno) }
        do throws(TransportFailure) {
            try ListeningSocket.enable(SO_REUSEADDR, on: socket)
            if case .path(let path) = address.kind { ListeningSocket.removeLeftOver(path, address) }
            try ListeningSocket.bind(socket, to: address, settings)
            guard listen(socket, settings.backlog) == 0 else {
                throw TransportFailure.system(call: "listen", code: errno)
            }
            port = try ListeningSocket.port(of: socket)
        } catch {
            close(socket)
            throw error
        }
        descriptor = socket
        certificate = settings.certificate
        spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    deinit {
        for one in [descriptor, spare] where one >= 0 { close(one) }
    }

    /// Accepts one waiting connection. Returns -1 with errno set if there is none, or no descriptor for it.
    func accept(from peer: inout sockaddr_storage) -> Int32 { shim_accept(descriptor, &peer) }

    /// Accepts one waiting connection with the spare descriptor. Returns -1 if that fails too. The caller must close
    /// the connection before `restoreSpare`.
    mutating func acceptWithSpare(from peer: inout sockaddr_storage) -> Int32 {
        guard spare >= 0 else { return -1 }
        close(spare)
        spare = -1
        return shim_accept(descriptor, &peer)
    }

    /// Opens the spare descriptor again. Returns false if another thread has taken it meanwhile.
    mutating func restoreSpare() -> Bool {
        if spare < 0 { spare = open("/dev/null", O_RDONLY | O_CLOEXEC) }
        return spare >= 0
    }

    /// Descriptors that it has now.
    var descriptorCount: Int { (descriptor >= 0 ? 1 : 0) + (spare >= 0 ? 1 : 0) }

    /// Stops listening. May be repeated.
    mutating func closeAll() {
        for one in [descriptor, spare] where one >= 0 { close(one) }
        descriptor = -1
        spare = -1
    }

    private static func enable(_ option: Int32, on socket: Int32) throws(TransportFailure) {
        var one: Int32 = 1
        guard setsockopt(socket, SOL_SOCKET, option, &one, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw .system(call: "setsockopt", code: errno)
        }
    }

    /// Removes the socket of a relay that is gone, as after a crash. A socket with a process behind it stays, and so
    /// does any other file.
    private static func removeLeftOver(_ path: String, _ address: ListenAddress) {
        var found = stat()
        guard lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFSOCK else { return }
        let probe = shim_listen_socket(AF_UNIX)
        guard probe >= 0 else { return }
        defer { close(probe) }
        let isAnswered = address.withSystemAddress(port: 0) { connect(probe, $0, $1) == 0 || errno != ECONNREFUSED }
        if !isAnswered { unlink(path) }
    }

    private static func bind(
        _ socket: Int32, to address: ListenAddress, _ settings: TransportSettings
    ) throws(TransportFailure) {
        let outcome = address.withSystemAddress(port: settings.port) { Glibc.bind(socket, $0, $1) }
        guard outcome == 0 else {
            let code = errno
            if code == EADDRINUSE { throw .addressInUse(host: settings.host, port: settings.port) }
            if code == EADDRNOTAVAIL { throw .foreignAddress(settings.host) }
            throw .system(call: "bind", code: code)
        }
        // The proxy in front of it is in the group; other users of the machine stay out.
        if case .path(let path) = address.kind { chmod(path, 0o660) }
    }

    private static func port(of socket: Int32) throws(TransportFailure) -> UInt16 {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let outcome = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
        }
        guard outcome == 0 else { throw .system(call: "getsockname", code: errno) }
        // IPv4 and IPv6 have the port at the same place.
        guard Int32(address.ss_family) != AF_UNIX else { return 0 }
        return withUnsafeBytes(of: &address) { UInt16(bigEndian: $0.loadUnaligned(as: sockaddr_in.self).sin_port) }
    }
}
