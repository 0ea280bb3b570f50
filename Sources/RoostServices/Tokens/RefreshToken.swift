import Crypto
import Foundation
import RoostAuth

/// A refresh token: the id of its session, 256 random bits, and a mark that only we can make. So an old token of a
/// session is distinguished from an invented one without being kept: an old one means that a token was stolen.
struct RefreshToken: Sendable, Equatable {
    private static let secretBytes = 32
    private static let markBytes = 16
    /// Session, full stop, 48 bytes in base64url.
    static let characters = 16 + 1 + 64

    let sid: String
    let text: String
    private let secret: [UInt8]

    /// Makes the first token of a session.
    init(sid: String, keys: KeyRing) {
        self.init(sid: sid, secret: RandomName.bytes(RefreshToken.secretBytes), keys: keys)
    }

    private init(sid: String, secret: [UInt8], keys: KeyRing) {
        self.sid = sid
        self.secret = secret
        text = sid + "." + Base64URL.encode(secret + RefreshToken.mark(sid, secret, keys))
    }

    /// The token that replaces this one: always the same, so that an exchange that is made twice, by two tabs or after
    /// a lost answer, gives the same token without any being kept. Only we can derive it.
    func next(_ keys: KeyRing) -> RefreshToken {
        var code = HMAC<SHA256>(key: keys.secret)
        code.update(data: Data("next refresh token".utf8))
        code.update(data: Data(sid.utf8))
        code.update(data: Data(secret))
        return RefreshToken(sid: sid, secret: Array(code.finalize()), keys: keys)
    }

    /// Number of exchanges since this token was the session's newest, and the newest token; nil if that is more than
    /// `most`.
    func newest(_ current: [UInt8], most: Int, _ keys: KeyRing) -> (age: Int, token: RefreshToken)? {
        var token = self
        for age in 0...max(0, most) {
            if token.hash == current { return (age, token) }
            token = token.next(keys)
        }
        return nil
    }

    /// Reads a token; nil if we didn't make it.
    init?(reading text: String, keys: KeyRing) {
        guard text.utf8.count == RefreshToken.characters, let dot = text.firstIndex(of: ".") else { return nil }
        let sid = String(text[..<dot])
        guard RandomName.isSession(sid), let bytes = Base64URL.decode(text[text.index(after: dot)...]),
            bytes.count == RefreshToken.secretBytes + RefreshToken.markBytes
        else { return nil }
        let secret = Array(bytes.prefix(RefreshToken.secretBytes))
        let mark = bytes.suffix(RefreshToken.markBytes)
        // In constant time, so that a mark can't be found byte by byte.
        var difference: UInt8 = 0
        for (one, other) in zip(mark, RefreshToken.mark(sid, secret, keys)) { difference |= one ^ other }
        guard difference == 0 else { return nil }
        self.sid = sid
        self.text = text
        self.secret = secret
    }

    private static func mark(_ sid: String, _ secret: [UInt8], _ keys: KeyRing) -> [UInt8] {
        var code = HMAC<SHA256>(key: keys.secret)
        code.update(data: Data("refresh".utf8))
        code.update(data: Data(sid.utf8))
        code.update(data: Data(secret))
        return Array(code.finalize().prefix(markBytes))
    }

    /// The stored hash.
    var hash: [UInt8] { RefreshToken.hash(text) }

    /// SHA-256. Without salt, because 256 bits can't be guessed.
    static func hash(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
}

extension RefreshToken {
    /// 256 random bits, for a link.
    static func randomText() -> String { Base64URL.encode(RandomName.bytes(secretBytes)) }
}
