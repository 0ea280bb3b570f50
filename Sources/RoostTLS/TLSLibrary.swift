internal import COpenSSL

/// OpenSSL as a whole: one for the process.
public enum TLSLibrary {
    /// Keeps what OpenSSL has until the process is gone. Otherwise `exit` frees it while other threads still use it, so
    /// that a program that ends in the middle of a connection crashes (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT).
    /// Call it before anything else uses OpenSSL.
    public static func staysUntilTheEnd() { OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }
}
