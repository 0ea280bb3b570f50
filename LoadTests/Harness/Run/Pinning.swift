import Glibc

/// Keeps processes on one core each, by taskset(1) of util-linux, so that relay and harness don't take each other's. No
/// state.
enum Pinning {
    private static let program = "taskset"
    private static let seconds = 5.0

    /// The command line that runs another one on a core; without `core` the same.
    static func command(_ words: [String], core: Int?) -> [String] {
        guard let core else { return words }
        return [program, "-c", "\(core)"] + words
    }

    /// Moves this process, with all its threads, to a core. For the rest of its life: each process that it starts later
    /// gets its own core.
    static func move(to core: Int) throws(RunFailure) {
        let log = try PrivateFolder.make()
        defer { PrivateFolder.remove(log) }
        let words = [program, "-a", "-c", "-p", "\(core)", "\(getpid())"]
        let process = try ChildProcess.start(
            words, environment: ChildProcess.environment(), output: "\(log)/taskset.log")
        guard process.wait(seconds: seconds), process.end == .exited(0) else {
            throw RunFailure(
                "the harness can't be pinned to core \(core): \(LogTail.lines(of: "\(log)/taskset.log", count: 3))")
        }
    }
}
