internal import COpenSSL
internal import Glibc
public import RoostWire

/// The identity, the trusted certificates and the protocol settings that all connections of one side share. It doesn't
/// change: new certificates need a new context, and connections keep theirs.
///
/// It is made on any thread. From its first connection on it belongs to that connection's thread, hence
/// `@unchecked Sendable`.
public final class TLSContext: @unchecked Sendable {
    /// A record's most bytes (RFC 8446, section 5.1).
    static let recordBytes = 16_384

    let pointer: OpaquePointer
    let pipe: UnsafeMutablePointer<shim_pipe>
    /// Where a record is decrypted.
    let record = UnsafeMutableRawBufferPointer.allocate(byteCount: recordBytes, alignment: 16)
    // BIO_METHOD is one for the process.
    nonisolated(unsafe) static let method = shim_pipe_method()

    /// A server.
    /// - Parameters:
    ///   - certificate: a file with the certificate and those that sign it, in PEM.
    ///   - key: a file with its private key, in PEM.
    ///   - clientCA: a file with the certificates that may sign those of clients; nil if clients aren't asked for one.
    public init(certificate: String, key: String, clientCA: String?) throws(TLSFailure) {
        ERR_clear_error()
        guard let made = SSL_CTX_new(TLS_server_method()) else { throw .last("TLS can't be used") }
        pointer = made
        pipe = .allocate(capacity: 1)
        pipe.initialize(to: shim_pipe())
        guard shim_tls_limit(made) == 1 else { throw .last("TLS 1.2 can't be limited") }
        shim_tls_speak_http(made)
        guard SSL_CTX_use_certificate_chain_file(made, certificate) == 1 else { throw .last(certificate) }
        guard SSL_CTX_use_PrivateKey_file(made, key, SSL_FILETYPE_PEM) == 1, SSL_CTX_check_private_key(made) == 1
        else { throw .last(key) }
        guard let clientCA else { return }
        guard let names = SSL_load_client_CA_file(clientCA) else { throw .last(clientCA) }
        SSL_CTX_set_client_CA_list(made, names)
        guard SSL_CTX_load_verify_locations(made, clientCA, nil) == 1 else { throw .last(clientCA) }
        // Asked for, and not required: what a request wants may be open to all.
        SSL_CTX_set_verify(made, SSL_VERIFY_PEER, nil)
        // A session is only taken up by the server that asked for the certificate.
        let name: StaticString = "roost"
        SSL_CTX_set_session_id_context(made, name.utf8Start, UInt32(name.utf8CodeUnitCount))
    }

    /// A client.
    /// - Parameter caFile: a file with the certificates that may sign the server's, in PEM; nil for those of the
    ///   system.
    public init(trusting caFile: String?) throws(TLSFailure) {
        ERR_clear_error()
        guard let made = SSL_CTX_new(TLS_client_method()) else { throw .last("TLS can't be used") }
        pointer = made
        pipe = .allocate(capacity: 1)
        pipe.initialize(to: shim_pipe())
        guard shim_tls_limit(made) == 1 else { throw .last("TLS 1.2 can't be limited") }
        let isLoaded =
            if let caFile { SSL_CTX_load_verify_locations(made, caFile, nil) == 1 } else {
                SSL_CTX_set_default_verify_paths(made) == 1
            }
        guard isLoaded else { throw .last(caFile ?? "the system's certificates") }
        SSL_CTX_set_verify(made, SSL_VERIFY_PEER, nil)
    }

    /// When the certificate expires; nil if there is none.
    public var expires: Timestamp? {
        var time = tm()
        guard let certificate = SSL_CTX_get0_certificate(pointer),
            ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1
        else { return nil }
        return Timestamp(milliseconds: Int64(timegm(&time)) * 1_000)
    }

    /// The first name in the certificate, such as `chat.example.org` or `*.example.org`; nil if it has none.
    public var name: String? {
        var bytes = [CChar](repeating: 0, count: 256)
        guard let certificate = SSL_CTX_get0_certificate(pointer),
            shim_tls_first_name(certificate, &bytes, Int32(bytes.count)) == 1
        else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        SSL_CTX_free(pointer)
        free(pipe.pointee.output)
        pipe.deallocate()
        record.deallocate()
    }
}
