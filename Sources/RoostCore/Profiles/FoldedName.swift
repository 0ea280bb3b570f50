import RoostNames
import RoostWire

/// A name, or its end from some word on, in the form in which names are compared (`Folding`).
struct FoldedName: Hashable {
    let bytes: [UInt8]

    private init(of bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

    /// Folds a text.
    init(_ text: String) { bytes = Array(Folding.fold(text).utf8) }

    /// The names by which a user is found: the display name from each of its first words on, and the username. Each
    /// once.
    static func keys(of profile: StoredProfile, atMost words: Int) -> [FoldedName] {
        let name = Folding.fold(profile.name)
        let bytes = Array(name.utf8)
        var keys = Folding.words(of: name).prefix(words).map { FoldedName(of: bytes[$0...]) }
        let username = FoldedName(profile.username)
        if !username.bytes.isEmpty, !keys.contains(username) { keys.append(username) }
        return keys
    }

    /// The names by which a group is found: from each word on.
    static func keys(of name: String) -> [FoldedName] {
        let folded = Folding.fold(name)
        let bytes = Array(folded.utf8)
        return Folding.words(of: folded).map { FoldedName(of: bytes[$0...]) }
    }

    /// Whether it begins with the other.
    func begins(with prefix: FoldedName) -> Bool { bytes.starts(with: prefix.bytes) }
}

extension FoldedName: Comparable {
    /// Ordered by their bytes, which is the order of the scalars.
    static func < (one: FoldedName, other: FoldedName) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
}
