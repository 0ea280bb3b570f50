import Glibc

/// Sets by how much the kernel may end a wait of this thread late. The default of 50 µs would count as latency.
enum TimerSlack {
    /// Sets the smallest slack that the kernel allows (proc_pid_timerslack_ns(5)). Without permission, waits stay a
    /// little late.
    static func minimize() {
        let file = open("/proc/self/timerslack_ns", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = "1".withCString { write(file, $0, 1) }
        close(file)
    }
}
