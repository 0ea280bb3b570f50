import Foundation
import RoostWire
import Testing

@testable import RoostServices

/// Keys, access tokens and refresh tokens.
struct TokenTests {
    private let folder = TestFolder()
    private let clock = TestClock()

    private func ring() throws -> KeyRing {
        try KeyRing(data: folder.path, limits: ServicesLimits(), clock: clock.wall)
    }

    @Test func anAccessTokenIsReadUntilItEnds() throws {
        let ring = try ring()
        let token = AccessToken(user: "u1", device: "d\u{7E}1", sid: "s", issued: 100, expires: 200)
        let text = try token.signed(by: ring)
        #expect(AccessToken.read(text, by: ring, now: 199) == token)
        #expect(AccessToken.read(text, by: ring, now: 200) == nil)
        #expect(text.utf8.count < 600)
    }

    @Test func anythingElseIsNoAccessToken() throws {
        let ring = try ring()
        let token = try AccessToken(user: "u", device: "d", sid: "s", issued: 1, expires: 9).signed(by: ring)
        let parts = token.split(separator: ".")
        let service = try AccessToken.service(by: ring, issued: 1, seconds: 9)
        let other = try KeyRing(data: TestFolder().path, limits: ServicesLimits(), clock: clock.wall)
        let foreign = try AccessToken(user: "u", device: "d", sid: "s", issued: 1, expires: 9).signed(by: other)
        let texts = [
            "", ".", "..", "...", "\(parts[0])", "\(parts[0]).", "\(parts[0])..", "\(parts[0]).\(parts[1])",
            "\(parts[0]).\(parts[1]).", token + "A", "A" + token, String(token.dropLast()), service, foreign,
            "e30.\(parts[1]).\(parts[2])", "\(parts[0]).e30.\(parts[2])", String(repeating: "a", count: 100_000),
        ]
        for text in texts { #expect(AccessToken.read(text, by: ring, now: 5) == nil) }
    }

    @Test func aRotatedKeySignsAndTheOldOneIsPublishedUntilItsTokensHaveEnded() throws {
        let ring = try ring()
        let old = try AccessToken(user: "u", device: "d", sid: "s", issued: 1, expires: 9).signed(by: ring)
        clock.advance(seconds: 1)
        try KeyRing.rotate(data: folder.path, limits: ServicesLimits(), clock: clock.wall)
        try ring.load(now: clock.now)
        #expect(ring.jwks.split(separator: "kid").count == 3)
        #expect(try String(contentsOfFile: folder.path + "/keys.json", encoding: .utf8) == ring.jwks)
        // The relay has it first.
        let early = try AccessToken(user: "u", device: "d", sid: "s", issued: 1, expires: 9).signed(by: ring)
        #expect(old.prefix { $0 != "." } == early.prefix { $0 != "." })
        clock.advance(seconds: 10)
        let new = try AccessToken(user: "u", device: "d", sid: "s", issued: 1, expires: 9).signed(by: ring)
        #expect(old.prefix { $0 != "." } != new.prefix { $0 != "." })
        #expect(AccessToken.read(old, by: ring, now: 5) != nil)
        clock.advance(seconds: ServicesLimits().keyAfterlifeSeconds)
        try ring.load(now: clock.now)
        #expect(AccessToken.read(old, by: ring, now: 5) == nil)
        #expect(AccessToken.read(new, by: ring, now: 5) != nil)
        #expect(ring.jwks.split(separator: "kid").count == 2)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/keys")
        #expect(files.count { $0.hasSuffix(".pem") } == 1)
    }

    @Test func twoRotationsInOneMillisecondMakeTwoKeys() throws {
        let ring = try ring()
        for _ in 0..<2 { try KeyRing.rotate(data: folder.path, limits: ServicesLimits(), clock: clock.wall) }
        try ring.load(now: clock.now)
        #expect(ring.jwks.split(separator: "kid").count == 4)
    }

    @Test func keysAreTheirOwners() throws {
        _ = try ring()
        for name in ["keys/secret", "keys/\(clock.now).pem"] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/keys.json")[.posixPermissions]
        #expect(mode as? Int == 0o644)
    }

    @Test func aRefreshTokenIsToldFromAnInventedOne() throws {
        let ring = try ring()
        let token = RefreshToken(sid: RandomName.session(), keys: ring)
        #expect(RefreshToken(reading: token.text, keys: ring) == token)
        #expect(RefreshToken(sid: token.sid, keys: ring).text != token.text)
        let other = try KeyRing(data: TestFolder().path, limits: ServicesLimits(), clock: clock.wall)
        #expect(RefreshToken(reading: token.text, keys: other) == nil)
        for index in token.text.indices {
            var text = token.text
            text.replaceSubrange(index...index, with: text[index] == "a" ? "b" : "a")
            #expect(RefreshToken(reading: text, keys: ring) == nil)
        }
        for text in ["", ".", String(token.text.dropLast()), token.text + "a"] {
            #expect(RefreshToken(reading: text, keys: ring) == nil)
        }
    }

    @Test func theSameRefreshTokenIsAlwaysReplacedByTheSameOne() throws {
        let ring = try ring()
        let first = RefreshToken(sid: RandomName.session(), keys: ring)
        let second = first.next(ring)
        #expect(second.sid == first.sid && second.text != first.text)
        #expect(RefreshToken(reading: second.text, keys: ring) == second)
        // Another process reads the same secret.
        let again = try #require(RefreshToken(reading: first.text, keys: try self.ring()))
        #expect(again.next(try self.ring()) == second)
        // No other key ring recognizes it.
        let other = try KeyRing(data: TestFolder().path, limits: ServicesLimits(), clock: clock.wall)
        #expect(first.next(other).text != second.text)
        let fourth = second.next(ring).next(ring)
        #expect(first.newest(fourth.hash, most: 3, ring).map { [$0.age] } == [3])
        #expect(first.newest(fourth.hash, most: 3, ring)?.token == fourth)
        #expect(first.newest(fourth.hash, most: 2, ring) == nil)
        #expect(fourth.newest(first.hash, most: 8, ring) == nil)
    }

    @Test func namesAreOfCrockfordsBase32() {
        for _ in 0..<100 {
            let user = RandomName.user()
            #expect(user.count == 17 && user.first == "u" && RandomName.isSession(user.dropFirst()))
        }
    }
}
