extension SigningKey {
    /// Most bytes of a key file. 32 random bytes take 43 characters.
    static let fileBytesMax = 4_096

    /// Reads the key, base64url of at least 32 bytes, from a file that only its owner may read.
    public static func load(path: String) throws(KeyFailure) -> SigningKey {
        guard !KeyFile.isMissing(path) else {
            throw KeyFailure(
                "\(path): not found; the first start of the relay creates this key. If the relay has another folder or "
                    + "configuration, run this there, or name the file by --config")
        }
        let bytes = try KeyFile.read(path, bytesMax: fileBytesMax, mustBePrivate: true)
        let text = bytes.drop(while: KeyFile.isSpace).reversed().drop(while: KeyFile.isSpace).reversed()
        guard let secret = Base64URL.decode(String(decoding: text, as: UTF8.self)) else {
            throw KeyFailure("\(path): not a signing key; expected base64url without padding")
        }
        guard secret.count >= secretBytes else {
            throw KeyFailure("\(path): the key has \(secret.count) bytes; at least \(secretBytes) are needed")
        }
        return SigningKey(secret: secret)
    }

    /// Reads the key. If there is no file, creates one with 32 random bytes; if its folder is missing too, creates that
    /// for the owner only (its parent must exist). Two processes that start at once end up with the same key.
    public static func loadOrCreate(path: String) throws(KeyFailure) -> SigningKey {
        if KeyFile.isMissing(path) {
            let text = Base64URL.encode(random().secret) + "\n"
            try KeyFile.create(path, holding: [UInt8](text.utf8))
        }
        return try load(path: path)
    }
}
