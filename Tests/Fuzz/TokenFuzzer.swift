import Foundation
import JWTKit
import RoostWire

@testable import RoostAuth

/// libFuzzer's entry: any bytes as a token. The first line is taken as it is; then the first line as a header and the
/// rest as claims, properly signed, as an issuer might write them. Nothing may crash, and the same token gets the same
/// verdict again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let (header, claims) = (Array(parts.first ?? []), Array(parts.dropFirst().first ?? []))
    let texts = [
        String(decoding: header, as: UTF8.self), signed(header: header, claims: claims),
        signed(header: Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8), claims: claims),
    ]
    for text in texts {
        let first = verdict(text)
        guard verdict(text) == first else { fatalError("the same token got another verdict") }
    }
    return 0
}

private let key = SigningKey.random()
private let verifier = wait {
    try await TokenVerifier(keys: [VerificationKey(key)], audience: nil, issuer: nil)
}
private let signer = wait { try await VerificationKey(key).signer().getKey() }

private func signed(header: [UInt8], claims: [UInt8]) -> String {
    let input = Base64URL.encode(header) + "." + Base64URL.encode(claims)
    guard let signature = try? signer.sign(Data(input.utf8)) else { fatalError("can't sign") }
    return input + "." + Base64URL.encode(signature)
}

private func verdict(_ token: String) -> String {
    let verifier = verifier
    let result = wait { await verifier.verify(token, now: Timestamp(milliseconds: 1_700_000_000_000)) }
    switch result {
    case .success(let grant): return "\(grant)"
    case .failure(let failure): return "\(failure)"
    }
}

private final class Box<Value>: @unchecked Sendable {
    var value: Value?
}

// libFuzzer calls this on its own thread, so it may wait here.
private func wait<Value>(_ body: @escaping @Sendable () async throws -> Value) -> Value {
    let done = DispatchSemaphore(value: 0)
    let box = Box<Value>()
    Task.detached {
        box.value = try? await body()
        done.signal()
    }
    done.wait()
    guard let value = box.value else { fatalError("no value") }
    return value
}
