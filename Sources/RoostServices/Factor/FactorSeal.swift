import Crypto
import Foundation

/// Encrypts the secrets of second factors for the database, as `GrantSeal` does grants: by AES-GCM with a key of its
/// own from the secret in the data folder. A copy of the database alone makes no code. Immutable.
struct FactorSeal: Sendable {
    private let key: SymmetricKey

    init(_ secret: SymmetricKey) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Data("roost second factors".utf8), outputByteCount: 32)
    }

    /// A secret as it is kept. It opens for this user only.
    func sealed(_ secret: [UInt8], of user: String) throws(ServiceFault) -> [UInt8] {
        guard let box = try? AES.GCM.seal(Data(secret), using: key, authenticating: Data(user.utf8)),
            let bytes = box.combined
        else { throw ServiceFault(.internalError, "the secret can't be kept") }
        return [UInt8](bytes)
    }

    /// The secret; nil if it was sealed with another key, such as one that was deleted after a theft.
    func opened(_ bytes: [UInt8], of user: String) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: bytes),
            let secret = try? AES.GCM.open(box, using: key, authenticating: Data(user.utf8))
        else { return nil }
        return [UInt8](secret)
    }
}
