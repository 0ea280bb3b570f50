import Glibc

/// How late the kernel may end a wait of this thread: 50 µs unless told otherwise, which would count as latency.
enum TimerSlack {
    /// As little as the kernel can (proc_pid_timerslack_ns(5)); where that isn't allowed, waits stay a little late.
    static func minimize() {
        let file = open("/proc/self/timerslack_ns", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = "1".withCString { write(file, $0, 1) }
        close(file)
    }
}
