/// The hash that a password is verified against if there is no account, so that the answer takes as long as with one.
/// While some accounts have Firebase's hashes, which take a different time from ours, the same share of unknown
/// addresses does; and each address stays on its side, as those of accounts do. A value.
struct DecoyHashes: Sendable {
    private let argon2: String
    private var firebase: String?
    private var firebaseShare = 0.0

    /// Nil if there is no memory to make one.
    init?() {
        guard let made = Argon2.hash(String(decoding: RandomName.bytes(32), as: UTF8.self)) else { return nil }
        argon2 = made
    }

    /// - Parameters:
    ///   - hash: one of Firebase's; nil if no account has one.
    ///   - share: how many of all hashes are such.
    mutating func adapt(to hash: String?, share: Double) {
        let found = hash.flatMap { FirebaseScrypt(reading: $0) }
        firebase = found?.decoy()?.text
        firebaseShare = share
    }

    /// - Parameter digest: of the address, by a key that is ours.
    func hash(for digest: [UInt8]) -> String {
        guard let firebase else { return argon2 }
        let number = digest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Double(number) < firebaseShare * Double(1 << 32 as Int64) ? firebase : argon2
    }
}
