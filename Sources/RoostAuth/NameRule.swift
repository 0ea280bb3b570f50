import RoostWire

/// The rules for names of users and devices (Docs/Protocol.md, section 2), applied to names in a token.
package enum NameRule {
    /// Whether a user may have this name.
    package static func allowsUser(_ name: String) -> Bool {
        // A command writes "@bob" for a direct conversation, so no user's name may begin like that.
        allowsDevice(name) && name.utf8.first != UInt8(ascii: "@")
    }

    /// Whether a program or the command line may have this name, which no user can have: `@` and a name. Only a token
    /// with the scope of an operator or a service may have it, and its session belongs to no user.
    package static func allowsProgram(_ name: String) -> Bool {
        allowsDevice(name) && name.utf8.first == UInt8(ascii: "@") && name.utf8.count > 1
    }

    /// Whether a device may have this name.
    package static func allowsDevice(_ name: String) -> Bool {
        (1...Limits().nameBytes).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }
}
