import Crypto
import Foundation

/// Encrypts grants for the database, by AES-GCM with a key of its own from the secret in the data folder: a copy of the
/// database alone gives no access to a person's account at a provider. Immutable.
struct GrantSeal: Sendable {
    private let key: SymmetricKey

    init(_ secret: SymmetricKey) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Data("roost openid grants".utf8), outputByteCount: 32)
    }

    /// A grant as it is kept. It opens for this issuer and client only.
    func sealed(_ token: String, issuer: String, client: String) throws(ServiceFault) -> SealedGrant {
        let place = GrantSeal.place(issuer, client)
        guard let box = try? AES.GCM.seal(Data(token.utf8), using: key, authenticating: place),
            let bytes = box.combined
        else { throw ServiceFault(.internalError, "what the provider granted can't be kept") }
        return SealedGrant(client: client, bytes: [UInt8](bytes))
    }

    /// The grant; nil if it was sealed with another key, such as one that was deleted after a theft.
    func opened(_ grant: SealedGrant, issuer: String) -> String? {
        guard let box = try? AES.GCM.SealedBox(combined: grant.bytes),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: GrantSeal.place(issuer, grant.client))
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    // A line break is in neither.
    private static func place(_ issuer: String, _ client: String) -> Data { Data("\(issuer)\n\(client)".utf8) }
}
