import JWTKit

extension VerificationKey {
    /// Most bytes of a file of public keys. A JWK set with certificate chains takes some kilobytes a key.
    static let fileBytesMax = 262_144

    /// Reads public keys from a file: PEM blocks (`PUBLIC KEY`), or a JWK set (RFC 7517) in JSON.
    ///
    /// Throws on private and symmetric keys: a relay that only checks tokens must not hold a key that can sign.
    public static func load(path: String) throws(KeyFailure) -> [VerificationKey] {
        let bytes = try KeyFile.read(path, bytesMax: fileBytesMax, mustBePrivate: false)
        let text = String(decoding: bytes, as: UTF8.self)
        if bytes.first(where: { !KeyFile.isSpace($0) }) == UInt8(ascii: "{") {
            return try keys(ofSet: bytes, path: path)
        }
        return try keys(ofPEM: text, path: path)
    }

    private static func keys(ofPEM text: String, path: String) throws(KeyFailure) -> [VerificationKey] {
        var keys: [VerificationKey] = []
        var block: [Substring] = []
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN ") { block = [] }
            block.append(line)
            guard line.hasPrefix("-----END ") else { continue }
            guard !line.contains("PRIVATE") else {
                throw KeyFailure("\(path): contains a private key; only public keys are allowed")
            }
            guard let key = key(ofBlock: block.joined(separator: "\n")) else {
                throw KeyFailure(
                    "\(path): not a public key for RS256 (2048 bits or more), ES256 (P-256) or EdDSA (Ed25519)"
                )
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw KeyFailure("\(path): contains neither a PEM public key nor a JWK set") }
        return keys
    }

    // The block is labelled PUBLIC KEY for every algorithm. Each parser accepts only its own object identifier.
    private static func key(ofBlock block: String) -> VerificationKey? {
        if let key = try? Insecure.RSA.PublicKey(pem: block) { return VerificationKey(.rsa(key)) }
        if let key = try? ES256PublicKey(pem: block) { return VerificationKey(.p256(key)) }
        if let key = try? EdDSA.PublicKey(pem: block) { return VerificationKey(.ed25519(key)) }
        return nil
    }
}
