import RoostWire

/// Another user's presence, as shown.
enum PresenceLine {
    static func text(_ one: UserPresence, _ names: Names, _ words: Words) -> String {
        let (name, presence) = (names.short(one.user), presence(one, words))
        let isPast = one.state == .offline && (one.lastSeen != nil || one.seen != nil)
        return "· " + words(isPast ? PeoplePhrase.wasThere(name, presence: presence) : .isNow(name, presence: presence))
    }

    /// Without the name.
    static func presence(_ one: UserPresence, _ words: Words) -> String {
        let state = one.state == .offline ? absence(of: one, words) : words(.presence(one.state))
        return state + (one.text.map { ": " + TerminalText.printable($0) } ?? "")
    }

    private static func absence(of one: UserPresence, _ words: Words) -> String {
        if let time = one.lastSeen { return words(.lastSeen(words.time(time))) }
        return words(one.seen.map { PeoplePhrase.seen($0) } ?? .presence(.offline))
    }
}
