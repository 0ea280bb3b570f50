/// Under what checks of passwords are counted. Sessions count apart from sign-ins: otherwise strangers who know the
/// address could keep the owner from changing the password and from deleting the account. A value.
enum Guesser: Sendable {
    /// Signs in, with an address.
    case stranger(email: String)
    /// Is signed in, and confirms that the account is theirs.
    case session(sid: String, user: String)

    /// The names under which failures and checks are counted. One session has as many failures as strangers have, and
    /// all sessions of an account together as many checks, so that a stolen session guesses no faster than they do.
    func digests(_ keys: KeyRing) -> (failure: [UInt8], check: [UInt8]) {
        switch self {
        case .stranger(let email):
            let key = keys.digest("account " + email)
            return (key, key)
        case .session(let sid, let user): return (keys.digest("session " + sid), keys.digest("owner " + user))
        }
    }
}
