import CLinux
import Foundation
import Glibc
import RoostAuth
import Synchronization

/// Why the services don't run.
struct ServicesFailure: Error {
    let description: String
}

/// The services as a child of the relay's process, started again whenever they end. On a thread of its own, which waits
/// for the child and does nothing else.
///
/// The child reads the end of a pipe. When the relay's process ends, whatever ended it, the system closes the other
/// end, and the child stops.
final class ServicesProcess: Sendable {
    /// The first wait before another start, and the longest, in milliseconds: a crash costs people little, and a
    /// program that can't start at all costs little, too. With the longest wait and a start, they are back in 2 s.
    static let waits: ClosedRange<UInt32> = 100...1_500
    /// Seconds after which a start counts as good: the next wait is a short one again.
    static let calmSeconds = 10
    /// Longest wait for the keys at the first start, in seconds. It makes a database and a key.
    static let startSeconds = 20
    /// Exit codes of a mistake that a restart can't repair (RoostCommand).
    static let mistake: Int32 = 2

    private let program: String
    private let arguments: [String]
    private let state = Mutex(State())

    private struct State {
        var hasGivenUp = false
    }

    init(program: String, arguments: [String]) {
        self.program = program
        self.arguments = arguments
    }

    /// Starts the child, and keeps it running until this process ends.
    func begin() throws {
        guard access(program, X_OK) == 0 else {
            throw ServicesFailure(
                description: "\(program): can't be run; build it, or use `roost serve` for the relay alone")
        }
        let thread = Thread { [self] in keepRunning() }
        thread.name = "services"
        thread.start()
    }

    /// Waits until the child has made its file of public keys. One that can't be read was left by a full disk or a
    /// power cut, and the child writes it anew.
    func waitFor(keys file: String) throws {
        let end = Date.now.addingTimeInterval(Double(Self.startSeconds))
        while (try? VerificationKey.load(path: file)) == nil {
            if state.withLock({ $0.hasGivenUp }) {
                throw ServicesFailure(description: "\(program): didn't start; see above")
            }
            guard Date.now < end else {
                throw ServicesFailure(description: "\(program): made no keys in \(Self.startSeconds) s")
            }
            usleep(10_000)
        }
    }

    private func keepRunning() {
        // The relay handles the signals of this process.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        var wait = Self.waits.lowerBound
        while true {
            let began = ContinuousClock.now
            let code = runOnce()
            if code == Self.mistake {
                state.withLock { $0.hasGivenUp = true }
                return tell("roost-services: ended with \(Self.mistake), and isn't started again; the relay goes on")
            }
            if ContinuousClock.now - began >= .seconds(Self.calmSeconds) { wait = Self.waits.lowerBound }
            tell("roost-services: ended; started again in \(wait) ms")
            usleep(wait * 1_000)
            wait = min(wait * 2, Self.waits.upperBound)
        }
    }

    /// Runs the child once. Returns its exit code; -1 if a signal ended it, or if it didn't start.
    private func runOnce() -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard roost_pipe(&ends) == 0 else { return -1 }
        defer { close(ends[1]) }
        let child = spawn(input: ends[0])
        close(ends[0])
        guard let child else { return -1 }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return -1 } }
        // wait(2): the low bits are 0 for a process that exited.
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    }

    private func spawn(input: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        roost_spawn_close_from(&actions, STDERR_FILENO + 1)
        // Ctrl-C reaches the relay alone, which ends, and with it the child.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, program, &actions, &attributes, &words, environ)
        guard code == 0 else {
            tell("roost-services: can't be started: \(String(cString: strerror(code)))")
            return nil
        }
        return child
    }

    private func tell(_ line: String) {
        RoostCommand.write(line, to: .standardError)
    }
}
