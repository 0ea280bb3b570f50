import Glibc
import RoostServicesConfiguration

/// The address and port on which the services are going to listen.
enum ServicesPort {
    /// Throws if another process listens there, so that `roost up` says it once and ends. Later, while the services are
    /// restarted, the port may be taken for a moment, and the next restart tries again.
    ///
    /// Other faults of the address are reported by the services.
    static func check(_ settings: ServicesConfiguration) throws(ServicesFailure) {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(settings.host, String(settings.port), &hints, &found) == 0, let found else { return }
        defer { freeaddrinfo(found) }
        let probe = socket(found.pointee.ai_family, found.pointee.ai_socktype, 0)
        guard probe >= 0 else { return }
        defer { close(probe) }
        // As the services do, or a port that was used a minute ago would seem to be taken.
        var one: Int32 = 1
        setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard bind(probe, found.pointee.ai_addr, found.pointee.ai_addrlen) != 0, errno == EADDRINUSE else { return }
        throw ServicesFailure(
            description: "services.port: another process listens on \(settings.host), port \(settings.port); end it, "
                + "or choose another port by --services-port")
    }
}
