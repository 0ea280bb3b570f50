import Glibc

/// One process that the harness started. It writes into a file, is in a process group of its own so that Ctrl-C reaches
/// only the harness, and is always reaped: by `wait`, or by `stop`. Confined to one thread.
final class ChildProcess {
    /// The end of a process.
    enum End: Equatable, CustomStringConvertible {
        case exited(Int32)
        case signalled(Int32)

        // The macros of wait(2) aren't there in Swift.
        init(status: Int32) {
            let signal = status & 0x7F
            self = signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
        }

        var description: String {
            switch self {
            case .exited(let code): "exit code \(code)"
            case .signalled(let number): "signal \(number)"
            }
        }
    }

    let pid: Int32
    /// nil while it runs, as far as anybody looked.
    private(set) var end: End?

    private init(pid: Int32) { self.pid = pid }

    /// Starts a program, found by PATH if its name has no slash, with standard output and error into the file `output`,
    /// which is made or emptied. `words` are the program and its arguments.
    static func start(
        _ words: [String], environment: [String], output: String
    ) throws(RunFailure) -> ChildProcess {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(
            &actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        prepare(&attributes)
        var pid: pid_t = 0
        let program = words.first ?? ""
        let result = withCStrings(words) { argv in
            withCStrings(environment) { posix_spawnp(&pid, program, &actions, &attributes, argv, $0) }
        }
        guard result == 0 else { throw RunFailure("\(program) can't be started: \(String(cString: strerror(result)))") }
        Interruption.register(pid)
        return ChildProcess(pid: pid)
    }

    private static func prepare(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // What this process ignores or handles, the other one decides on for itself.
        var all = sigset_t()
        sigemptyset(&all)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&all, number) }
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return body(copies)
    }

    /// This process's own, without variables that begin with `prefix`.
    static func environment(without prefix: String? = nil) -> [String] {
        var list: [String] = []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if prefix.map(text.hasPrefix) != true { list.append(text) }
            next += 1
        }
        return list
    }

    // MARK: End

    /// Whether it runs; reaps it if it doesn't.
    var isRunning: Bool {
        guard end == nil else { return false }
        var status: Int32 = 0
        var information = siginfo_t()
        // Looked at first and reaped second, so that its id is forgotten while it is still its own.
        guard waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return false }
        var copy = information
        guard withUnsafeBytes(of: &copy, { $0.loadUnaligned(as: Int32.self) }) == SIGCHLD else { return true }
        Interruption.forget(pid)
        if waitpid(pid, &status, 0) == pid { end = End(status: status) }
        return false
    }

    /// Waits until it has ended; false: it still runs after that time.
    func wait(seconds: Double) -> Bool { Deadline(seconds: seconds).poll { !isRunning } }

    /// Sends a signal if it still runs.
    func send(signal number: Int32) { if isRunning { kill(pid, number) } }

    /// Asks it to end by `signal`, waits, and kills it if it hasn't by then. Nothing if it has ended.
    func stop(signal number: Int32 = SIGTERM, seconds: Double) {
        send(signal: number)
        guard !wait(seconds: seconds) else { return }
        send(signal: SIGKILL)
        // A process in an uninterruptible call ends when that does; there is no endless wait for it.
        _ = wait(seconds: 5)
    }

    deinit { if end == nil { stop(signal: SIGKILL, seconds: 1) } }
}
