import Dispatch
import Glibc
import Logging

/// SIGHUP, which asks other programs to read their configuration again. The services read theirs only when they start,
/// so they ignore it: its default action would end the process, and with it what a manager meant to keep running.
package enum ReloadSignal {
    /// The handling of the signal before. `nohup` starts a command that ignores it.
    package struct Disposition: Sendable {
        fileprivate let handler: (@convention(c) (Int32) -> Void)?
    }

    /// Ignores the signal in the whole process, from the moment that this returns.
    package static func ignore() -> Disposition { Disposition(handler: signal(SIGHUP, SIG_IGN)) }

    /// Restores the handling, for a command that doesn't serve and ends with its terminal.
    package static func restore(_ disposition: Disposition) { signal(SIGHUP, disposition.handler) }

    /// Logs each signal from now on, while `body` runs.
    package static func logged(to log: Logger, while body: () async throws -> Void) async rethrows {
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler {
            log.notice("SIGHUP is ignored: the configuration is read at the start only, so restart the services")
        }
        source.activate()
        defer { source.cancel() }
        try await body()
    }
}
