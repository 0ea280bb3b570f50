import Glibc
import Synchronization

/// Ctrl-C: the first asks the run to end and report what it has, the second ends the process at once.
///
/// It belongs to the process, so there is one. The handler only touches atomics and calls what signal-safety(7) allows.
/// Processes that were started are ended with it, so that none stays behind.
public enum Interruption {
    /// The relay and the workers.
    static let childrenMax = HarnessLimits.workersMax + 1

    private static let count = Atomic<Int>(0)
    // Never freed: the handler may look at any time.
    nonisolated(unsafe) private static let children: UnsafeMutablePointer<Atomic<Int32>> = {
        let places = UnsafeMutablePointer<Atomic<Int32>>.allocate(capacity: childrenMax)
        for index in 0..<childrenMax { (places + index).initialize(to: Atomic(0)) }
        return places
    }()

    /// Whether the run shall end. Cheap enough for every turn of a loop.
    public static var isRequested: Bool { count.load(ordering: .relaxed) > 0 }

    /// Takes SIGINT, SIGTERM and SIGHUP over. Called once, before anything is started.
    public static func install() {
        // Both are made here, since a handler must not.
        _ = children
        _ = count.load(ordering: .relaxed)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in Interruption.handle(number) }
        // What is waiting for a child or a disk goes on waiting; loops look at the flag.
        action.sa_flags = SA_RESTART
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaction(number, &action, nil) }
        // A reader of standard output that is gone is no reason to end.
        signal(SIGPIPE, SIG_IGN)
    }

    private static func handle(_ number: Int32) {
        guard count.add(1, ordering: .relaxed).oldValue > 0 else { return }
        for index in 0..<childrenMax {
            let pid = children[index].load(ordering: .relaxed)
            if pid > 0 { kill(pid, SIGKILL) }
        }
        // What a shell reports for a process that this signal ended.
        _exit(128 + number)
    }

    // MARK: Children

    /// Called between starting a process and waiting for it. More than `childrenMax` are not remembered.
    static func register(_ pid: Int32) {
        for index in 0..<childrenMax
        where children[index].compareExchange(expected: 0, desired: pid, ordering: .relaxed).exchanged { return }
    }

    /// Called before a process is reaped, since then its id may become another's.
    static func forget(_ pid: Int32) {
        for index in 0..<childrenMax {
            _ = children[index].compareExchange(expected: pid, desired: 0, ordering: .relaxed)
        }
    }
}
