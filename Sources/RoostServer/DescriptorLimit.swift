import Glibc

/// The number of descriptors that the process may open.
enum DescriptorLimit {
    /// Descriptors allowed now; nil if that is unknown.
    static var current: Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }

    /// Lowers the limit if it is higher. libwebsockets 4.1 looks through a table of that many places at each accept and
    /// each close: 30 µs with 20,000 places, and a millisecond with the half a million that systemd allows. 10,000
    /// connections that break at once would hold the loop for as many.
    static func lower(to most: Int) {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(kind, &limit) == 0, limit.rlim_cur > rlim_t(most) else { return }
        limit.rlim_cur = rlim_t(most)
        setrlimit(kind, &limit)
    }
}
