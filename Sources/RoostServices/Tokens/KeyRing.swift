import Crypto
import Foundation
import Glibc
import RoostAuth
import RoostWire
import Synchronization

/// The keys in the data folder: those that sign tokens, and the one that marks refresh tokens as ours. Only their
/// owner may read them; the public parts are in `keys.json` for the relay. Any thread may use it.
package final class KeyRing: Sendable {
    /// Most bytes of a key's file. A PEM has 240.
    private static let fileBytesMax = 4_096

    private let folder: String
    private let published: String
    private let afterlife: Int64
    private let settling: Int64
    private let clock: WallClock
    private let keys: Mutex<[TokenKey]>
    /// The key for HMAC, against forging and guessing.
    package let secret: SymmetricKey

    /// Reads the keys of a data folder, and makes those that aren't there.
    package init(data: String, limits: ServicesLimits, clock: WallClock) throws(KeyFailure) {
        folder = data + "/keys"
        published = data + "/keys.json"
        afterlife = limits.keyAfterlifeSeconds * 1_000
        settling = limits.keySettlingSeconds * 1_000
        self.clock = clock
        do {
            // The relay reads the public keys in the folder; secret keys are in files that only their owner may read.
            try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw KeyFailure("\(data): can't be created")
        }
        secret = try KeyRing.secret(folder + "/secret")
        keys = Mutex([])
        if try files().isEmpty { try KeyRing.create(in: folder, now: clock.now()) }
        try load(now: clock.now())
    }

    private static func secret(_ path: String) throws(KeyFailure) -> SymmetricKey {
        if KeyFile.isMissing(path) { try KeyFile.create(path, holding: RandomName.bytes(32)) }
        let bytes = try KeyFile.read(path, bytesMax: fileBytesMax, mustBePrivate: true)
        guard bytes.count == 32 else { throw KeyFailure("\(path): not a key of 32 bytes") }
        return SymmetricKey(data: bytes)
    }

    private static func create(in folder: String, now: Int64) throws(KeyFailure) {
        let pem = P256.Signing.PrivateKey().pemRepresentation
        try KeyFile.create("\(folder)/\(now).pem", holding: Array(pem.utf8))
    }

    /// Makes a new key, which signs from now on, and publishes it. The old one is published until its last token has
    /// ended.
    package static func rotate(data: String, limits: ServicesLimits, clock: WallClock) throws(KeyFailure) {
        let ring = try KeyRing(data: data, limits: limits, clock: clock)
        // Files are distinguished by their time.
        let newest = ring.keys.withLock { $0.last?.created } ?? 0
        try create(in: ring.folder, now: max(clock.now(), newest + 1))
        try ring.load(now: clock.now())
    }

    /// Looks at the folder again: a command may have made a key, and old ones end.
    package func load(now: Int64) throws(KeyFailure) {
        var found: [TokenKey] = []
        for created in try files() {
            let path = "\(folder)/\(created).pem"
            let bytes = try KeyFile.read(path, bytesMax: KeyRing.fileBytesMax, mustBePrivate: true)
            guard let key = try? P256.Signing.PrivateKey(pemRepresentation: String(decoding: bytes, as: UTF8.self))
            else { throw KeyFailure("\(path): not a private key for ES256") }
            found.append(TokenKey(created: created, key: key))
        }
        guard !found.isEmpty else { throw KeyFailure("\(folder): there is no key") }
        // A key ends when the next one has been there for as long as a token can last.
        let ended = zip(found, found.dropFirst()).filter { $1.created + afterlife <= now }.map(\.0)
        found.removeAll { key in ended.contains { $0.created == key.created } }
        let loaded = found
        try publish(loaded)
        keys.withLock { $0 = loaded }
        for key in ended { unlink("\(folder)/\(key.created).pem") }
    }

    /// When each key was made, the oldest first.
    private func files() throws(KeyFailure) -> [Int64] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw KeyFailure("\(folder): can't be read")
        }
        return names.compactMap { $0.hasSuffix(".pem") ? Int64($0.dropLast(4)) : nil }.sorted()
    }

    /// Writes the public keys in one step: the relay reads the old file or the new one.
    private func publish(_ keys: [TokenKey]) throws(KeyFailure) {
        let text = KeyRing.set(keys)
        if let now = try? Data(contentsOf: URL(fileURLWithPath: published)), now == Data(text.utf8) { return }
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: published), options: .atomic)
        } catch {
            throw KeyFailure("\(published): can't be written")
        }
        guard chmod(published, 0o644) == 0 else { throw KeyFailure("\(published): can't be written") }
    }

    private static func set(_ keys: [TokenKey]) -> String {
        "{\"keys\":[" + keys.map(\.jwk).joined(separator: ",\n") + "]}\n"
    }

    /// The public keys as a JWK set (RFC 7517, section 5).
    package var jwks: String { KeyRing.set(keys.withLock { $0 }) }

    /// Signs with the newest key that the relay can have read.
    func sign(_ claims: [UInt8]) throws(ServiceFault) -> String {
        let now = clock.now()
        let key = keys.withLock { keys in keys.last { $0.created + settling <= now } ?? keys.first }
        guard let key else { throw ServiceFault(.internalError, "there is no key") }
        return try key.sign(claims)
    }

    /// The claims of a token that one of the keys signed.
    func claims(of token: String) -> [UInt8]? {
        for key in keys.withLock({ $0 }) {
            if let claims = key.claims(of: token) { return claims }
        }
        return nil
    }

    /// A keyed hash: of what is compared and never shown.
    func digest(_ text: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: secret))
    }
}
