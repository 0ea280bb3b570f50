import Crypto
import Foundation
import RoostAuth

/// A refresh token: the id of its session, 256 random bits, and a mark that only we can make. So an old token of a
/// session is told from an invented one without being kept: whoever has one stole it, or was stolen from.
struct RefreshToken: Sendable, Equatable {
    private static let secretBytes = 32
    private static let markBytes = 16
    /// Session, full stop, 48 bytes in base64url.
    static let characters = 16 + 1 + 64

    let sid: String
    let text: String

    /// Makes the next token of a session.
    init(sid: String, keys: KeyRing) {
        let secret = RandomName.bytes(RefreshToken.secretBytes)
        self.sid = sid
        text = sid + "." + Base64URL.encode(secret + RefreshToken.mark(sid, secret, keys))
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
    }

    private static func mark(_ sid: String, _ secret: [UInt8], _ keys: KeyRing) -> [UInt8] {
        var code = HMAC<SHA256>(key: keys.secret)
        code.update(data: Data("refresh".utf8))
        code.update(data: Data(sid.utf8))
        code.update(data: Data(secret))
        return Array(code.finalize().prefix(markBytes))
    }

    /// What is stored of it.
    var hash: [UInt8] { RefreshToken.hash(text) }

    /// SHA-256. Without salt, because nobody guesses 256 bits.
    static func hash(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
}

extension RefreshToken {
    /// 256 random bits, for a link.
    static func randomText() -> String { Base64URL.encode(RandomName.bytes(secretBytes)) }
}
