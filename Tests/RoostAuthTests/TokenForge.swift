import Foundation
import JWTKit
import RoostWire
import Testing

@testable import RoostAuth

/// Makes tokens that no honest issuer makes: any header, any payload, signed properly or not at all.
struct TokenForge {
    static let now = Timestamp(milliseconds: 1_700_000_000_000)
    static let header = #"{"alg":"HS256","typ":"JWT"}"#

    let key = SigningKey.random()

    /// Signs the two texts as they are.
    func token(header: String = TokenForge.header, payload: String) async throws -> String {
        try await token(header: [UInt8](header.utf8), payload: [UInt8](payload.utf8))
    }

    func token(header: [UInt8], payload: [UInt8]) async throws -> String {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        let signer = try await VerificationKey(key).signer().getKey()
        return input + "." + Base64URL.encode(try signer.sign(Data(input.utf8)))
    }

    /// A correct payload except for the given members. A value is raw JSON; an empty one leaves the member out.
    func payload(_ changes: [String: String] = [:]) -> String {
        let members = ["sub": #""alice""#, "exp": "1700000600"].merging(changes) { $1 }
        return "{" + members.filter { !$1.isEmpty }.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    func verifier(audience: String? = nil, issuer: String? = nil) async throws -> TokenVerifier {
        try await TokenVerifier(keys: [VerificationKey(key)], audience: audience, issuer: issuer)
    }

    /// The result of verifying a token with these claims.
    func verdict(
        _ changes: [String: String],
        audience: String? = nil,
        issuer: String? = nil
    ) async throws -> Result<Grant, TokenFailure> {
        let token = try await token(payload: payload(changes))
        return try await verifier(audience: audience, issuer: issuer).verify(token, now: Self.now)
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

/// Runs `body` with the path of a new empty folder, and removes the folder afterwards.
func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roost-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
}
