import RoostWire

/// Rule for users who follow links to a group. Commands are judged by changes under way as well. Loop thread only.
struct Joining {
    /// The stored rule.
    private(set) var rule = JoiningRule.open
    private var changesUnderWay = 0
    private var newest = JoiningRule.open

    /// The rule once all changes are committed.
    var expected: JoiningRule { changesUnderWay > 0 ? newest : rule }

    /// A change was handed to the writer.
    mutating func expect(_ rule: JoiningRule) {
        changesUnderWay += 1
        newest = rule
    }

    /// The outcome of a change is known.
    mutating func settle() { changesUnderWay -= 1 }

    /// A change was stored.
    mutating func set(_ rule: JoiningRule) { self.rule = rule }
}
