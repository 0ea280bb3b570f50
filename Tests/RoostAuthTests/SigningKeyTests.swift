import Foundation
import RoostWire
import Testing

@testable import RoostAuth

/// The relay's own key and its file.
@Suite struct SigningKeyTests {
    func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func createsAKeyOnceAndKeepsIt() async throws {
        try await withFolder { folder in
            let path = folder + "/data/signing.key"
            let made = try SigningKey.loadOrCreate(path: path)
            #expect(made.secret.count == SigningKey.secretBytes)
            #expect(try mode(path) == 0o600)
            #expect(try mode(folder + "/data") == 0o700)
            #expect(try SigningKey.loadOrCreate(path: path).secret == made.secret)
            #expect(try SigningKey.load(path: path).secret == made.secret)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/data") == ["signing.key"])
        }
    }

    @Test func twoKeysDiffer() {
        #expect(SigningKey.random().secret != SigningKey.random().secret)
    }

    @Test func processesThatStartAtOnceGetTheSameKey() async throws {
        try await withFolder { folder in
            let path = folder + "/signing.key"
            let secrets = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<16 { group.addTask { try SigningKey.loadOrCreate(path: path).secret } }
                return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
            }
            #expect(secrets.count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["signing.key"])
        }
    }

    @Test func neverReplacesAnExistingFile() async throws {
        try await withFolder { folder in
            let path = folder + "/signing.key"
            try KeyFile.create(path, holding: [1])
            try KeyFile.create(path, holding: [2])
            #expect(try KeyFile.read(path, bytesMax: 8, mustBePrivate: true) == [1])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["signing.key"])
        }
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o620, 0o601])
    func refusesAFileThatOthersCanRead(_ bits: Int) async throws {
        try await withFolder { folder in
            let path = folder + "/signing.key"
            _ = try SigningKey.loadOrCreate(path: path)
            try FileManager.default.setAttributes([.posixPermissions: bits], ofItemAtPath: path)
            let failure = try #require(throws: KeyFailure.self) { try SigningKey.loadOrCreate(path: path) }
            #expect(failure.reason.contains("mode \(String(bits, radix: 8))"))
            #expect(failure.reason.contains("chmod 600 \(path)"))
        }
    }

    @Test(arguments: ["", "\n", "short", "not/base64+", String(repeating: "=", count: 43), "é"])
    func refusesContentThatIsNotAKey(_ text: String) async throws {
        try await withFolder { folder in
            let path = folder + "/signing.key"
            let made = FileManager.default.createFile(
                atPath: path,
                contents: Data(text.utf8),
                attributes: [.posixPermissions: 0o600]
            )
            #expect(made)
            let failure = try #require(throws: KeyFailure.self) { try SigningKey.loadOrCreate(path: path) }
            #expect(text.count < 5 || !failure.reason.contains(text))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(text.utf8))
        }
    }

    @Test func refusesPathsThatAreNotAFile() async throws {
        try await withFolder { folder in
            #expect(throws: KeyFailure.self) { try SigningKey.load(path: folder) }
            #expect(throws: KeyFailure.self) { try SigningKey.load(path: folder + "/absent") }
            #expect(throws: KeyFailure.self) { try SigningKey.loadOrCreate(path: folder + "/a/b/signing.key") }
        }
    }

    @Test func createsNoTokenThatEveryRelayWouldRefuse() async throws {
        let key = SigningKey.random()
        let later = Timestamp(milliseconds: 1_800_000_000_000)
        await #expect(throws: TokenFailure.badSubject) { try await key.token(user: "@alice", expires: later) }
        await #expect(throws: TokenFailure.badSubject) { try await key.token(user: "", expires: later) }
        await #expect(throws: TokenFailure.badDevice) {
            try await key.token(user: "alice", device: "my phone", expires: later)
        }
        for moment in [Int64.min, -1, 0, .max] {
            await #expect(throws: TokenFailure.badExpiry) {
                try await key.token(user: "alice", expires: Timestamp(milliseconds: moment))
            }
        }
    }

    @Test func isNeverShown() {
        let key = SigningKey.random()
        var dumped = ""
        dump(VerificationKey(key), to: &dumped)
        let text = "\(key) \(String(reflecting: key)) \(VerificationKey(key)) \(dumped)"
        #expect(!text.contains(key.secret.map(String.init).joined(separator: ", ")))
        #expect(!text.contains(Base64URL.encode(key.secret)))
        #expect(dumped.contains("not shown"))
    }
}
