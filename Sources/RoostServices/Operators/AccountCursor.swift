import Foundation
import RoostAuth

/// Where a page of accounts ends. It travels in bodies only, because it has an address or a name.
package enum AccountCursor: Sendable, Equatable {
    case address(String)
    case name(String, user: String)

    /// Most bytes of its text: a name and a user's id in base64url.
    private static let bytesMax = 512

    /// A text that only means something here.
    package var text: String {
        switch self {
        case .address(let email): Base64URL.encode(Array("a\(email)".utf8))
        case .name(let name, let user): Base64URL.encode(Array("n\(user)\n\(name)".utf8))
        }
    }

    /// Reads such a text; nil if it is none.
    package init?(_ text: String) {
        guard text.utf8.count <= AccountCursor.bytesMax, let bytes = Base64URL.decode(text[...]),
            let inner = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let rest = inner.dropFirst()
        switch inner.first {
        case "a": self = .address(String(rest))
        case "n":
            // No id and no name has a line break.
            guard let end = rest.firstIndex(of: "\n") else { return nil }
            self = .name(String(rest[rest.index(after: end)...]), user: String(rest[..<end]))
        default: return nil
        }
    }
}
