import Crypto
import Foundation
import RoostAuth
import RoostWire

/// Apple's substitute for a client secret: a token that we sign for each use (developer.apple.com, "Creating a client
/// secret"). Immutable.
struct AppleKey: Sendable {
    /// Most bytes of the file. Apple's have 257.
    private static let fileBytesMax = 4_096
    /// Lifetime of such a token, in seconds. Apple allows half a year; a request takes seconds.
    private static let life: Int64 = 300

    private let team: String
    private let key: P256.Signing.PrivateKey
    private let head: String

    /// - Parameters:
    ///   - team: the ten characters of the developer's team.
    ///   - name: the ten characters of the key.
    ///   - path: the `.p8` file, which only its owner may read.
    init(team: String, name: String, path: String) throws(KeyFailure) {
        let bytes = try KeyFile.read(path, bytesMax: AppleKey.fileBytesMax, mustBePrivate: true)
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: String(decoding: bytes, as: UTF8.self)) else {
            throw KeyFailure("\(path): not a private key for ES256")
        }
        self.init(team: team, name: name, key: key)
    }

    init(team: String, name: String, key: P256.Signing.PrivateKey) {
        self.team = team
        self.key = key
        head = Base64URL.encode(
            JSONWriter.object { writer in
                writer.member("alg", "ES256")
                writer.member("kid", name)
            })
    }

    /// The secret of a client: an app or a website.
    func secret(of client: String, issuer: String, now: Int64) throws(ServiceFault) -> String {
        let claims = JSONWriter.object { writer in
            writer.member("iss", team)
            writer.member("iat", now)
            writer.member("exp", now + AppleKey.life)
            writer.member("aud", issuer)
            writer.member("sub", client)
        }
        let text = head + "." + Base64URL.encode(claims)
        guard let signature = try? key.signature(for: Data(text.utf8)) else {
            throw ServiceFault(.internalError, "the client's secret can't be signed")
        }
        return text + "." + Base64URL.encode([UInt8](signature.rawRepresentation))
    }
}
