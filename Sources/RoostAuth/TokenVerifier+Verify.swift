import JWTKit
import RoostWire

extension TokenVerifier {
    /// Returns what `token` grants at the time `now`, or why it is not accepted.
    public func verify(_ token: String, now: Timestamp) async -> Result<Grant, TokenFailure> {
        do throws(TokenFailure) {
            guard token.utf8.count <= Self.tokenBytesMax else { throw .tooLarge }
            let claims = try await signedClaims(of: token, header: TokenHeader(ofToken: token))
            return .success(try claims.grant(now: now, audience: audience, issuer: issuer))
        } catch {
            return .failure(error)
        }
    }

    /// Whether a token names a key, by `kid`, and there is none of this name.
    func lacksKey(of token: String) -> Bool {
        guard token.utf8.count <= Self.tokenBytesMax, let header = try? TokenHeader(ofToken: token),
            let name = header.keyIdentifier
        else { return false }
        return !entries.contains { $0.keyIdentifier == name }
    }

    /// Returns the claims if they were signed with one of the keys that the header can mean.
    private func signedClaims(of token: String, header: TokenHeader) async throws(TokenFailure) -> TokenClaims {
        let sameAlgorithm = entries.filter { $0.algorithm.rawValue == header.algorithm }
        guard !sameAlgorithm.isEmpty else { throw .unacceptedAlgorithm }
        // A key without an identifier (from a PEM file, or the relay's own) may be the one that `kid` means.
        let meant = sameAlgorithm.filter {
            header.keyIdentifier == nil || $0.keyIdentifier == nil || $0.keyIdentifier == header.keyIdentifier
        }
        guard !meant.isEmpty else { throw .unknownKey }
        for entry in meant {
            do {
                return try await entry.signer.verify(token, as: TokenClaims.self)
            } catch let error as JWTError where error.errorType == .malformedToken {
                throw .malformed  // The signature is valid, but the payload is not an object.
            } catch {
                continue
            }
        }
        throw .badSignature
    }
}
