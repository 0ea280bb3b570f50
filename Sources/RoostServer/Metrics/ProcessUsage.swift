import Glibc
import RoostWire

/// CPU, memory and descriptors of the process, under the usual Prometheus names.
enum ProcessUsage {
    /// - Parameter openDescriptors: from the server's own books. To list /proc/self/fd takes milliseconds when there
    ///   are thousands.
    static func write(_ page: inout Exposition, openDescriptors: Int) {
        page.family("process_cpu_seconds_total", .counter, "User and system time.")
        page.sample("process_cpu_seconds_total", processorSeconds())
        let memory = memory()
        page.single("process_resident_memory_bytes", .gauge, "Resident memory.", memory.resident)
        page.single("process_virtual_memory_bytes", .gauge, "Address space.", memory.virtual)
        page.single("process_open_fds", .gauge, "Open descriptors.", openDescriptors)
        page.single("process_max_fds", .gauge, "Descriptors allowed.", DescriptorLimit.current ?? 0)
    }

    /// User and system time since the start.
    static func processorSeconds() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    // proc(5): the first number of statm is the address space in pages, the second one the resident set.
    static func memory() -> (virtual: Int, resident: Int) {
        guard let file = fopen("/proc/self/statm", "r") else { return (0, 0) }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return (0, 0) }
        let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
            separator: " ")
        guard fields.count > 1, let all = Int(fields[0]), let resident = Int(fields[1]) else { return (0, 0) }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        return (all * page, resident * page)
    }

    /// Counts the open descriptors one by one.
    static func countDescriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Doesn't count `.`, `..` and the descriptor of the folder itself.
        return max(0, count - 3)
    }
}
