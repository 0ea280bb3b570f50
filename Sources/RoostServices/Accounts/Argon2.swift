import CArgon2
import Foundation

/// Argon2id by libargon2 (RFC 9106), in the form of PHC strings, which name their own parameters. Each call takes tens
/// of milliseconds and 19 MiB: only `HashPool` makes them.
enum Argon2 {
    /// OWASP's Password Storage Cheat Sheet: 19 MiB, 2 passes, 1 lane.
    static let kibibytes: UInt32 = 19_456
    static let passes: UInt32 = 2
    static let lanes: UInt32 = 1
    private static let saltBytes = 16
    private static let hashBytes = 32

    /// What every hash with today's parameters begins with.
    static let head = "$argon2id$v=19$m=\(kibibytes),t=\(passes),p=\(lanes)$"

    // The same however a keyboard composes its letters (NFC, as RFC 8265, section 4.2.2 has it): some make "ế" of one
    // character, some of three.
    private static func bytes(of password: String) -> [UInt8] {
        Array(password.precomposedStringWithCanonicalMapping.utf8)
    }

    /// Hashes a password with a new salt; nil if there is no memory.
    static func hash(_ password: String) -> String? {
        let salt = RandomName.bytes(saltBytes)
        let room = argon2_encodedlen(
            passes, kibibytes, lanes, UInt32(saltBytes), UInt32(hashBytes), Argon2_id)
        var encoded = [CChar](repeating: 0, count: room)
        let code = bytes(of: password).withUnsafeBytes { bytes in
            argon2id_hash_encoded(
                passes, kibibytes, lanes, bytes.baseAddress, bytes.count, salt, salt.count, hashBytes, &encoded, room)
        }
        guard code == ARGON2_OK.rawValue else { return nil }
        return encoded.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Whether it is the password; nil if the hash can't be read or there is no memory.
    static func verify(_ password: String, against encoded: String) -> Bool? {
        let code = bytes(of: password).withUnsafeBytes { bytes in
            argon2id_verify(encoded, bytes.baseAddress, bytes.count)
        }
        switch code {
        case ARGON2_OK.rawValue: return true
        case ARGON2_VERIFY_MISMATCH.rawValue: return false
        default: return nil
        }
    }
}
