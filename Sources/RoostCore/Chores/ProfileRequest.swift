import RoostWire

/// Finds out which of the users that a command names the asker may be shown.
final class ProfileRequest: Chore {
    /// A user named in the command.
    struct Named {
        let name: String
        /// Nil if the name doesn't exist.
        let user: User?
        fileprivate(set) var isShown = false

        init(_ name: String, _ user: User?) { (self.name, self.user) = (name, user) }
    }

    private let asker: User
    private let directory: Directory
    private let done: ([Named]) -> Void
    private var named: [Named]
    private var place = 0
    private var sight: Sight?

    init(_ named: [Named], for asker: User, _ directory: Directory, _ done: @escaping ([Named]) -> Void) {
        self.named = named
        self.asker = asker
        self.directory = directory
        self.done = done
    }

    func work(_ steps: inout Int) -> Bool {
        let policy = directory.policy
        while place < named.count {
            guard steps > 0 else { return false }
            if sight == nil { steps -= 1 }
            guard let user = named[place].user, user.profile?.isShown == true,
                !policy.hidesProfile(of: user, from: asker)
            else {
                (sight, place) = (nil, place + 1)
                continue
            }
            var sight =
                sight ?? policy.acquaintance(with: user, of: asker, direct: directory.direct(user, asker))
            switch sight.search(&steps) {
            case .open:
                self.sight = sight
                return false
            case .refused: break
            case .allowed: named[place].isShown = true
            }
            (self.sight, place) = (nil, place + 1)
        }
        done(named)
        return true
    }
}
