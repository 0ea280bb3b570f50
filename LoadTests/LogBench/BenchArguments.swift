import RoostWire

/// The command line. A value; all members are in range.
struct BenchArguments {
    static let usage = """
        usage: roost-log-bench --path FILE [--rows N] [--batch N] [--conversations N] [--senders N] [--bytes N]
                               [--durability full|normal|memory] [--stored-keys N]
        """

    var path = ""
    var rows = 1_000_000
    /// Messages in one commit.
    var batch = 256
    var conversations = 1_000
    /// Number of users. Each writes to one conversation and is a member of no other.
    var senders = 5_000
    /// Bytes of each body, including its quotation marks.
    var bytes = 200
    var durability = Durability.full
    /// Random keys that the key index holds before the first row: made directly, as so many rows would take hours.
    var storedKeys = 0

    /// Returns nil for an unknown word or a value that doesn't fit.
    init?(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard let value = rest.popFirst(), take(word, value) else { return nil }
        }
        // Every conversation needs a sender. At least ten rows, because each tenth is timed.
        guard !path.isEmpty, senders >= conversations, rows >= 10 else { return nil }
    }

    private mutating func take(_ word: String, _ value: String) -> Bool {
        switch word {
        case "--path":
            path = value
            return true
        case "--durability":
            guard let known = Durability(rawValue: value) else { return false }
            durability = known
            return true
        case "--stored-keys": return Self.read(value, 0...1_000_000_000, into: &storedKeys)
        case "--rows": return Self.read(value, 10...1_000_000_000, into: &rows)
        case "--batch": return Self.read(value, 1...65_536, into: &batch)
        case "--conversations": return Self.read(value, 1...1_000_000, into: &conversations)
        case "--senders": return Self.read(value, 1...1_000_000, into: &senders)
        case "--bytes": return Self.read(value, 3...65_536, into: &bytes)
        default: return false
        }
    }

    private static func read(_ text: String, _ allowed: ClosedRange<Int>, into number: inout Int) -> Bool {
        guard let value = Int(text), allowed.contains(value) else { return false }
        number = value
        return true
    }
}
