internal import CLibwebsockets
internal import Glibc

/// The state of a dialer loop's thread: the library and the connections that are opening or open. Confined to that
/// thread once it runs.
final class DialerCore {
    let library: LibraryContext
    var mailbox: Mailbox<DialerLoop.Command>?
    private var connections: [ObjectIdentifier: DialedConnection] = [:]

    init(caFile: String?, readBytes: Int, timeoutSeconds: UInt32) throws(TransportFailure) {
        library = try LibraryContext()
        let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
        protocols.initialize(repeating: lws_protocols(), count: 2)
        protocols[0].name = UnsafePointer(strdup(DialedConnection.protocolName))
        protocols[0].callback = dialerCallback
        // A control frame needs 128 bytes.
        protocols[0].rx_buffer_size = max(readBytes, 256)
        protocols[0].tx_packet_size = 4_194_304
        try library.create(
            protocols: protocols,
            options: LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT,
            timeoutSeconds: timeoutSeconds,
            caFile: caFile
        )
        library.prepareWake(owner: Unmanaged.passUnretained(self).toOpaque()) { _, watcher, _ in
            DialerCore.from(watcher?.pointee.data)?.woken()
        }
    }

    /// The main function of the thread. `held` is a retained core.
    static func run(_ held: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        from(held)?.library.run {}
        return nil
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> DialerCore? {
        data.map { Unmanaged<DialerCore>.fromOpaque($0).takeUnretainedValue() }
    }

    private func woken() {
        for command in mailbox?.take() ?? [] {
            switch command {
            case .connect(let dialer): connect(dialer)
            case .flush(let dialer): connections[ObjectIdentifier(dialer)]?.flush()
            case .close(let dialer, let code, let reason):
                connections[ObjectIdentifier(dialer)]?.close(code, reason: reason)
            }
        }
    }

    private func connect(_ dialer: Dialer) {
        let connection = DialedConnection(dialer, core: self)
        connections[ObjectIdentifier(dialer)] = connection
        connection.connect()
    }

    /// Forgets a connection that has ended.
    func forget(_ dialer: Dialer) { connections[ObjectIdentifier(dialer)] = nil }
}
