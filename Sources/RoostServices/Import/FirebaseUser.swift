import Crypto
import Foundation
import RoostAuth
import RoostWire

/// A user of a Firebase project, as its export has them. A value.
struct FirebaseUser {
    /// The reason why a user can't have an account here, in words without names.
    enum Refusal: String, Error {
        case unreadable = "it isn't a JSON object, or has more bytes than a user may have"
        case nameless = "it has no localId"
        case noWayIn = "it has neither an address nor an identity of Google's or Apple's, so nobody could sign in to it"
        case badAddress = "no letter could be sent to its address"
        case addressTaken = "its address has an account already"
        case userTaken = "its localId is the id of another account"
        case badHash = "its passwordHash or salt doesn't go with the hash parameters"
    }

    private let members: JSONMembers
    /// Firebase's id.
    let localID: String

    init(_ bytes: [UInt8]) throws(Refusal) {
        guard let members = bytes.withUnsafeBytes({ JSONMembers(parsing: $0) }) else { throw .unreadable }
        guard let id = members.string("localId"), !id.isEmpty else { throw .nameless }
        self.members = members
        localID = id
    }

    /// The id in Roost: Firebase's, so that imported messages have their authors. In place of one that the protocol
    /// doesn't take, or that has an address in it, there is another: the same at each import, and of no meaning.
    func user(_ parameters: FirebaseHashParameters) -> String {
        if keepsID { return localID }
        let key = SymmetricKey(data: parameters.signerKey)
        let digest = HMAC<SHA256>.authenticationCode(for: Data(localID.utf8), using: key)
        return RandomName.user(Array(digest))
    }

    /// Whether Firebase's id is the one in Roost.
    var keepsID: Bool { NameRule.allowsUser(localID) && !localID.contains("@") }

    /// The account that it becomes.
    func account(
        _ parameters: FirebaseHashParameters, rules: PersonRules, defaultRole: String? = nil, now: Int64
    ) throws(Refusal) -> Account {
        let written = members.string("email") ?? ""
        guard !written.isEmpty || !identities.isEmpty else { throw .noWayIn }
        let email = written.isEmpty ? nil : try? rules.address(written)
        guard written.isEmpty || email != nil, let language = try? rules.language(nil) else { throw .badAddress }
        return Account(
            user: user(parameters), email: email, name: rules.shortened(name: displayName ?? ""),
            role: role(rules) ?? defaultRole, language: language, hash: try hash(parameters)?.text,
            isVerified: members.flag("emailVerified") ?? false, isSuspended: members.flag("disabled") ?? false,
            created: created(now: now))
    }

    /// The issuer of an identity, and the user's id there.
    struct Identity: Equatable {
        var provider: Provider
        var subject: String
    }

    /// The issuers that can be used here, too.
    enum Provider: String {
        case google = "google.com"
        case apple = "apple.com"
    }

    /// By what they sign in beside a password.
    var identities: [Identity] {
        (members.objects("providerUserInfo") ?? []).compactMap { one in
            guard let provider = one.string("providerId").flatMap(Provider.init), let subject = one.string("rawId"),
                (1...OpenIDBounds().subjectBytes).contains(subject.utf8.count)
            else { return nil }
            return Identity(provider: provider, subject: subject)
        }
    }

    // A user who signed in with Google may have a name there only.
    private var displayName: String? {
        if let name = members.string("displayName"), !name.isEmpty { return name }
        return (members.objects("providerUserInfo") ?? []).lazy.compactMap { $0.string("displayName") }
            .first { !$0.isEmpty }
    }

    // A custom claim, which an export has as the text of a JSON object.
    private func role(_ rules: PersonRules) -> String? {
        guard let text = members.string("customAttributes"), let claims = JSONValue(parsing: text),
            let role = claims["role"]?.string, rules.roles.contains(role)
        else { return nil }
        return role
    }

    private func hash(_ parameters: FirebaseHashParameters) throws(Refusal) -> FirebaseScrypt? {
        guard let text = members.string("passwordHash"), !text.isEmpty else { return nil }
        guard let bytes = FirebaseUser.bytes(base64: text),
            let salt = FirebaseUser.bytes(base64: members.string("salt") ?? ""),
            let hash = parameters.hash(bytes, salt: salt)
        else { throw .badHash }
        return hash
    }

    // Milliseconds as a text, or as a number.
    private func created(now: Int64) -> Int64 {
        let written = members.integer("createdAt") ?? members.string("createdAt").flatMap { Int64($0) }
        guard let written, (1...now).contains(written) else { return now }
        return written
    }

    /// Whether a field is lost that a user may miss.
    var hasPhone: Bool { !(members.string("phoneNumber") ?? "").isEmpty }

    /// The same, for a second factor.
    var hasSecondFactor: Bool { !(members["mfaInfo"]?.elements ?? []).isEmpty }

    /// Bytes in either alphabet of RFC 4648; nil if it isn't base64.
    static func bytes(base64 text: String) -> [UInt8]? {
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: plain).map { Array($0) }
    }
}
