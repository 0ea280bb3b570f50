import Crypto
import Foundation
import RoostAuth

/// A backend's credential, sent with each request. Only its SHA-256 is stored: 256 bits can't be guessed, and a backup
/// doesn't contain them.
package struct APIKey: Sendable, Equatable {
    /// A right of a key. A key that names no word has all of them.
    package enum Word: String, Sendable, CaseIterable {
        /// To send, edit and delete messages, to react, and to signal, as any user.
        case send
        /// To create and change conversations, and to see their members.
        case conversations
        /// To read messages.
        case read
        /// To see who is there.
        case presence
        /// To make users known, and to say what they are called.
        case users
        /// To close connections, and to end sessions.
        case sessions
        /// To erase messages and conversations.
        case erase
    }

    /// Most bytes of a key's name.
    package static let nameBytes = 64
    /// The prefix of every key, so that a program finds one that was published by mistake.
    private static let head = "roost_key_"
    private static let secretBytes = 32

    package var name: String
    package var words: Set<Word>
    /// Milliseconds since 1970.
    package var created: Int64

    /// A key's name and what it may be used for.
    package init(_ name: String, words: Set<Word>, created: Int64) {
        self.name = name
        self.words = words
        self.created = created
    }

    /// Makes the text of a new key.
    package static func newText() -> String { head + Base64URL.encode(RandomName.bytes(secretBytes)) }

    /// The stored hash of a key; nil for a text that we can't have made.
    static func hash(of text: String) -> [UInt8]? {
        guard text.hasPrefix(head), text.utf8.count <= 64 else { return nil }
        return Array(SHA256.hash(data: Data(text.utf8)))
    }

    /// Whether it is a name that an operator may give: as the relay's names.
    package static func isName(_ text: String) -> Bool {
        (1...nameBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    /// The words of a list with commas; nil if one of them isn't a word.
    package static func words(_ text: String) -> Set<Word>? {
        var found: Set<Word> = []
        for part in text.split(separator: ",") {
            guard let word = Word(rawValue: String(part)) else { return nil }
            found.insert(word)
        }
        return found.isEmpty ? nil : found
    }

    /// Checks that it may be used for this.
    /// - Throws: `forbidden`.
    func check(_ word: Word) throws(ServiceFault) {
        guard words.contains(word) else {
            throw ServiceFault(.forbidden, "this key may not be used for \(word.rawValue)")
        }
    }
}
