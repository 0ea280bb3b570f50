import CSodium
import Foundation

/// Argon2id (RFC 9106) by libsodium, in the form of PHC strings, which name their own parameters. Each call takes some
/// 10 ms and 19 MiB: only `HashPool` makes them.
enum Argon2 {
    /// OWASP's Password Storage Cheat Sheet: 19 MiB, 2 passes. libsodium has 1 lane.
    static let kibibytes = 19_456
    static let passes = 2

    /// The prefix of every hash with today's parameters.
    static let head = "$argon2id$v=19$m=\(kibibytes),t=\(passes),p=1$"

    /// Initializes libsodium, which chooses the instructions of this processor. Done once, at the first use.
    private static let isReady = sodium_init() >= 0

    // The same however a keyboard composes its letters (NFC, as RFC 8265, section 4.2.2 has it): some make "ế" of one
    // character, some of three.
    private static func bytes(of password: String) -> [CChar] {
        password.precomposedStringWithCanonicalMapping.utf8.map { CChar(bitPattern: $0) }
    }

    /// Hashes a password with a new salt; nil if there is no memory.
    static func hash(_ password: String) -> String? {
        guard isReady else { return nil }
        let bytes = bytes(of: password)
        var encoded = [CChar](repeating: 0, count: Int(crypto_pwhash_argon2id_STRBYTES))
        let code = crypto_pwhash_argon2id_str(
            &encoded, bytes, UInt64(bytes.count), UInt64(passes), kibibytes * 1_024)
        guard code == 0 else { return nil }
        return encoded.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Whether it is the password; nil if the hash can't be read or there is no memory.
    static func verify(_ password: String, against encoded: String) -> Bool? {
        guard isReady else { return nil }
        let bytes = bytes(of: password)
        errno = 0
        if crypto_pwhash_argon2id_str_verify(encoded, bytes, UInt64(bytes.count)) == 0 { return true }
        // This one value says that all was computed, and is another password's.
        return errno == EINVAL ? false : nil
    }
}
