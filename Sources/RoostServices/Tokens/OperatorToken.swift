import RoostWire

/// A token with the scope `admin` that belongs to no account: a process that can read the keys may make one, for the
/// command line. It has a short lifetime, and can't be renewed. Its subject is `@` and the name, which no user has.
package enum OperatorToken {
    /// Makes a token.
    /// - Parameter name: who it is for, as the audit log says.
    package static func make(
        for name: String, by keys: KeyRing, issued: Int64, seconds: Int64
    ) throws(ServiceFault) -> String {
        guard isName(name) else {
            throw .invalid("name", "must be 1 to 63 of A-Z, a-z, 0-9, ., - and _")
        }
        return try keys.sign(
            JSONWriter.object { writer in
                writer.member("sub", "@" + name)
                AccessToken.write(scope: "admin", issued: issued, expires: issued + seconds, writer)
            })
    }

    /// The name in a token, with the `@`; nil if it is another token or has ended.
    static func name(of token: String, by keys: KeyRing, now: Int64) -> String? {
        guard token.utf8.count <= AccessToken.bytesMax, let claims = keys.claims(of: token),
            let members = claims.withUnsafeBytes({ JSONMembers(parsing: $0) }), members.string("scope") == "admin",
            let name = members.string("sub"), name.hasPrefix("@"), isName(name.dropFirst()),
            let expires = members.integer("exp"), expires > now
        else { return nil }
        return name
    }

    /// It has no room for an address.
    private static func isName(_ text: some StringProtocol) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }
}
