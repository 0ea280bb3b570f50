import COpenSSL
import Foundation

/// A hash as Firebase makes them (github.com/firebase/scrypt): scrypt turns the password into a key, AES-256 in counter
/// mode encrypts the project's signer key by it, and that is the hash. A counter mode adds a stream of bytes to what it
/// encrypts, so the stream alone shows whether a password is right: hash and signer key are added once, at the import,
/// and the signer key is kept nowhere. Each check takes tens of milliseconds and up to 16 MiB: only `HashPool` makes
/// them.
struct FirebaseScrypt: Sendable, Equatable {
    /// The prefix of these hashes among those of `account.hash`.
    static let mark = "$firebase-scrypt$"
    /// The most that Firebase takes (cloud.google.com/identity-platform, `hashConfig`), and so the most that an import
    /// may ask of us: 128 * 8 * 2^14 bytes are less than what Argon2 takes.
    static let memoryCostMax = 14
    static let roundsMax = 8
    /// Firebase's salts have 10 bytes and its separators one; users who were imported there may have longer ones.
    static let saltBytesMax = 128
    /// Firebase's signer keys have 64 bytes. Fewer than 32 would let wrong passwords in.
    static let streamBytes = 32...128
    private static let keyBytes = 32
    private static let blockBytes = 16
    // Most memory that OpenSSL may allocate for one check. It needs some kilobytes beside the 16 MiB.
    private static let memoryMax: UInt64 = 32 << 20

    /// The binary logarithm of how many blocks of memory are filled.
    let memoryCost: Int
    /// Size of each of these blocks.
    let rounds: Int
    /// The user's salt, and the project's separator.
    let salt: [UInt8]
    /// The bytes that the right password produces.
    let stream: [UInt8]

    /// Nil if it is beyond the bounds.
    init?(memoryCost: Int, rounds: Int, salt: [UInt8], stream: [UInt8]) {
        guard (1...FirebaseScrypt.memoryCostMax).contains(memoryCost),
            (1...FirebaseScrypt.roundsMax).contains(rounds), salt.count <= FirebaseScrypt.saltBytesMax,
            FirebaseScrypt.streamBytes.contains(stream.count)
        else { return nil }
        self.memoryCost = memoryCost
        self.rounds = rounds
        self.salt = salt
        self.stream = stream
    }

    /// Reads what `text` wrote.
    init?(reading text: String) {
        guard text.hasPrefix(FirebaseScrypt.mark) else { return nil }
        let parts = text.dropFirst(FirebaseScrypt.mark.count).split(
            separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, let cost = Int(parts[0]), let rounds = Int(parts[1]),
            let salt = Data(base64Encoded: String(parts[2])), let stream = Data(base64Encoded: String(parts[3]))
        else { return nil }
        self.init(memoryCost: cost, rounds: rounds, salt: Array(salt), stream: Array(stream))
    }

    /// In one line, for the column of hashes.
    var text: String {
        let (salt, stream) = (Data(salt).base64EncodedString(), Data(stream).base64EncodedString())
        return "\(FirebaseScrypt.mark)\(memoryCost)$\(rounds)$\(salt)$\(stream)"
    }

    /// A hash with these parameters that no password has.
    func decoy() -> FirebaseScrypt? {
        FirebaseScrypt(
            memoryCost: memoryCost, rounds: rounds, salt: RandomName.bytes(salt.count),
            stream: RandomName.bytes(stream.count))
    }

    /// Whether it is the password; nil if there is no memory.
    func verify(_ password: String) -> Bool? {
        guard let key = key(of: password), let made = encryptedZeros(by: key) else { return nil }
        return CRYPTO_memcmp(made, stream, stream.count) == 0
    }

    private func key(of password: String) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: FirebaseScrypt.keyBytes)
        let bytes = Array(password.utf8)
        let isMade = bytes.withUnsafeBytes { bytes in
            EVP_PBE_scrypt(
                bytes.baseAddress, bytes.count, salt, salt.count, 1 << UInt64(memoryCost), UInt64(rounds), 1,
                FirebaseScrypt.memoryMax, &key, key.count)
        }
        return isMade == 1 ? key : nil
    }

    // Zeros plus the stream are the stream.
    private func encryptedZeros(by key: [UInt8]) -> [UInt8]? {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        let counter = [UInt8](repeating: 0, count: FirebaseScrypt.blockBytes)
        let zeros = [UInt8](repeating: 0, count: stream.count)
        var made = [UInt8](repeating: 0, count: stream.count + FirebaseScrypt.blockBytes)
        var count: Int32 = 0
        guard EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key, counter) == 1,
            EVP_EncryptUpdate(context, &made, &count, zeros, Int32(zeros.count)) == 1, Int(count) == stream.count
        else { return nil }
        return Array(made.prefix(stream.count))
    }
}
