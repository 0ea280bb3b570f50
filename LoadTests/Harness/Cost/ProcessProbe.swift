import Glibc

/// Reads from /proc what one process uses (proc(5)). It remembers when the process began, so that it doesn't take a
/// later process with the same id for it. A value; each reading takes some 50 µs on the calling thread.
struct ProcessProbe: Sendable {
    struct Reading: Sendable, Equatable {
        /// CPU time of all its threads since it began.
        var cpuSeconds = 0.0
        /// Resident memory now, and its peak, in KiB.
        var rss = 0
        var rssPeak = 0
        var descriptors = 0
    }

    let pid: Int32
    private let startedAt: UInt64

    /// Returns nil if there is no such process.
    init?(pid: Int32) {
        guard let stat = ProcFile.text("/proc/\(pid)/stat").flatMap(ProcessStat.init) else { return nil }
        self.pid = pid
        startedAt = stat.startTicks
    }

    /// Returns nil if the process has ended.
    func read() -> Reading? {
        guard let cpu = cpuSeconds(), let status = ProcFile.text("/proc/\(pid)/status") else { return nil }
        return Reading(
            cpuSeconds: cpu,
            rss: Self.kibibytes("VmRSS", status: status) ?? 0,
            rssPeak: Self.kibibytes("VmHWM", status: status) ?? 0,
            descriptors: descriptors())
    }

    /// Returns the CPU time of all threads since the process began, or nil if it has ended.
    func cpuSeconds() -> Double? {
        guard let stat = ProcFile.text("/proc/\(pid)/stat").flatMap(ProcessStat.init),
            stat.startTicks == startedAt, !stat.isZombie
        else { return nil }
        return Double(stat.cpuTicks) / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }

    private func descriptors() -> Int {
        guard let folder = opendir("/proc/\(pid)/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Doesn't count "." and "..".
        return max(0, count - 2)
    }

    /// Reads a line such as `VmRSS:   1234 kB` of /proc/PID/status.
    static func kibibytes(_ name: String, status: String) -> Int? {
        for line in status.split(separator: "\n") where line.hasPrefix("\(name):") {
            return line.dropFirst(name.utf8.count + 1).split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
        }
        return nil
    }
}

/// The fields of /proc/PID/stat that are used.
struct ProcessStat: Equatable {
    /// utime and stime in clock ticks.
    var cpuTicks: UInt64
    /// Start of the process in clock ticks since the machine booted.
    var startTicks: UInt64
    var isZombie: Bool

    /// Returns nil if this isn't such a line. The name is in parentheses and may contain blanks and parentheses.
    init?(_ text: String) {
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(whereSeparator: \.isWhitespace)
        // proc_pid_stat(5) counts fields from 1, and the first field after the name is the third.
        guard fields.count > 19, let user = UInt64(fields[11]), let system = UInt64(fields[12]),
            let start = UInt64(fields[19])
        else { return nil }
        cpuTicks = user &+ system
        startTicks = start
        isZombie = fields[0] == "Z" || fields[0] == "X"
    }
}
