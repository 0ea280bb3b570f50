import RoostWire

/// The users by username, present or pending. Two never have the same. Loop thread only.
struct Usernames {
    /// Length of a username in bytes: shorter and longer names needn't be looked for.
    private static let lengths = 3...32

    private var owners = NameTable<User>()

    /// The user who has this username or is about to have it, in lower case.
    subscript(username: String) -> User? { owners[username] }

    /// The user shown to others with this username, in whatever case.
    func user(shownAs name: Text) -> User? {
        guard Usernames.lengths.contains(name.count) else { return nil }
        let username = name.string.lowercased()
        return owners[username].flatMap { $0.profile?.stored.username == username ? $0 : nil }
    }

    mutating func insert(_ user: User, named username: String) { owners.insert(user, named: username) }

    mutating func remove(_ username: String) { owners.remove(username) }
}
