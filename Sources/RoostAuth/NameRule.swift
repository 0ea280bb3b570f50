import RoostWire

/// What a user or device may be called (Docs/Protocol.md, section 2), for names that come from a token.
enum NameRule {
    static func allowsUser(_ name: String) -> Bool {
        // "@bob" is how a command names a direct conversation, so no user may begin that way.
        allowsDevice(name) && name.utf8.first != UInt8(ascii: "@")
    }

    static func allowsDevice(_ name: String) -> Bool {
        (1...Limits().nameBytes).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }
}
