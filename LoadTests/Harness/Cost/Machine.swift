import Glibc

/// Describes the machine for a report, from uname(2), /proc/cpuinfo and /proc/meminfo. No state.
enum Machine {
    static func describe() -> Report.Machine {
        describe(
            system: system(), cpuinfo: ProcFile.text("/proc/cpuinfo") ?? "",
            meminfo: ProcFile.text("/proc/meminfo") ?? "")
    }

    static func describe(system: String, cpuinfo: String, meminfo: String) -> Report.Machine {
        var machine = Report.Machine()
        machine.system = system
        for line in cpuinfo.split(separator: "\n") {
            guard let (name, value) = pair(line) else { continue }
            if name == "processor" { machine.cores += 1 }
            // On Arm, this field is missing or the only one with a name.
            if machine.processor.isEmpty, name == "model name" || name == "Hardware" { machine.processor = value }
        }
        for line in meminfo.split(separator: "\n") {
            guard let (name, value) = pair(line), name == "MemTotal" else { continue }
            machine.memoryMiB = (value.split(separator: " ").first.flatMap { Int($0) } ?? 0) / 1_024
        }
        return machine
    }

    private static func pair(_ line: Substring) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        return (trimmed(line[..<colon]), trimmed(line[line.index(after: colon)...]))
    }

    private static func trimmed(_ text: Substring) -> String {
        let head = text.drop(while: \.isWhitespace)
        guard let last = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(head[...last])
    }

    private static func system() -> String {
        var name = utsname()
        guard uname(&name) == 0 else { return "" }
        return [text(name.sysname), text(name.release), text(name.machine)].joined(separator: " ")
    }

    // Converts a member of utsname, which is a tuple of characters that ends with a zero.
    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
