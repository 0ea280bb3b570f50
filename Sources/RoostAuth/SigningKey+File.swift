extension SigningKey {
    /// Bytes of a key file: 32 random bytes take 43 characters.
    static let fileBytesMax = 4_096

    /// Reads the key from a file that only its owner may read: base64url of at least 32 bytes.
    public static func load(path: String) throws(KeyFailure) -> SigningKey {
        let bytes = try KeyFile.read(path, bytesMax: fileBytesMax, mustBePrivate: true)
        let text = bytes.drop(while: KeyFile.isSpace).reversed().drop(while: KeyFile.isSpace).reversed()
        guard let secret = Base64URL.decode(String(decoding: text, as: UTF8.self)) else {
            throw KeyFailure("\(path): not a signing key: base64url without padding is expected")
        }
        guard secret.count >= secretBytes else {
            throw KeyFailure("\(path): the key has \(secret.count) bytes; at least \(secretBytes) are needed")
        }
        return SigningKey(secret: secret)
    }

    /// Reads the key, or makes one with 32 random bytes if there is no such file. The folder is made too, for the owner
    /// only; its parent has to be there. When two processes begin at once, both end up with the same key.
    public static func loadOrCreate(path: String) throws(KeyFailure) -> SigningKey {
        if KeyFile.isMissing(path) {
            let text = Base64URL.encode(random().secret) + "\n"
            try KeyFile.create(path, holding: [UInt8](text.utf8))
        }
        return try load(path: path)
    }
}
