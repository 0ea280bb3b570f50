import RoostWire

/// A name, or its end from some word on, in the form in which names are compared: in lower case, with one space between
/// words. Clients and services send letters composed (NFC), so a prefix of the bytes is a prefix of the name.
struct FoldedName: Hashable {
    let bytes: [UInt8]

    private init(of bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

    /// Folds a text.
    init(_ text: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var isSpaceDue = false
        for scalar in text.lowercased().unicodeScalars {
            guard !scalar.properties.isWhitespace else {
                isSpaceDue = !bytes.isEmpty
                continue
            }
            if isSpaceDue { bytes.append(UInt8(ascii: " ")) }
            isSpaceDue = false
            bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
        self.bytes = bytes
    }

    /// What a user is found by: the name from each of its first words on, and the username. Each once.
    static func keys(of profile: StoredProfile, atMost words: Int) -> [FoldedName] {
        let name = FoldedName(profile.name).bytes
        var keys: [FoldedName] = []
        var rest = name[...]
        while !rest.isEmpty, keys.count < words {
            keys.append(FoldedName(of: rest))
            guard let space = rest.firstIndex(of: UInt8(ascii: " ")) else { break }
            rest = rest[(space + 1)...]
        }
        let username = FoldedName(profile.username)
        if !username.bytes.isEmpty, !keys.contains(username) { keys.append(username) }
        return keys
    }

    /// Whether it begins with the other.
    func begins(with prefix: FoldedName) -> Bool { bytes.starts(with: prefix.bytes) }
}

extension FoldedName: Comparable {
    /// Ordered by their bytes, which is the order of the scalars.
    static func < (one: FoldedName, other: FoldedName) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
}
