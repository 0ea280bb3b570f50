import Foundation
import JWTKit

// The example of Docs/Clients.md, as it is there. A test compares them and has a relay take the token.

struct Claims: JWTPayload {
    let sub: SubjectClaim
    var iat = IssuedAtClaim(value: .now)
    var exp = ExpirationClaim(value: .now + 3_600)

    func verify(using key: some JWTAlgorithm) throws { try exp.verifyNotExpired() }
}

func token(for user: String) async throws -> String {
    let text = try String(contentsOfFile: "signing.key", encoding: .utf8)
    let base64 = text.filter { !$0.isWhitespace }.replacing("-", with: "+").replacing("_", with: "/") + "="
    guard let bytes = Data(base64Encoded: base64) else { throw CocoaError(.fileReadCorruptFile) }
    let keys = await JWTKeyCollection().add(hmac: HMACKey(from: bytes), digestAlgorithm: .sha256)
    return try await keys.sign(Claims(sub: SubjectClaim(value: user)))
}

@main
struct TokenExample {
    static func main() async throws { print(try await token(for: "alice")) }
}
