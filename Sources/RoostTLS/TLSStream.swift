internal import COpenSSL

/// TLS of one connection. It reads and writes no socket: it takes the bytes that have arrived and hands out those to be
/// sent. Of one thread.
public final class TLSStream {
    private let context: TLSContext
    private let pointer: OpaquePointer
    private var isOver = false

    /// The side of a server, whose peer speaks first.
    public init(server context: TLSContext) throws(TLSFailure) {
        self.context = context
        pointer = try TLSStream.make(context)
        SSL_set_accept_state(pointer)
    }

    /// The side of a client. `start` begins.
    /// - Parameter host: the name that the server's certificate must have.
    public init(client context: TLSContext, host: String) throws(TLSFailure) {
        self.context = context
        pointer = try TLSStream.make(context)
        guard shim_tls_expect(pointer, host) == 1 else { throw .last("\(host) can't be named") }
        SSL_set_connect_state(pointer)
    }

    deinit { SSL_free(pointer) }

    private static func make(_ context: TLSContext) throws(TLSFailure) -> OpaquePointer {
        guard let made = shim_tls_new(context.pointer, context.pipe, TLSContext.method) else {
            throw .last("TLS can't be begun")
        }
        return made
    }

    /// Whether the handshake is done, so that `encrypt` works.
    public var isOpen: Bool { !isOver && SSL_is_init_finished(pointer) == 1 }

    /// Whether the peer has shown a certificate with a trusted signature.
    public var isPeerKnown: Bool {
        isOpen && SSL_get0_peer_certificate(pointer) != nil && SSL_get_verify_result(pointer) == X509_V_OK
    }

    /// The side of a client: begins the handshake.
    public func start(_ send: (UnsafeRawBufferPointer) -> Void) {
        ERR_clear_error()
        _ = SSL_do_handshake(pointer)
        handOut(send)
    }

    /// Takes bytes that have arrived.
    /// - Parameters:
    ///   - send: sends what TLS itself has to say: the handshake, alerts, new keys.
    ///   - plain: takes what was in them, a record at a time, and may change it in place. It may call `encrypt` of any
    ///     stream, and returns whether it takes more.
    /// - Returns: false if the peer has said that nothing follows.
    /// - Throws: why the connection can't go on; an alert for the peer was sent.
    public func receive(
        _ bytes: UnsafeRawBufferPointer, send: (UnsafeRawBufferPointer) -> Void,
        plain: (UnsafeMutableRawBufferPointer) -> Bool
    ) throws(TLSFailure) -> Bool {
        guard !isOver else { return false }
        context.pipe.pointee.input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        context.pipe.pointee.left = bytes.count
        defer { context.pipe.pointee.left = 0 }
        while true {
            ERR_clear_error()
            let record = context.record
            let count = SSL_read(pointer, record.baseAddress, Int32(record.count))
            handOut(send)
            if count > 0 {
                guard plain(UnsafeMutableRawBufferPointer(rebasing: record[..<Int(count)])), !isOver else {
                    return true
                }
                continue
            }
            switch SSL_get_error(pointer, count) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return true
            case SSL_ERROR_ZERO_RETURN: return false
            default:
                isOver = true
                throw .last("TLS failed")
            }
        }
    }

    /// Encrypts bytes. Does nothing unless the stream is open.
    public func encrypt(_ bytes: UnsafeRawBufferPointer, _ send: (UnsafeRawBufferPointer) -> Void) {
        guard isOpen, !bytes.isEmpty else { return }
        // Bytes that another stream is reading aren't for this one.
        let held = context.pipe.pointee
        context.pipe.pointee.left = 0
        ERR_clear_error()
        _ = SSL_write(pointer, bytes.baseAddress, Int32(clamping: bytes.count))
        context.pipe.pointee.input = held.input
        context.pipe.pointee.left = held.left
        handOut(send)
    }

    /// Says to the peer that nothing follows (RFC 8446, section 6.1), once.
    public func close(_ send: (UnsafeRawBufferPointer) -> Void) {
        guard !isOver else { return }
        ERR_clear_error()
        if SSL_is_init_finished(pointer) == 1 { _ = SSL_shutdown(pointer) }
        isOver = true
        handOut(send)
    }

    private func handOut(_ send: (UnsafeRawBufferPointer) -> Void) {
        let count = context.pipe.pointee.count
        guard count > 0 else { return }
        context.pipe.pointee.count = 0
        send(UnsafeRawBufferPointer(start: context.pipe.pointee.output, count: count))
    }
}
