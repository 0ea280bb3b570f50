import Foundation
import JWTKit
import RoostWire
import Synchronization
import Testing

@testable import RoostAuth

/// A token with the name of an unknown key makes the relay read its files of public keys again, not too often.
@Suite struct KeyRingTests {
    private let now = TokenForge.now

    /// A key pair of an issuer, made for the test.
    private struct Pair {
        let name: String
        let key = ES256PrivateKey()

        var jwk: String {
            get throws {
                guard let point = key.publicKey.parameters else { throw CancellationError() }
                let (x, y) = (Pair.url(point.x), Pair.url(point.y))
                return #"{"kty":"EC","crv":"P-256","kid":"\#(name)","x":"\#(x)","y":"\#(y)"}"#
            }
        }

        func token() async throws -> String {
            var claims = TokenClaims()
            claims.subject = .present("alice")
            claims.expires = .present(1_700_000_600)
            let keys = await JWTKeyCollection().add(ecdsa: key, kid: JWKIdentifier(string: name))
            return try await keys.sign(claims, kid: JWKIdentifier(string: name))
        }

        private static func url(_ text: String) -> String {
            text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
        }
    }

    /// A clock that the test moves.
    private final class TestClock: Sendable {
        let seconds = Mutex<UInt64>(1_000)
        func advance(_ count: UInt64) { seconds.withLock { $0 += count } }
        var nanoseconds: UInt64 { seconds.withLock { $0 } * 1_000_000_000 }
    }

    private func write(_ pairs: [Pair], to path: String) throws {
        try Data("{\"keys\":[\(pairs.map { try $0.jwk }.joined(separator: ","))]}".utf8)
            .write(to: URL(fileURLWithPath: path))
    }

    private func ring(_ paths: [String], _ clock: TestClock) async throws -> KeyRing {
        try await KeyRing(
            KeyRing.Source(own: .random(), paths: paths, audience: nil, issuer: nil), clock: { clock.nanoseconds })
    }

    @Test func aKeyThatIsNewInTheFileIsFound() async throws {
        try await withFolder { folder in
            let (path, clock) = (folder + "/keys.json", TestClock())
            let (old, new) = (Pair(name: "old"), Pair(name: "new"))
            try write([old], to: path)
            let ring = try await ring([path], clock)
            #expect(try await ring.verify(old.token(), now: now).get().user == "alice")
            #expect(ring.reads == 0)
            try write([old, new], to: path)
            #expect(try await ring.verify(new.token(), now: now).get().user == "alice")
            #expect(try await ring.verify(old.token(), now: now).get().user == "alice")
            #expect(ring.reads == 1)
            // One that is gone is gone with the next read.
            try write([new], to: path)
            clock.advance(5)
            #expect(try await ring.verify(Pair(name: "third").token(), now: now).failure == .unknownKey)
            #expect(try await ring.verify(old.token(), now: now).failure == .unknownKey)
        }
    }

    @Test func inventedNamesCostOneReadInFiveSeconds() async throws {
        try await withFolder { folder in
            let (path, clock) = (folder + "/keys.json", TestClock())
            try write([Pair(name: "only")], to: path)
            let ring = try await ring([path], clock)
            let tokens = try await (0..<40).async { try await Pair(name: "k\($0)").token() }
            await withTaskGroup(of: Void.self) { group in
                for token in tokens {
                    group.addTask { #expect(await ring.verify(token, now: now).failure == .unknownKey) }
                }
            }
            #expect(ring.reads == 1)
            clock.advance(4)
            #expect(await ring.verify(tokens[0], now: now).failure == .unknownKey)
            #expect(ring.reads == 1)
            clock.advance(1)
            #expect(await ring.verify(tokens[0], now: now).failure == .unknownKey)
            #expect(ring.reads == 2)
        }
    }

    @Test(arguments: ["", "nonsense", #"{"keys":[]}"#, nil])
    func filesThatCanNotBeReadLeaveTheKeys(_ text: String?) async throws {
        try await withFolder { folder in
            let (path, clock) = (folder + "/keys.json", TestClock())
            let (old, new) = (Pair(name: "old"), Pair(name: "new"))
            try write([old], to: path)
            let ring = try await ring([path], clock)
            try FileManager.default.removeItem(atPath: path)
            if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
            #expect(try await ring.verify(new.token(), now: now).failure == .unknownKey)
            #expect(try await ring.verify(old.token(), now: now).get().user == "alice")
            try write([new], to: path)
            clock.advance(5)
            #expect(try await ring.verify(new.token(), now: now).get().user == "alice")
        }
    }

    /// Neither is a reason to read: a wrong signature under a known name, and a token without a name.
    @Test func onlyAnUnknownNameIsAReason() async throws {
        try await withFolder { folder in
            let (path, clock) = (folder + "/keys.json", TestClock())
            try write([Pair(name: "only")], to: path)
            let ring = try await ring([path], clock)
            #expect(try await ring.verify(Pair(name: "only").token(), now: now).failure == .badSignature)
            #expect(await ring.verify("nonsense", now: now).failure == .malformed)
            let forged = try await TokenForge().token(payload: TokenForge().payload())
            #expect(await ring.verify(forged, now: now).failure == .badSignature)
            #expect(ring.reads == 0)
            // Without files there is nothing to read.
            let own = try await self.ring([], clock)
            #expect(try await own.verify(Pair(name: "x").token(), now: now).failure == .unacceptedAlgorithm)
            #expect(own.reads == 0)
        }
    }

    /// A key from a PEM file has no name, so it may be the one that is meant: only its signature says that it isn't.
    @Test func aKeyWithoutANameHidesNoNewOne() async throws {
        try await withFolder { folder in
            let (path, clock) = (folder + "/keys.json", TestClock())
            let new = Pair(name: "new")
            try Data(ForeignKeys.p256PEM.utf8).write(to: URL(fileURLWithPath: folder + "/key.pem"))
            try write([Pair(name: "old")], to: path)
            let ring = try await ring([folder + "/key.pem", path], clock)
            try write([new], to: path)
            #expect(try await ring.verify(new.token(), now: now).get().user == "alice")
        }
    }
}

extension Range<Int> {
    fileprivate func async<Value>(_ body: (Int) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for number in self { values.append(try await body(number)) }
        return values
    }
}
