internal import Glibc
import Synchronization

/// A thread for any number of dialers, with a libwebsockets client context of its own. It lives as long as the process.
public final class DialerLoop: Sendable {
    enum Command: Sendable {
        case connect(Dialer)
        case flush(Dialer)
        case close(Dialer, code: UInt16, reason: String)
    }

    private let mailbox: Mailbox<Command>

    private static let sharedLoop = Mutex<DialerLoop?>(nil)

    /// The loop of dialers that name none.
    static func shared() throws(TransportFailure) -> DialerLoop {
        let outcome = sharedLoop.withLock { loop -> Result<DialerLoop, TransportFailure> in
            if let loop { return .success(loop) }
            do throws(TransportFailure) {
                let made = try DialerLoop()
                loop = made
                return .success(made)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Starts a thread. `caFile` has the certificates for checking `wss://` servers; without it only `ws://` works.
    /// `readBytes` is the size of each connection's buffer and of one read. `timeoutSeconds` bounds the handshake.
    public init(
        caFile: String = "/etc/ssl/certs/ca-certificates.crt",
        readBytes: Int = 4_096,
        timeoutSeconds: UInt32 = 10
    ) throws(TransportFailure) {
        let core = try DialerCore(
            caFile: access(caFile, R_OK) == 0 ? caFile : nil,
            readBytes: readBytes,
            timeoutSeconds: timeoutSeconds
        )
        mailbox = Mailbox(wake: core.library.wake)
        core.mailbox = mailbox
        var thread = pthread_t()
        let held = Unmanaged.passRetained(core).toOpaque()
        let code = pthread_create(&thread, nil, { DialerCore.run($0) }, held)
        guard code == 0 else { throw .system(call: "pthread_create", code: code) }
        pthread_detach(thread)
    }

    func post(_ command: Command) { mailbox.post(command) }
}
