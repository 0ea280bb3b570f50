import Foundation
import RoostConfiguration

/// A project's hash parameters, as the console of Firebase shows them (Authentication, Users, Password hash
/// parameters). They are secret: nothing prints them.
struct FirebaseHashParameters: Sendable {
    let signerKey: [UInt8]
    let saltSeparator: [UInt8]
    let rounds: Int
    let memoryCost: Int

    /// Reads what was copied from the console, with or without the braces.
    init(reading text: String) throws(ConfigurationFailure) {
        let members = FirebaseHashParameters.members(text)
        func member(_ name: String) throws(ConfigurationFailure) -> String {
            guard let value = members[name] else { throw ConfigurationFailure("--hash-config: \(name) is missing") }
            return value
        }
        func bytes(_ name: String) throws(ConfigurationFailure) -> [UInt8] {
            guard let bytes = FirebaseUser.bytes(base64: try member(name)) else {
                throw ConfigurationFailure("--hash-config: \(name) isn't base64")
            }
            return bytes
        }
        func number(_ name: String, _ range: ClosedRange<Int>) throws(ConfigurationFailure) -> Int {
            guard let number = Int(try member(name)), range.contains(number) else {
                throw ConfigurationFailure(
                    "--hash-config: \(name) must be from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        // Firebase names others if an import brought them; such hashes are never in an export.
        if let algorithm = members["algorithm"], algorithm != "SCRYPT" {
            throw ConfigurationFailure("--hash-config: the algorithm must be SCRYPT")
        }
        signerKey = try bytes("base64_signer_key")
        saltSeparator = try bytes("base64_salt_separator")
        rounds = try number("rounds", 1...FirebaseScrypt.roundsMax)
        memoryCost = try number("mem_cost", 1...FirebaseScrypt.memoryCostMax)
        let range = FirebaseScrypt.streamBytes
        guard range.contains(signerKey.count) else {
            throw ConfigurationFailure(
                "--hash-config: base64_signer_key must have \(range.lowerBound) to \(range.upperBound) bytes")
        }
    }

    // Lines such as `  rounds: 8,`; those without a value are the frame.
    private static func members(_ text: String) -> [String: String] {
        var members: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let name = parts[0].trimmingCharacters(in: .whitespaces)
            members[name] = parts[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t,\"'"))
        }
        return members
    }

    /// A user's hash as it is kept here; nil if it isn't one of this project.
    func hash(_ hash: [UInt8], salt: [UInt8]) -> FirebaseScrypt? {
        guard hash.count == signerKey.count else { return nil }
        return FirebaseScrypt(
            memoryCost: memoryCost, rounds: rounds, salt: salt + saltSeparator,
            stream: zip(hash, signerKey).map { $0 ^ $1 })
    }
}
