import Glibc

/// The number of files and sockets that this process and those that it starts may have open. No state.
enum Descriptors {
    /// Kept for everything that isn't a simulated device's socket.
    static let reserve = 200

    /// Raises the soft limit to the hard one and returns it.
    static func raise() -> Int {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(kind, &limit) == 0 else { return 1_024 }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(kind, &limit)
        guard getrlimit(kind, &limit) == 0 else { return 1_024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Refuses a run that would fail halfway.
    static func check(sockets: Int) throws(RunFailure) {
        let allowed = raise()
        guard sockets + reserve <= allowed else {
            throw RunFailure(
                "\(sockets) sockets need a limit of \(sockets + reserve) open files, but the hard limit is \(allowed)")
        }
    }
}
